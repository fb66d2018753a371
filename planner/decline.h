// An opportunity that the planner did not take, with its reason and the node
// that is the evidence. Every rule that refuses has a reason of its own.
#ifndef REPRISE_PLANNER_DECLINE_H_
#define REPRISE_PLANNER_DECLINE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "graph/graph.h"

namespace reprise {

enum class DeclineReason : std::uint8_t {
  // About what a quantizer, or another pure kernel, reads.
  kUnsupportedSource,  // not f32 rows of whole blocks with contiguous columns
  kUnorderedWrite,     // evidence writes it in no order with the node
  kOpaqueNode,         // evidence may write it, in no order or between
  kOverlappingWrite,   // evidence rewrote part of it since

  // About the repeat of a pure kernel that is no quantizer.
  kRepeatOfPart,       // it writes some of its output, who knows which
  kRepeatOverwritten,  // evidence may have written to its output in between
  kRepeatElsewhere,    // it writes to another place than evidence

  // About moving an image to the arena.
  kImageIsOutput,        // the pack does not call the image scratch
  kUnknownReader,        // evidence reads the image and cannot be patched, or
                         // takes it for one in another layout
  kOpaqueReader,         // evidence may read the image
  kImageOutlivesReplay,  // evidence may read it in the next replay

  // About placing one quantizer for several branches.
  kPlacementDisabled,  // one quantizer would have to move before the fork

  // About emission.
  kNoProducer,          // the source comes from outside the graph
  kSeveralWriters,      // evidence wrote part of the source, or may have
  kNotAProducer,        // evidence, which wrote the source, is no norm or GLU
  kRoutedImage,         // numbers in memory pick the rows of the image
  kNoEmittingKernel,    // evidence's pack has no emitting kernel for an image
                        // of that layout
  kProbeMismatch,       // that kernel was tried on the device and did not leave
                        // the bytes of evidence and the quantizer
  kProducerClaimed,     // evidence already emits another image, or the caller
                        // keeps it for a fusion of higher priority
  kEventBranch,         // evidence hangs on an event after the producer
  kPartialOverlap,      // evidence's output overlaps what it reads
  kNotCanonicalImage,   // the image's rows are not padded as emitting kernels
                        // pad them
  kNotCanonicalOutput,  // the source is not the whole packed output of evidence

  // About the floats that an emitting producer still stores.
  kNoDroppingKernel,   // the pack does not say how to leave them out
  kStoreOpaqueReader,  // evidence may read them
  kStoreIsRead,        // evidence reads some of them
  kStoreIsOutput,      // nobody overwrites them, and the outside may read them
  kStoreOutlivesReplay,  // evidence reads some of them in the next replay
};

// "overlapping_write": what reports and the JSON use.
absl::string_view NameOf(DeclineReason reason);

struct Decline {
  DeclineReason reason;
  NodeId node;      // the one that stays
  NodeId evidence;  // invalid where the reason needs none

  friend bool operator==(const Decline&, const Decline&) = default;
};

// One sentence for people.
std::string Explain(const Graph& graph, const Decline& decline);

}  // namespace reprise

#endif  // REPRISE_PLANNER_DECLINE_H_
