#include "planner/image_uses.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "planner/overwrites.h"

namespace reprise {
namespace {

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
  const Overwriters kills = OverwritersAfter(epochs_, view, quantizer);
  NodeId seen = MaySee(order_, other_reads, quantizer, kills);
  if (seen.valid()) return decline(DeclineReason::kUnknownReader, seen);
  seen = MaySee(order_, epochs_.opaque(), quantizer, kills);
  if (seen.valid()) return decline(DeclineReason::kOpaqueReader, seen);
  if (!kills.empty()) return std::nullopt;
  // The bytes are still there when the next replay starts.
  for (const ChainLists& reads : {other_reads, epochs_.opaque()}) {
    seen = ReadsBeforeAnyWrite(reads, view);
    if (seen.valid()) return decline(DeclineReason::kImageOutlivesReplay, seen);
  }
  return std::nullopt;
}

NodeId ImageUses::ReadsBeforeAnyWrite(const ChainLists& reads,
                                      ViewId view) const {
  for (std::size_t i = 0; i < reads.num_lists(); ++i) {
    const NodeId first = reads.list(i).front().node;
    if (!OverwrittenBefore(epochs_, view, first)) return first;
  }
  return {};
}

}  // namespace reprise
