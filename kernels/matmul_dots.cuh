// What 32 columns of sixteen rows and eight tokens come to in the matrix kernel
// for many tokens: exact integer dots by the tensor core, and their scaling as
// matmul.h has it.
//
// A Lane is a BlockLane (block_lane.cuh); places are those of IntTile.
#ifndef REPRISE_KERNELS_MATMUL_DOTS_CUH_
#define REPRISE_KERNELS_MATMUL_DOTS_CUH_

#include <cstdint>

#include "kernels/block_lane.cuh"
#include "kernels/byte_words.cuh"
#include "kernels/integer_mma.cuh"

namespace reprise {

// Dots that start from this integer are, as the bits of a float, kDotsBias +
// dot. REQUIRES: |dot| < 2^22.
inline constexpr int kBiasBits = 0x4B400000;
inline constexpr float kDotsBias = 0x1.8p23f;

__device__ inline IntTile BiasedTile() {
  return {{kBiasBits, kBiasBits, kBiasBits, kBiasBits}};
}
__device__ inline float Unbiased(int bits) {
  return __int_as_float(bits) - kDotsBias;
}

// scale * dot, rounded once, of a biased dot; `biased` is -kDotsBias * scale,
// which is exact for every format: a scale is a half times eight bits at most.
__device__ inline float ScaledDotOf(float scale, float biased, int bits) {
  return __fmaf_rn(__int_as_float(bits), scale, biased);
}

// byte - center of each byte. REQUIRES: no byte is over 127.
template <int kCenter>
__device__ inline std::uint32_t Centered(std::uint32_t word) {
  if constexpr (kCenter == 0) return word;
  // From 0x80 - center to 0xFF, so that no byte carries.
  return (word + Bytes(0x80 - kCenter)) ^ Bytes(0x80);
}

// The scales of a row's step, and what takes the bias off its scaled dots.
template <typename Lane, int kScaleColumns = Lane::kScaleColumns>
struct RowScales;

template <typename Lane>
struct RowScales<Lane, 32> {
  float scale;
  float biased;
  float min = 0;

  __device__ RowScales(const Lane& lane, int step)
      : scale(lane.Scale(step)), biased(-kDotsBias * scale) {
    if constexpr (Lane::kHasMin) min = lane.Min(step);
  }
};

template <typename Lane>
struct RowScales<Lane, 16> {
  FloatPair scale;
  FloatPair biased;

  __device__ RowScales(const Lane& lane, int step)
      : scale(lane.Scale(step)),
        biased{-kDotsBias * scale.low, -kDotsBias * scale.high} {}
};

// What a step of sixteen rows times eight tokens comes to, by IntTile's places.
// `token_sums` are of tokens 2t and 2t + 1, where the format has mins.
template <typename Lane, int kScaleColumns = Lane::kScaleColumns>
struct StepDots;

template <typename Lane>
struct StepDots<Lane, 32> {
  IntTile dots;
  float2 token_sums;

  __device__ StepDots(const WordPair (&words)[2], WordPair activations,
                      float2 sums)
      : dots(Multiply32(BiasedTile(), words[0], words[1], activations)),
        token_sums(sums) {}
  __device__ float Scaled(int place, const RowScales<Lane>& row) const {
    const float dot = ScaledDotOf(row.scale, row.biased, dots.at[place]);
    if constexpr (!Lane::kHasMin) return dot;
    return __fmaf_rn(-row.min, place % 2 == 0 ? token_sums.x : token_sums.y,
                     dot);
  }
};

template <typename Lane>
struct StepDots<Lane, 16> {
  static_assert(!Lane::kHasMin, "no such format has a kernel here");
  IntTile low;
  IntTile high;

  __device__ StepDots(const WordPair (&words)[2], WordPair activations, float2)
      : low(Multiply16(BiasedTile(), words[0].low, words[1].low,
                       activations.low)),
        high(Multiply16(BiasedTile(), words[0].high, words[1].high,
                        activations.high)) {}
  __device__ float Scaled(int place, const RowScales<Lane>& row) const {
    const float first =
        ScaledDotOf(row.scale.low, row.biased.low, low.at[place]);
    return __fmaf_rn(row.scale.high, Unbiased(high.at[place]), first);
  }
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_DOTS_CUH_
