#include "planner/image_uses.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"

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

ImageUses::ImageUses(const Graph& graph, const ViewIndex& views,
                     const Epochs& epochs)
    : graph_(graph),
      views_(views),
      epochs_(epochs),
      order_(epochs.order()),
      index_(graph.num_nodes(), kNone),
      images_(FindQuantizers()),
      other_reads_(images_.size()) {
  for (NodeId node : order_.nodes()) VisitReads(node);
  other_reads_.Seal(order_);
}

ViewIndex ImageUses::FindQuantizers() {
  ViewIndex images;
  std::uint32_t count = 0;
  for (NodeId node : order_.nodes()) {
    if (!IsQuantizer(graph_.node(node).op)) continue;
    const Access* image = ImageOf(node);
    if (image == nullptr) continue;
    index_[node.value] = count++;
    images.Add(image->view);
  }
  readers_.resize(count);
  images.Seal();
  return images;
}

const Access* ImageUses::ImageOf(NodeId quantizer) const {
  return graph_.FindAccess(quantizer, Role::kImage, AccessMode::kWrite);
}

// Gives each read of image bytes to the quantizer that wrote them, where that
// is certain; to other_reads_ otherwise.
void ImageUses::VisitReads(NodeId node) {
  if (!graph_.node(node).effects_complete || epochs_.Dropped(node)) return;
  const Access* image =
      graph_.FindAccess(node, Role::kImage, AccessMode::kRead);
  for (const Access& access : graph_.accesses(node)) {
    // Of slack a reader makes nothing: whoever wrote it, it is no use.
    if (!access.reads() || access.role == Role::kSlack) continue;
    if (&access == image && IsReader(graph_.node(node).op) &&
        AssignToWriter(node, access)) {
      continue;
    }
    images_.ForEachOverlap(access.view, [&](ViewId image_id) {
      other_reads_.Add(image_id, node, /*covers=*/false);
    });
  }
}

bool ImageUses::AssignToWriter(NodeId reader, const Access& access) {
  const Contents contents = epochs_.At(views_.Find(access.view), reader);
  if (contents.unordered.valid() || !contents.writer.valid()) return false;
  const std::uint32_t writer = index_[contents.writer.value];
  // Written by something that is no quantizer: no image of ours is read.
  if (writer == kNone) return true;
  if (LayoutOf(graph_.node(reader).op) !=
          LayoutOf(graph_.node(contents.writer).op) ||
      !MayBePatched(reader, access)) {
    return false;
  }
  readers_[writer].push_back(
      {reader, access.view.address - ImageOf(contents.writer)->view.address});
  return true;
}

// Its slack has to come along: through the same pointer, and none before it.
bool ImageUses::MayBePatched(NodeId reader, const Access& image) const {
  if (!Patchable(graph_, reader, image)) return false;
  return absl::c_all_of(graph_.accesses(reader), [&](const Access& access) {
    return access.role != Role::kSlack ||
           (access.parameter == image.parameter &&
            access.view.begin() >= image.view.begin());
  });
}

std::optional<Decline> ImageUses::Obstacle(NodeId quantizer) const {
  const Access& image = *ImageOf(quantizer);
  const auto decline = [&](DeclineReason reason, NodeId evidence) {
    return Decline{reason, quantizer, evidence};
  };
  if (!std::get<Quantize>(graph_.node(quantizer).op).scratch ||
      !Patchable(graph_, quantizer, image)) {
    return decline(DeclineReason::kImageIsOutput, {});
  }
  const ViewId view = views_.Find(image.view);
  const ChainLists other_reads = other_reads_[images_.Find(image.view)];
  const Nodes kills = CoversAfter(view, quantizer);
  NodeId seen = MaySee(other_reads, quantizer, kills);
  if (seen.valid()) return decline(DeclineReason::kUnknownReader, seen);
  seen = MaySee(epochs_.opaque(), quantizer, kills);
  if (seen.valid()) return decline(DeclineReason::kOpaqueReader, seen);
  if (!kills.empty()) return std::nullopt;
  // The bytes are still there when the next replay starts.
  for (const ChainLists& reads : {other_reads, epochs_.opaque()}) {
    seen = ReadsBeforeAnyWrite(reads, view);
    if (seen.valid()) return decline(DeclineReason::kImageOutlivesReplay, seen);
  }
  return std::nullopt;
}

// In each chain, the next node after `node` that overwrites all of the view.
ImageUses::Nodes ImageUses::CoversAfter(ViewId view, NodeId node) const {
  Nodes found;
  const ChainLists writers = epochs_.writers(view);
  for (std::size_t i = 0; i < writers.num_lists(); ++i) {
    const auto list = writers.list(i);
    const std::size_t before = writers.NumBefore(i, node, order_);
    const std::size_t first = writers.FirstAfter(i, node, before, order_);
    const std::size_t last = std::min(list.size(), first + kMaxSteps);
    for (std::size_t e = first; e < last; ++e) {
      if (!list[e].covers || epochs_.Dropped(list[e].node)) continue;
      found.push_back(list[e].node);
      break;
    }
  }
  return found;
}

// A node of `reads` that is neither before `writer` nor after one of `kills`;
// invalid when there is none.
NodeId ImageUses::MaySee(const ChainLists& reads, NodeId writer,
                         const Nodes& kills) const {
  const auto safe = [&](NodeId node) {
    return std::any_of(kills.begin(), kills.end(),
                       [&](NodeId kill) { return order_.Before(kill, node); });
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

NodeId ImageUses::ReadsBeforeAnyWrite(const ChainLists& reads,
                                      ViewId view) const {
  for (std::size_t i = 0; i < reads.num_lists(); ++i) {
    const NodeId first = reads.list(i).front().node;
    if (!CoveredBefore(view, first)) return first;
  }
  return {};
}

bool ImageUses::CoveredBefore(ViewId view, NodeId node) const {
  const ChainLists writers = epochs_.writers(view);
  for (std::size_t i = 0; i < writers.num_lists(); ++i) {
    const std::size_t last =
        std::min(kMaxSteps, writers.NumBefore(i, node, order_));
    for (std::size_t e = 0; e < last; ++e) {
      if (writers.list(i)[e].covers) return true;
    }
  }
  return false;
}

}  // namespace reprise
