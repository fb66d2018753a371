#include "planner/emission.h"

#include <algorithm>
#include <cstdint>

namespace reprise {
namespace {

// The first quantizer or reader that runs on another stream than the producer:
// only an event can have led there. Where the capture does not tell streams,
// a fork of the order stands for one.
NodeId BehindEvent(const Graph& graph, const Order& order, NodeId producer,
                   const Activation& activation, const ImageUses& uses) {
  const StreamId stream = graph.node(producer).stream;
  const auto elsewhere = [&](NodeId node) {
    return stream.valid() ? graph.node(node).stream != stream
                          : order.chain(node) != order.chain(producer);
  };
  for (NodeId quantizer : activation.quantizers) {
    if (elsewhere(quantizer)) return quantizer;
    for (const ImageReader& reader : uses.Readers(quantizer)) {
      if (elsewhere(reader.node)) return reader.node;
    }
  }
  return {};
}

// An input that the output overlaps without being the very same view. The
// emitting kernel must not be asked to keep such a kernel's timing.
bool OverlapsItsInput(const Graph& graph, NodeId producer, const View& output) {
  const auto accesses = graph.accesses(producer);
  return std::any_of(accesses.begin(), accesses.end(), [&](const Access& a) {
    return a.reads() && a.view != output && MayOverlap(a.view, output);
  });
}

// The kernel must keep the producer's word about waiting, or the programmatic
// edges into it would order nothing any more.
bool HasEmittingKernel(const Graph& graph, NodeId producer) {
  const Node& node = graph.node(producer);
  return node.emitting != Node::kNoIndex &&
         (graph.emitting_kernel(producer).waits || !node.waits);
}

// Emitting kernels write an image of as many rows as the source has, each
// padded to whole groups of 512 values.
bool CanonicalImage(const Graph& graph, NodeId quantizer) {
  constexpr std::int64_t kRowValues = 512;
  constexpr std::int64_t kBlockValues = 32;
  const View& source =
      graph.FindAccess(quantizer, Role::kSource, AccessMode::kRead)->view;
  const View& image =
      graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite)->view;
  const std::int64_t groups = (source.extents[0] + kRowValues - 1) / kRowValues;
  const std::int64_t row_blocks = groups * (kRowValues / kBlockValues);
  const std::int64_t blocks = image.bytes() / ElementBytes(image.type);
  return blocks == row_blocks * (source.bytes() / ElementBytes(source.type)) /
                       source.extents[0];
}

}  // namespace

std::optional<Decline> RefuseEmission(
    const Graph& graph, const Order& order, const Activation& activation,
    const ImageUses& uses, EventBranches event_branches,
    const absl::flat_hash_set<NodeId>& claimed) {
  const NodeId quantizer = activation.quantizers.front();
  const Contents& contents = activation.contents;
  const auto refuse = [&](DeclineReason reason, NodeId evidence) {
    return Decline{reason, quantizer, evidence};
  };
  if (!contents.latest.valid()) return refuse(DeclineReason::kNoProducer, {});
  if (!contents.writer.valid()) {
    return refuse(DeclineReason::kSeveralWriters, contents.latest);
  }
  const NodeId producer = contents.writer;
  if (!IsProducer(graph.node(producer).op)) {
    return refuse(DeclineReason::kNotAProducer, producer);
  }
  if (!HasEmittingKernel(graph, producer)) {
    return refuse(DeclineReason::kNoEmittingKernel, producer);
  }
  if (graph.emitting_kernel(producer).refuted) {
    return refuse(DeclineReason::kProbeMismatch, producer);
  }
  if (claimed.contains(producer)) {
    return refuse(DeclineReason::kProducerClaimed, producer);
  }
  const Access* output =
      graph.FindAccess(producer, Role::kOutput, AccessMode::kWrite);
  if (output == nullptr || !output->exact ||
      output->view != activation.source || !output->view.dense()) {
    return refuse(DeclineReason::kNotCanonicalOutput, producer);
  }
  if (!CanonicalImage(graph, quantizer)) {
    return refuse(DeclineReason::kNotCanonicalImage, producer);
  }
  if (OverlapsItsInput(graph, producer, output->view)) {
    return refuse(DeclineReason::kPartialOverlap, producer);
  }
  if (event_branches == EventBranches::kOriginal) {
    const NodeId behind = BehindEvent(graph, order, producer, activation, uses);
    if (behind.valid()) return refuse(DeclineReason::kEventBranch, behind);
  }
  return std::nullopt;
}

}  // namespace reprise
