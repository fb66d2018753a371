// Gives a captured graph its meaning: every kernel that a pack recognises gets
// its op, its effects and what a rewrite needs; copies and fills get their
// effects from the node itself; all else stays opaque.
#ifndef REPRISE_CAPTURE_ANNOTATE_H_
#define REPRISE_CAPTURE_ANNOTATE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "capture/pack.h"
#include "graph/graph.h"

namespace reprise {

struct Annotation {
  std::uint32_t recognised = 0;  // kernels with complete effects
  std::uint32_t opaque = 0;      // nodes that may touch anything
};

// An extent that depends on memory contents (a gathered row) is bounded by
// what the signature knows and by the allocation; a kernel whose extent cannot
// be bounded stays opaque. Never fails: what is not understood is opaque.
Annotation Annotate(absl::Span<const Pack> packs, Graph& graph);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_ANNOTATE_H_
