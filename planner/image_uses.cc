#include "planner/image_uses.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/inlined_vector.h"

namespace reprise {
namespace {

// How far to look along a chain for a write that covers a view; farther ones
// are not found, which only loses a chance.
constexpr std::size_t kMaxSteps = 16;

// A pointer that a rewrite can overwrite. Graphs without launches (tests,
// recorded shapes) have no parameter buffer to patch.
bool Patchable(const Graph& graph, NodeId node, const Access& access) {
  return graph.node(node).launch == Node::kNoIndex ||
         access.parameter != Access::kNoParameter;
}

}  // namespace

class ImageUses::Builder {
 public:
  using ViewId = ViewIndex::ViewId;

  Builder(const Graph& graph, const ViewIndex& views, const Epochs& epochs,
          ImageUses& result)
      : graph_(graph),
        views_(views),
        epochs_(epochs),
        order_(epochs.order()),
        uses_(result.uses_),
        other_reads_(views.size()),
        is_image_(views.size(), false) {}

  void Run() {
    FindQuantizers();
    for (NodeId node : order_.nodes()) VisitReads(node);
    for (ChainLists& reads : other_reads_) reads.Seal(order_);
    for (auto& [quantizer, use] : uses_) {
      use.obstacle = FindObstacle(quantizer);
    }
  }

 private:
  void FindQuantizers() {
    for (NodeId node : order_.nodes()) {
      if (!IsQuantizer(graph_.node(node).op)) continue;
      const Access* image = ImageOf(node);
      if (image == nullptr) continue;
      uses_[node];
      is_image_[views_.Find(image->view)] = true;
    }
  }

  const Access* ImageOf(NodeId quantizer) const {
    return graph_.FindAccess(quantizer, Role::kImage, AccessMode::kWrite);
  }

  // Gives each read of image bytes to the quantizer that wrote them, where
  // that is certain; to other_reads_ otherwise.
  void VisitReads(NodeId node) {
    if (!graph_.node(node).effects_complete) return;
    const Access* image =
        graph_.FindAccess(node, Role::kImage, AccessMode::kRead);
    for (const Access& access : graph_.accesses(node)) {
      if (!access.reads()) continue;
      if (&access == image && IsReader(graph_.node(node).op) &&
          AssignToWriter(node, access)) {
        continue;
      }
      views_.ForEachOverlap(access.view, [&](ViewId view) {
        if (is_image_[view]) other_reads_[view].Add(node, false);
      });
    }
  }

  bool AssignToWriter(NodeId reader, const Access& access) {
    const Contents contents = epochs_.At(views_.Find(access.view), reader);
    if (contents.unordered.valid() || !contents.writer.valid()) return false;
    const auto use = uses_.find(contents.writer);
    // Written by something that is no quantizer: no image of ours is read.
    if (use == uses_.end()) return true;
    if (!Patchable(graph_, reader, access)) return false;
    use->second.readers.push_back(
        {reader, access.view.address - ImageOf(use->first)->view.address});
    return true;
  }

  std::optional<Decline> FindObstacle(NodeId quantizer) const {
    const Access& image = *ImageOf(quantizer);
    const auto decline = [&](DeclineReason reason, NodeId evidence) {
      return Decline{reason, quantizer, evidence};
    };
    if (!std::get<Quantize>(graph_.node(quantizer).op).scratch ||
        !Patchable(graph_, quantizer, image)) {
      return decline(DeclineReason::kImageIsOutput, {});
    }
    const ViewId view = views_.Find(image.view);
    const Nodes kills = CoversAfter(view, quantizer);
    NodeId seen = MaySee(other_reads_[view], quantizer, kills);
    if (seen.valid()) return decline(DeclineReason::kUnknownReader, seen);
    seen = MaySee(epochs_.opaque(), quantizer, kills);
    if (seen.valid()) return decline(DeclineReason::kOpaqueReader, seen);
    if (!kills.empty()) return std::nullopt;
    // The bytes are still there when the next replay starts.
    for (const ChainLists* reads : {&other_reads_[view], &epochs_.opaque()}) {
      seen = ReadsBeforeAnyWrite(*reads, view);
      if (seen.valid()) {
        return decline(DeclineReason::kImageOutlivesReplay, seen);
      }
    }
    return std::nullopt;
  }

  using Nodes = absl::InlinedVector<NodeId, 4>;

  // In each chain, the next node after `node` that overwrites all of the view.
  Nodes CoversAfter(ViewId view, NodeId node) const {
    Nodes found;
    const ChainLists& writers = epochs_.writers(view);
    for (std::size_t i = 0; i < writers.num_lists(); ++i) {
      const auto list = writers.list(i);
      const std::size_t first = writers.FirstAfter(i, node, order_);
      const std::size_t last = std::min(list.size(), first + kMaxSteps);
      for (std::size_t e = first; e < last; ++e) {
        if (!list[e].covers) continue;
        found.push_back(list[e].node);
        break;
      }
    }
    return found;
  }

  // A node of `reads` that is neither before `writer` nor after one of `kills`;
  // invalid when there is none.
  NodeId MaySee(const ChainLists& reads, NodeId writer,
                const Nodes& kills) const {
    const auto safe = [&](NodeId node) {
      return std::any_of(kills.begin(), kills.end(), [&](NodeId kill) {
        return order_.Before(kill, node);
      });
    };
    if (!reads.loose().empty()) return reads.loose().front().node;
    for (std::size_t i = 0; i < reads.num_lists(); ++i) {
      const auto list = reads.list(i);
      const std::size_t next = reads.NumBefore(i, writer, order_);
      // The rest of the chain is after this one.
      if (next < list.size() && !safe(list[next].node)) return list[next].node;
    }
    return {};
  }

  NodeId ReadsBeforeAnyWrite(const ChainLists& reads, ViewId view) const {
    for (std::size_t i = 0; i < reads.num_lists(); ++i) {
      const NodeId first = reads.list(i).front().node;
      if (!CoveredBefore(view, first)) return first;
    }
    return {};
  }

  bool CoveredBefore(ViewId view, NodeId node) const {
    const ChainLists& writers = epochs_.writers(view);
    for (std::size_t i = 0; i < writers.num_lists(); ++i) {
      const std::size_t last =
          std::min(kMaxSteps, writers.NumBefore(i, node, order_));
      for (std::size_t e = 0; e < last; ++e) {
        if (writers.list(i)[e].covers) return true;
      }
    }
    return false;
  }

  const Graph& graph_;
  const ViewIndex& views_;
  const Epochs& epochs_;
  const Order& order_;
  absl::flat_hash_map<NodeId, ImageUse>& uses_;
  std::vector<ChainLists> other_reads_;  // by view; of image views only
  std::vector<bool> is_image_;           // by view
};

ImageUses::ImageUses(const Graph& graph, const ViewIndex& views,
                     const Epochs& epochs) {
  Builder(graph, views, epochs, *this).Run();
}

}  // namespace reprise
