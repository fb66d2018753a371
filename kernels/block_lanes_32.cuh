// The formats whose blocks have one scale for all their values, and nvfp4.
#ifndef REPRISE_KERNELS_BLOCK_LANES_32_CUH_
#define REPRISE_KERNELS_BLOCK_LANES_32_CUH_

#include <cstdint>

#include "kernels/block_lane.cuh"
#include "kernels/byte_words.cuh"
#include "kernels/codebooks.h"
#include "kernels/weight_blocks.h"

namespace reprise {

// A fifth bit for each of a lane's nibbles: bits 4t.. and 16+4t.. of `fifths`.
__device__ inline WordPair WithFifthBits(WordPair nibbles, std::uint32_t fifths,
                                         int t) {
  const std::uint32_t mine = fifths >> (4 * t);
  return {nibbles.low | SpreadBits(mine & 15) << 4,
          nibbles.high | SpreadBits((mine >> 16) & 15) << 4};
}

// A bit a value, for -1 and 1: twice the bit, less one.
template <>
struct BlockLane<BlockQ1_0> : PlainLane {
  static constexpr int kCenter = 1;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int step) const {
    const std::uint32_t bits = Word2(block, 2 + 4 * step) >> (4 * t);
    return {SpreadBits(bits & 15) * 2, SpreadBits((bits >> 16) & 15) * 2};
  }
  __device__ float Scale(int) const { return HalfAt(block); }
};

template <>
struct BlockLane<BlockQ2_0> : PlainLane {
  static constexpr int kCenter = 1;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int step) const {
    const std::uint8_t* pairs = block + 2 + 8 * step + t;
    return {SpreadPairs(pairs[0]), SpreadPairs(pairs[4])};
  }
  __device__ float Scale(int) const { return HalfAt(block); }
};

template <>
struct BlockLane<BlockQ4_0> : PlainLane {
  static constexpr int kCenter = 8;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int) const {
    return Nibbles(Word2(block, 2 + 4 * t));
  }
  __device__ float Scale(int) const { return HalfAt(block); }
};

template <>
struct BlockLane<BlockQ4_1> : PlainLane {
  static constexpr bool kHasMin = true;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int) const {
    return Nibbles(Word4(block + 4 + 4 * t));
  }
  __device__ float Scale(int) const { return HalfAt(block); }
  __device__ float Min(int) const { return -HalfAt(block + 2); }
};

template <>
struct BlockLane<BlockQ5_0> : PlainLane {
  static constexpr int kCenter = 16;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int) const {
    return WithFifthBits(Nibbles(Word2(block, 6 + 4 * t)), Word2(block, 2), t);
  }
  __device__ float Scale(int) const { return HalfAt(block); }
};

template <>
struct BlockLane<BlockQ5_1> : PlainLane {
  static constexpr bool kHasMin = true;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int) const {
    return WithFifthBits(Nibbles(Word4(block + 8 + 4 * t)), Word4(block + 4),
                         t);
  }
  __device__ float Scale(int) const { return HalfAt(block); }
  __device__ float Min(int) const { return -HalfAt(block + 2); }
};

template <>
struct BlockLane<BlockQ8_0> : PlainLane {
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int) const {
    return {Word2(block, 2 + 4 * t), Word2(block, 18 + 4 * t)};
  }
  __device__ float Scale(int) const { return HalfAt(block); }
};

template <>
struct BlockLane<BlockIq4Nl> : PlainLane {
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int) const {
    constexpr NibbleTable kTable = TableOf(kIq4NlValues);
    return kTable(Word2(block, 2 + 4 * t));
  }
  __device__ float Scale(int) const { return HalfAt(block); }
};

template <>
struct BlockLane<BlockMxfp4> : PlainLane {
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int) const {
    constexpr NibbleTable kTable = TableOf(kFp4Values);
    return kTable(Word1(block, 1 + 4 * t));
  }
  // Half of 2^(exponent - 127), because the table holds doubled values. Below 2
  // that is a subnormal of the bits written out, and 255 is no number.
  __device__ float Scale(int) const {
    const std::uint32_t exponent = block[0];
    if (exponent == 255) return __uint_as_float(0x7FC00000);
    return __uint_as_float(exponent >= 2 ? (exponent - 1) << 23
                                         : 0x00200000u << exponent);
  }
};

// Sixteen values a scale. Lanes 0 and 1 have the low nibbles of eight bytes,
// lanes 2 and 3 their high ones, so one lookup serves both sixteens of a step.
template <>
struct BlockLane<BlockNvfp4> : PlainLane {
  static constexpr int kScaleColumns = 16;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int step) const {
    constexpr NibbleTable kTable = TableOf(kFp4Values);
    const std::uint8_t* bytes = block + 4 + 16 * step + 4 * (t & 1);
    const int shift = t < 2 ? 0 : 4;
    const std::uint32_t low = (Word4(bytes) >> shift) & Bytes(0x0F);
    const std::uint32_t high = (Word4(bytes + 8) >> shift) & Bytes(0x0F);
    return kTable(low | high << 4);
  }
  __device__ FloatPair Scale(int step) const {
    return {HalfOfUe4m3(block[2 * step]), HalfOfUe4m3(block[2 * step + 1])};
  }

 private:
  // Four exponent bits of bias 7, three of mantissa; the sign bit is ignored.
  // Shifted into a float's place the value is 2^120 too small.
  __device__ static float HalfOfUe4m3(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x7F;
    if (magnitude == 0x7F) return 0;
    return __uint_as_float(magnitude << 20) * 0x1p119f;
  }
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_BLOCK_LANES_32_CUH_
