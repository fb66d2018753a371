// What a probe feeds a norm or a GLU: floats that bring out every difference in
// arithmetic that matters to the bytes of an output or of its image.
//
// A round gives each input one kind of floats; the rounds together are all
// combinations, since a norm of what is no number is no test of its factor.
#ifndef REPRISE_REPLAY_PROBE_INPUTS_H_
#define REPRISE_REPLAY_PROBE_INPUTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "graph/view.h"

namespace reprise {

enum class ProbeFloats : std::uint8_t {
  kOrdinary,  // +-2^-6 to +-2^4
  // Blocks of 32 of one sort each: zeros, denormals, ordinary numbers and the
  // smallest of those that are no denormals but have a denormal scale.
  kSmall,
  // The same, with an infinity or a NaN in some and huge numbers in others.
  kSpecial,
  // Half-integers, and one of each 32 is +-127: times a constant they are
  // quants halfway between two, so the last bit of a division decides.
  kHalfway,
  kConstant,  // no power of two, so that products round
};
inline constexpr int kProbeKinds = 5;

// Three inputs have kinds of their own, a fourth goes with the first.
int ProbeRounds(std::size_t inputs);

// What `input` gets in that round.
ProbeFloats KindOf(int round, std::size_t input);

// Writes the view's elements, each from the seed and its place in the view
// alone. `memory` starts at address `base`.
// REQUIRES: an f32 view, which lies in the memory.
void FillFloats(const View& view, ProbeFloats kind, std::uint32_t seed,
                std::uint64_t base, absl::Span<std::uint8_t> memory);

}  // namespace reprise

#endif  // REPRISE_REPLAY_PROBE_INPUTS_H_
