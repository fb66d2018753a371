// The start of a pack for kernels that no pack knows: all that a capture says,
// and the word TODO for the rest. The pack reader refuses what still has a TODO
// and names its place. docs/packs.md shows how to fill one in.
#ifndef REPRISE_CAPTURE_PACK_SKELETON_H_
#define REPRISE_CAPTURE_PACK_SKELETON_H_

#include <string>

#include "absl/types/span.h"
#include "capture/unknown_kernels.h"
#include "graph/graph.h"

namespace reprise {

// One signature, an object of JSON without a newline at its end. It recognises
// this symbol and this layout only. Parameter number i is called p<i>, a
// pointer inside of it p<i>.f<offset>; each pointer has one effect.
std::string SignatureSkeleton(const Graph& graph, const UnknownKernel& kernel);

// A pack with a signature for each.
std::string PackSkeleton(const Graph& graph,
                         absl::Span<const UnknownKernel> kernels);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_PACK_SKELETON_H_
