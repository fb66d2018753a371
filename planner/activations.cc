#include "planner/activations.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace reprise {
namespace {

constexpr std::int64_t kBlockValues = 32;

const Access* Source(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kSource, AccessMode::kRead);
}

const Access* Image(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite);
}

// Rows of whole blocks of contiguous floats, and an image without holes.
bool Supported(const Access* source, const Access* image) {
  if (source == nullptr || image == nullptr) return false;
  const View& view = source->view;
  return source->exact && image->exact && image->view.dense() &&
         !view.empty() && view.type == ElementType::kF32 &&
         view.strides[0] == ElementBytes(view.type) &&
         view.extents[0] % kBlockValues == 0;
}

// What two quantizers must have in common to make the same image of the same
// floats: the view, the layout, and the image's shape (its padded rows).
using Key = std::tuple<ViewIndex::ViewId, ImageLayout,
                       std::array<std::int64_t, View::kMaxRank>>;

class Finder {
 public:
  Finder(const Graph& graph, const ViewIndex& views, const Epochs& epochs,
         bool share, std::vector<Decline>& declines)
      : graph_(graph),
        views_(views),
        epochs_(epochs),
        share_(share),
        declines_(declines) {}

  std::vector<Activation> Run() {
    for (NodeId node : epochs_.order().nodes()) {
      if (graph_.node(node).effects_complete &&
          IsQuantizer(graph_.node(node).op)) {
        Visit(node);
      }
    }
    return std::move(found_);
  }

 private:
  void Visit(NodeId quantizer) {
    const Access* source = Source(graph_, quantizer);
    const Access* image = Image(graph_, quantizer);
    if (!Supported(source, image)) {
      declines_.push_back({DeclineReason::kUnsupportedSource, quantizer, {}});
      return;
    }
    const ViewIndex::ViewId view = views_.Find(source->view);
    Contents contents = epochs_.At(view, quantizer);
    if (contents.unordered.valid()) {
      const NodeId writer = contents.unordered;
      declines_.push_back({graph_.node(writer).effects_complete
                               ? DeclineReason::kUnorderedWrite
                               : DeclineReason::kOpaqueNode,
                           quantizer, writer});
      return;
    }
    const Key key{view, std::get<Quantize>(graph_.node(quantizer).op).layout,
                  image->view.extents};
    const auto [latest, first] = latest_.try_emplace(key, found_.size());
    if (!first) {
      Activation& earlier = found_[latest->second];
      if (share_ && earlier.contents.epoch == contents.epoch) {
        earlier.quantizers.push_back(quantizer);
        return;
      }
      NoteRewrite(view, earlier.contents, contents, quantizer);
      latest->second = found_.size();
    }
    found_.push_back({source->view, std::move(contents), {quantizer}});
  }

  // A view that one node has written anew holds another activation: nothing
  // was missed. A view written in part, or by who knows whom, is a chance that
  // cannot be proven.
  void NoteRewrite(ViewIndex::ViewId view, const Contents& earlier,
                   const Contents& later, NodeId quantizer) {
    if (later.writer.valid()) return;
    const NodeId writer = epochs_.WrittenSince(view, earlier, later);
    if (!writer.valid()) return;
    declines_.push_back({graph_.node(writer).effects_complete
                             ? DeclineReason::kOverlappingWrite
                             : DeclineReason::kOpaqueNode,
                         quantizer, writer});
  }

  const Graph& graph_;
  const ViewIndex& views_;
  const Epochs& epochs_;
  const bool share_;
  std::vector<Decline>& declines_;
  std::vector<Activation> found_;
  absl::flat_hash_map<Key, std::size_t> latest_;  // index into found_
};

}  // namespace

ViewIndex IndexViews(const Graph& graph) {
  ViewIndex views;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId node{n};
    const Op& op = graph.node(node).op;
    if (!IsQuantizer(op) && !IsReader(op)) continue;
    for (const Access& access : graph.accesses(node)) {
      if (access.role == Role::kImage ||
          (IsQuantizer(op) && access.role == Role::kSource)) {
        views.Add(access.view);
      }
    }
  }
  views.Seal();
  return views;
}

std::vector<Activation> FindActivations(const Graph& graph,
                                        const ViewIndex& views,
                                        const Epochs& epochs, bool share,
                                        std::vector<Decline>& declines) {
  return Finder(graph, views, epochs, share, declines).Run();
}

}  // namespace reprise
