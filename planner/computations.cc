#include "planner/computations.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"

namespace reprise {
namespace {

class Finder {
 public:
  Finder(const Graph& graph, const PureKernels& kernels, const ViewIndex& views,
         bool share, Epochs& epochs, std::vector<Decline>& declines)
      : graph_(graph),
        kernels_(kernels),
        views_(views),
        share_(share),
        epochs_(epochs),
        declines_(declines) {}

  std::vector<Computation> Run() {
    for (NodeId node : epochs_.order().nodes()) {
      if (kernels_.kind(node) != PureKernels::kNone) {
        Visit(node);
      } else if (graph_.node(node).effects_complete && Quantizes(node)) {
        declines_.push_back({DeclineReason::kUnsupportedSource, node, {}});
      }
    }
    return std::move(found_);
  }

 private:
  bool Quantizes(NodeId node) const {
    return IsQuantizer(graph_.node(node).op);
  }

  void Visit(NodeId node) {
    std::vector<Contents> inputs;
    for (const Access& access : graph_.accesses(node)) {
      if (!access.reads()) continue;
      inputs.push_back(epochs_.At(views_.Find(access.view), node));
      const NodeId writer = inputs.back().unordered;
      if (!writer.valid()) continue;
      Refuse(DeclineReason::kUnorderedWrite, node, writer);
      return;
    }
    const auto [latest, first] =
        latest_.try_emplace(kernels_.kind(node), found_.size());
    if (!first) {
      Computation& earlier = found_[latest->second];
      if ((share_ || !Quantizes(node)) && SameEpochs(earlier.inputs, inputs)) {
        return Repeat(node, earlier);
      }
      NoteRewrite(node, earlier.inputs, inputs);
      latest->second = found_.size();
    }
    found_.push_back({std::move(inputs), {{{node}}}});
  }

  static bool SameEpochs(const std::vector<Contents>& a,
                         const std::vector<Contents>& b) {
    return absl::c_equal(a, b, [](const Contents& x, const Contents& y) {
      return x.epoch == y.epoch;
    });
  }

  // A view that one node has written anew makes another computation: nothing
  // was missed. A view written in part, or by who knows whom, is a chance that
  // cannot be proven.
  void NoteRewrite(NodeId node, const std::vector<Contents>& earlier,
                   const std::vector<Contents>& later) {
    NodeId writer;
    std::size_t i = 0;
    for (const Access& access : graph_.accesses(node)) {
      if (!access.reads()) continue;
      const Contents& was = earlier[i];
      const Contents& is = later[i++];
      if (was.epoch == is.epoch) continue;
      if (is.writer.valid()) return;
      writer = epochs_.WrittenSince(views_.Find(access.view), was, is);
    }
    if (writer.valid()) Refuse(DeclineReason::kOverlappingWrite, node, writer);
  }

  // An opaque writer is a reason of its own.
  void Refuse(DeclineReason reason, NodeId node, NodeId writer) {
    declines_.push_back({graph_.node(writer).effects_complete
                             ? reason
                             : DeclineReason::kOpaqueNode,
                         node, writer});
  }

  void Repeat(NodeId node, Computation& computation) {
    if (SamePlace* place = FindPlace(node, computation)) {
      place->nodes.push_back(node);
      epochs_.Drop(node);
      return;
    }
    // The image of a quantizer may be able to move (planner/image_uses.h).
    if (!Quantizes(node)) NotePlace(node, computation);
    computation.places.push_back({{node}});
  }

  // The place to which the node would only write again what is there, or null.
  SamePlace* FindPlace(NodeId node, Computation& computation) {
    const NodeId writer = WriterOfOutputs(node);
    const auto place =
        std::find_if(computation.places.rbegin(), computation.places.rend(),
                     [&](const SamePlace& p) {
                       const NodeId kept = p.nodes.front();
                       return kept == writer && SameWrites(kept, node);
                     });
    return place == computation.places.rend() ? nullptr : &*place;
  }

  // The one node that left all that lies where the node writes; invalid when
  // there is none.
  NodeId WriterOfOutputs(NodeId node) const {
    NodeId writer;
    for (const Access& access : graph_.accesses(node)) {
      if (!access.writes()) continue;
      const Contents there = epochs_.At(views_.Find(access.view), node);
      if (there.unordered.valid() || !there.writer.valid()) return {};
      if (writer.valid() && writer != there.writer) return {};
      writer = there.writer;
    }
    return writer;
  }

  bool SameWrites(NodeId a, NodeId b) const {
    return absl::c_equal(graph_.accesses(a), graph_.accesses(b),
                         [](const Access& x, const Access& y) {
                           return x.reads() || x.view == y.view;
                         });
  }

  void NotePlace(NodeId node, const Computation& computation) {
    if (WritesPart(node)) {
      declines_.push_back({DeclineReason::kRepeatOfPart, node, {}});
      return;
    }
    const auto place = std::find_if(
        computation.places.rbegin(), computation.places.rend(),
        [&](const SamePlace& p) { return SameWrites(p.nodes.front(), node); });
    if (place == computation.places.rend()) {
      declines_.push_back({DeclineReason::kRepeatElsewhere, node,
                           computation.places.front().nodes.front()});
      return;
    }
    declines_.push_back({DeclineReason::kRepeatOverwritten, node,
                         OtherWriter(place->nodes.front(), node)});
  }

  // A node but `kept` that may have written some of the outputs before `node`
  // finds them.
  NodeId OtherWriter(NodeId kept, NodeId node) const {
    for (const Access& access : graph_.accesses(node)) {
      if (!access.writes()) continue;
      const ViewIndex::ViewId view = views_.Find(access.view);
      const NodeId unordered = epochs_.At(view, node).unordered;
      if (unordered.valid()) return unordered;
      for (NodeId writer : epochs_.LatestWriters(view, node)) {
        if (writer != kept) return writer;
      }
    }
    return kept;
  }

  bool WritesPart(NodeId node) const {
    return absl::c_any_of(graph_.accesses(node), [](const Access& access) {
      return access.writes() && !access.exact;
    });
  }

  const Graph& graph_;
  const PureKernels& kernels_;
  const ViewIndex& views_;
  const bool share_;
  Epochs& epochs_;
  std::vector<Decline>& declines_;
  std::vector<Computation> found_;
  // By kind: the place in found_ of its latest computation.
  absl::flat_hash_map<std::uint32_t, std::size_t> latest_;
};

}  // namespace

std::vector<Computation> FindComputations(const Graph& graph,
                                          const PureKernels& kernels,
                                          const ViewIndex& views, bool share,
                                          Epochs& epochs,
                                          std::vector<Decline>& declines) {
  return Finder(graph, kernels, views, share, epochs, declines).Run();
}

}  // namespace reprise
