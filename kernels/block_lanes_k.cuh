// The k formats, and iq4_xs: 256 values with a scale for every 16 or 32.
#ifndef REPRISE_KERNELS_BLOCK_LANES_K_CUH_
#define REPRISE_KERNELS_BLOCK_LANES_K_CUH_

#include <cstdint>

#include "kernels/block_lane.cuh"
#include "kernels/byte_words.cuh"
#include "kernels/codebooks.h"
#include "kernels/weight_blocks.h"

namespace reprise {

// Four bits of each byte, from bit `shift` on.
__device__ inline WordPair NibblesAt(WordPair words, int shift) {
  return {(words.low >> shift) & Bytes(15), (words.high >> shift) & Bytes(15)};
}

// Two bits of each byte: those of a step's quarter of 128 values.
__device__ inline WordPair BitPairs(WordPair words, int quarter) {
  return {(words.low >> (2 * quarter)) & Bytes(3),
          (words.high >> (2 * quarter)) & Bytes(3)};
}

// Bit `bit` of each byte, as bit `place` of the result's bytes.
__device__ inline WordPair BitOfBytes(WordPair words, int bit, int place) {
  return {((words.low >> bit) & Bytes(1)) << place,
          ((words.high >> bit) & Bytes(1)) << place};
}

__device__ inline WordPair operator|(WordPair a, WordPair b) {
  return {a.low | b.low, a.high | b.high};
}

template <>
struct BlockLane<BlockQ2_K> : PlainLane {
  static constexpr int kScaleColumns = 16;
  static constexpr bool kHasMin = true;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int step) const {
    const std::uint8_t* half = block + 16 + step / 4 * 32 + 4 * t;
    return BitPairs({Word4(half), Word4(half + 16)}, step % 4);
  }
  __device__ FloatPair Scale(int step) const {
    const float scale = HalfAt(block + 80);
    const std::uint32_t both = Half2(block + 2 * step);
    return {scale * static_cast<float>(both & 15),
            scale * static_cast<float>((both >> 8) & 15)};
  }
  __device__ FloatPair Min(int step) const {
    const float scale = HalfAt(block + 82);
    const std::uint32_t both = Half2(block + 2 * step);
    return {scale * static_cast<float>((both >> 4) & 15),
            scale * static_cast<float>(both >> 12)};
  }
};

template <>
struct BlockLane<BlockQ3_K> : PlainLane {
  static constexpr int kScaleColumns = 16;
  static constexpr int kCenter = 4;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int step) const {
    const int low = 32 + step / 4 * 32 + 4 * t;
    const int mask = 4 * t;
    return BitPairs({Word2(block, low), Word2(block, low + 16)}, step % 4) |
           BitOfBytes({Word2(block, mask), Word2(block, mask + 16)}, step, 2);
  }
  // The four low bits of scales i and i + 8 are nibbles of byte i; the two high
  // bits of scale i lie in byte 8 + i % 4, from bit 2 * (i / 4).
  __device__ FloatPair Scale(int step) const {
    const float scale = HalfAt(block + 108);
    const std::uint32_t low = Half2(block + 96 + 2 * step % 8);
    const std::uint32_t high = Half2(block + 104 + 2 * step % 4);
    const std::uint32_t sixes = ((low >> (step / 4 * 4)) & 0x0F0F) |
                                ((high >> (step / 2 * 2)) & 0x0303) << 4;
    return {scale * static_cast<float>(static_cast<int>(sixes & 63) - 32),
            scale * static_cast<float>(static_cast<int>(sixes >> 8) - 32)};
  }
};

// The six-bit scales and mins of eight sub-blocks: those of the first four fill
// the low bits of eight bytes, whose top bits complete the others' nibbles.
struct SixBitScales {
  std::uint32_t scales;  // of four sub-blocks, a byte each
  std::uint32_t mins;

  __device__ SixBitScales(const std::uint8_t* twelve, int step) {
    const std::uint32_t first = Word4(twelve);
    const std::uint32_t second = Word4(twelve + 4);
    const std::uint32_t third = Word4(twelve + 8);
    if (step < 4) {
      scales = first & Bytes(63);
      mins = second & Bytes(63);
    } else {
      scales = (third & Bytes(15)) | ((first >> 2) & Bytes(0x30));
      mins = ((third >> 4) & Bytes(15)) | ((second >> 2) & Bytes(0x30));
    }
  }
};

// What q4_k and q5_k share: their scales and mins, and nibbles of which two
// steps have the low and the high ones of the same bytes.
struct SixBitLane : PlainLane {
  static constexpr bool kHasMin = true;
  const std::uint8_t* block;
  int t;

  __device__ WordPair NibblesFrom(int offset, int step) const {
    const std::uint8_t* pair = block + offset + step / 2 * 32 + 4 * t;
    return NibblesAt({Word4(pair), Word4(pair + 16)}, step % 2 * 4);
  }
  __device__ float Scale(int step) const {
    return HalfAt(block) * static_cast<float>(ByteOf(
                               SixBitScales(block + 4, step).scales, step % 4));
  }
  __device__ float Min(int step) const {
    return HalfAt(block + 2) *
           static_cast<float>(
               ByteOf(SixBitScales(block + 4, step).mins, step % 4));
  }
};

template <>
struct BlockLane<BlockQ4_K> : SixBitLane {
  __device__ WordPair Words(int step) const { return NibblesFrom(16, step); }
};

template <>
struct BlockLane<BlockQ5_K> : SixBitLane {
  __device__ WordPair Words(int step) const {
    const std::uint8_t* fifth = block + 16 + 4 * t;
    const WordPair nibbles = NibblesFrom(48, step);
    return nibbles | BitOfBytes({Word4(fifth), Word4(fifth + 16)}, step, 4);
  }
};

template <>
struct BlockLane<BlockQ6_K> : PlainLane {
  static constexpr int kScaleColumns = 16;
  static constexpr int kCenter = 32;
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int step) const {
    const int half = step / 4;
    const int quarter = step % 4;
    const int low = 64 * half + quarter % 2 * 32 + 4 * t;
    const int high = 128 + 32 * half + 4 * t;
    const int shift = quarter / 2 * 4;
    const WordPair nibbles =
        NibblesAt({Word2(block, low), Word2(block, low + 16)}, shift);
    const WordPair pairs =
        BitPairs({Word2(block, high), Word2(block, high + 16)}, quarter);
    return nibbles | WordPair{pairs.low << 4, pairs.high << 4};
  }
  __device__ FloatPair Scale(int step) const {
    const float scale = HalfAt(block + 208);
    const std::uint32_t both = Half2(block + 192 + 2 * step);
    return {scale * static_cast<float>(static_cast<std::int8_t>(both & 0xFF)),
            scale * static_cast<float>(static_cast<std::int8_t>(both >> 8))};
  }
};

template <>
struct BlockLane<BlockIq4Xs> : PlainLane {
  const std::uint8_t* block;
  int t;

  __device__ WordPair Words(int step) const {
    constexpr NibbleTable kTable = TableOf(kIq4NlValues);
    return kTable(Word4(block + 8 + 16 * step + 4 * t));
  }
  // Four low bits in nibble `step` of the word at 4, two high ones in the
  // half word at 2.
  __device__ float Scale(int step) const {
    const std::uint32_t low = Word4(block + 4) >> (4 * step);
    const std::uint32_t high = Half2(block + 2) >> (2 * step);
    const std::uint32_t six = (low & 15) | (high & 3) << 4;
    return HalfAt(block) * static_cast<float>(static_cast<int>(six) - 32);
  }
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_BLOCK_LANES_K_CUH_
