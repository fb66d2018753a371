#include "planner/emission.h"

#include <algorithm>
#include <cstdint>

#include "planner/pure_kernels.h"

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
// edges into it would order nothing any more. Null where there is none.
const EmittingKernel* FindKernel(const Graph& graph, NodeId producer,
                                 ImageLayout layout) {
  const EmittingKernel* kernel = graph.FindEmittingKernel(producer, layout);
  if (kernel == nullptr) return nullptr;
  return kernel->waits || !graph.node(producer).waits ? kernel : nullptr;
}

// Emitting kernels write the image of all rows of the source, padded as its
// layout says.
bool CanonicalImage(const Graph& graph, NodeId quantizer, ImageLayout layout) {
  const View& source =
      graph.FindAccess(quantizer, Role::kSource, AccessMode::kRead)->view;
  const View& image =
      graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite)->view;
  const std::int64_t columns = source.extents[0];
  const std::int64_t rows =
      source.bytes() / ElementBytes(source.type) / columns;
  return image.bytes() == ImageBytes(layout, rows, columns);
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
  if (IsRouted(graph, quantizer)) {
    return refuse(DeclineReason::kRoutedImage, producer);
  }
  const ImageLayout layout = *LayoutOf(graph.node(quantizer).op);
  const EmittingKernel* kernel = FindKernel(graph, producer, layout);
  if (kernel == nullptr) {
    return refuse(DeclineReason::kNoEmittingKernel, producer);
  }
  if (kernel->refuted) {
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
  if (!CanonicalImage(graph, quantizer, layout)) {
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
