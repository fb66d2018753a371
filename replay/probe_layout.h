// A producer, the quantizer behind it and the kernel that is to replace both,
// moved to memory of their own: what can be run without the program noticing.
//
// Whatever the producer reads and writes keeps its distances, so what overlaps
// in the program overlaps here, and addresses keep their value modulo 256. The
// image has a place of its own, since that is what a plan would give it. Around
// every stretch lie guard bytes, which no launch may touch.
#ifndef REPRISE_REPLAY_PROBE_LAYOUT_H_
#define REPRISE_REPLAY_PROBE_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace reprise {

inline constexpr std::uint64_t kProbeGuardBytes = 256;
// Addresses keep their value modulo this.
inline constexpr std::uint64_t kProbeAlignment = 256;
// A probe of more memory is not worth its while.
inline constexpr std::uint64_t kMaxProbeBytes = std::uint64_t{1} << 28;

struct ProbeLayout {
  std::uint64_t bytes = 0;  // of memory, the guards included
  KernelLaunch producer;
  KernelLaunch quantizer;
  KernelLaunch replacement;
  std::vector<View> inputs;  // floats that the producer reads
  View output;               // floats that it writes
  View image;                // that the quantizer or the replacement writes
};

// Over memory that starts at `base`, a multiple of 256.
// Errors   Unimplemented, naming the node, for what no probe can run apart: a
//          node that is not a pure function from floats to floats (and from
//          those to an image), or that is launched cooperatively or in
//          clusters; ResourceExhausted above kMaxProbeBytes.
// REQUIRES: both are kernels of the annotated graph, the producer with an
// emitting kernel for the quantizer's layout, and the quantizer reads what the
// producer writes.
absl::StatusOr<ProbeLayout> LayOutProbe(const Graph& graph, NodeId producer,
                                        NodeId quantizer, std::uint64_t base);

}  // namespace reprise

#endif  // REPRISE_REPLAY_PROBE_LAYOUT_H_
