// The kernels of a captured graph that no pack recognises: what somebody who
// writes a pack has to write a signature for.
#ifndef REPRISE_CAPTURE_UNKNOWN_KERNELS_H_
#define REPRISE_CAPTURE_UNKNOWN_KERNELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "capture/pack.h"
#include "graph/graph.h"

namespace reprise {

// A signature that has the symbol and other parameters, as that of another
// version of the engine.
struct OtherLayout {
  std::string pack;
  std::string signature;
  std::vector<Parameter> parameters;

  friend bool operator==(const OtherLayout&, const OtherLayout&) = default;
};

// All nodes with one symbol and one parameter layout.
struct UnknownKernel {
  std::vector<NodeId> nodes;  // in capture order, never empty
  // Offsets in the parameter buffer, rising: 8 bytes that are a parameter or
  // lie in one, and that point into an allocation in one of the nodes.
  std::vector<std::uint32_t> pointers;
  std::vector<OtherLayout> other_layouts;  // in the order of the packs
};

// The 8 bytes at that offset as an address; 0 where there are none.
std::uint64_t PointerAt(const KernelLaunch& launch, std::uint32_t offset);

// In the order of their first nodes.
std::vector<UnknownKernel> FindUnknownKernels(absl::Span<const Pack> packs,
                                              const Graph& graph);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_UNKNOWN_KERNELS_H_
