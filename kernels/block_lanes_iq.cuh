// The iq formats: 256 values as indices into a grid of neighbouring values.
//
// A step of 32 columns has four octets of eight values. Lane t has four values
// of octet t / 2 in its low word and four of octet 2 + t / 2 in its high word:
// the first four where t is even, the others where it is odd.
#ifndef REPRISE_KERNELS_BLOCK_LANES_IQ_CUH_
#define REPRISE_KERNELS_BLOCK_LANES_IQ_CUH_

#include <cstdint>

#include "kernels/block_lane.cuh"
#include "kernels/byte_words.cuh"
#include "kernels/codebooks.h"
#include "kernels/weight_blocks.h"

namespace reprise {

// The grids of codebooks.h where the device can read them.
namespace device_grids {
template <typename T, int kCount>
struct Copy {
  T at[kCount];
  constexpr explicit Copy(const T (&values)[kCount]) : at{} {
    for (int i = 0; i < kCount; ++i) at[i] = values[i];
  }
};
static __device__ const Copy kIq2Xxs(kIq2XxsGrid);
static __device__ const Copy kIq2Xs(kIq2XsGrid);
static __device__ const Copy kIq2S(kIq2SGrid);
static __device__ const Copy kIq3Xxs(kIq3XxsGrid);
static __device__ const Copy kIq3S(kIq3SGrid);
static __device__ const Copy kIq1(kIq1Grid);
}  // namespace device_grids

// Four two-bit codes of an entry: half 0 or 1 of its eight.
__device__ inline std::uint32_t Codes(std::uint32_t entry, int half) {
  return SpreadPairs((entry >> (8 * half)) & 0xFF);
}

// 0, 1, 2 to 8, 25, 43.
__device__ inline std::uint32_t Iq2Magnitudes(std::uint32_t codes) {
  return Bytes(8) + codes * 17 + ((codes >> 1) & Bytes(1));
}

// Four three-bit codes of an entry, a byte each.
__device__ inline std::uint32_t ThreeBitCodes(std::uint32_t entry) {
  const std::uint32_t sixes = (entry | entry << 10) & 0x003F003Fu;
  return (sixes | sixes << 5) & Bytes(7);
}

// Seven sign bits and the eighth that makes their number even.
__device__ inline std::uint32_t EvenSigns(std::uint32_t seven) {
  return seven | (static_cast<std::uint32_t>(__popc(seven)) & 1) << 7;
}

// What iq2 lanes share: octets as an index and eight sign bits.
template <int kEntries>
struct Iq2Lane : PlainLane {
  static constexpr int kGridWords = 2 * kEntries;
  const std::uint8_t* block;
  int t;
  const std::uint32_t* grid;

  __device__ std::uint32_t Signed(std::uint32_t index,
                                  std::uint32_t signs) const {
    const int half = t & 1;
    return NegateBytes(grid[2 * index + half], (signs >> (4 * half)) & 15);
  }
  // Half of a nibble and a half: (0.5 + nibble) / 4.
  __device__ static float Eighths(float scale, std::uint32_t nibble) {
    return scale * (0.5f + static_cast<float>(nibble)) * 0.25f;
  }
};

template <>
struct BlockLane<BlockIq2Xxs> : Iq2Lane<256> {
  __device__ static std::uint32_t GridWord(int i) {
    return Iq2Magnitudes(Codes(device_grids::kIq2Xxs.at[i / 2], i % 2));
  }
  __device__ WordPair Words(int step) const {
    const std::uint8_t* group = block + 2 + 8 * step;
    const std::uint32_t packed = Word2(block, 6 + 8 * step) >> (7 * (t / 2));
    return {Signed(group[t / 2], EvenSigns(packed & 127)),
            Signed(group[2 + t / 2], EvenSigns((packed >> 14) & 127))};
  }
  __device__ float Scale(int step) const {
    return Eighths(HalfAt(block), block[2 + 8 * step + 7] >> 4);
  }
};

template <>
struct BlockLane<BlockIq2Xs> : Iq2Lane<512> {
  static constexpr int kScaleColumns = 16;

  __device__ static std::uint32_t GridWord(int i) {
    return Iq2Magnitudes(Codes(device_grids::kIq2Xs.at[i / 2], i % 2));
  }
  __device__ WordPair Words(int step) const {
    const std::uint8_t* octet = block + 2 + 8 * step + t / 2 * 2;
    return {Octet(Half2(octet)), Octet(Half2(octet + 4))};
  }
  __device__ FloatPair Scale(int step) const {
    const float scale = HalfAt(block);
    const std::uint32_t both = block[66 + step];
    return {Eighths(scale, both & 15), Eighths(scale, both >> 4)};
  }

 private:
  __device__ std::uint32_t Octet(std::uint32_t packed) const {
    return Signed(packed & 511, EvenSigns(packed >> 9));
  }
};

template <>
struct BlockLane<BlockIq2S> : Iq2Lane<1024> {
  static constexpr int kScaleColumns = 16;

  __device__ static std::uint32_t GridWord(int i) {
    return Iq2Magnitudes(Codes(device_grids::kIq2S.at[i / 2], i % 2));
  }
  __device__ WordPair Words(int step) const {
    return {Octet(step, t / 2), Octet(step, 2 + t / 2)};
  }
  __device__ FloatPair Scale(int step) const {
    const float scale = HalfAt(block);
    const std::uint32_t both = block[74 + step];
    return {Eighths(scale, both & 15), Eighths(scale, both >> 4)};
  }

 private:
  __device__ std::uint32_t Octet(int step, int octet) const {
    const std::uint32_t high = block[66 + step] >> (2 * octet);
    const std::uint32_t index = block[2 + 4 * step + octet] | (high & 3) << 8;
    return Signed(index, block[34 + 4 * step + octet]);
  }
};

// What iq3 lanes share: an index is four values, just a lane's word.
template <int kEntries>
struct Iq3Lane : PlainLane {
  static constexpr int kGridWords = kEntries;
  const std::uint8_t* block;
  int t;
  const std::uint32_t* grid;

  __device__ std::uint32_t Signed(std::uint32_t index,
                                  std::uint32_t signs) const {
    return NegateBytes(grid[index], (signs >> (4 * (t & 1))) & 15);
  }
};

template <>
struct BlockLane<BlockIq3Xxs> : Iq3Lane<256> {
  // c to 4 + 8c, but 7 to 62.
  __device__ static std::uint32_t GridWord(int i) {
    const std::uint32_t codes = ThreeBitCodes(device_grids::kIq3Xxs.at[i]);
    const std::uint32_t sevens = codes & (codes >> 1) & (codes >> 2) & Bytes(1);
    return Bytes(4) + codes * 8 + sevens * 2;
  }
  __device__ WordPair Words(int step) const {
    const std::uint8_t* indices = block + 2 + 8 * step + t;
    const std::uint32_t packed = Word2(block, 66 + 4 * step) >> (7 * (t / 2));
    return {Signed(indices[0], EvenSigns(packed & 127)),
            Signed(indices[4], EvenSigns((packed >> 14) & 127))};
  }
  __device__ float Scale(int step) const {
    const std::uint32_t nibble = block[66 + 4 * step + 3] >> 4;
    return HalfAt(block) * (0.5f + static_cast<float>(nibble)) * 0.5f;
  }
};

template <>
struct BlockLane<BlockIq3S> : Iq3Lane<512> {
  // c to 1 + 2c.
  __device__ static std::uint32_t GridWord(int i) {
    return Bytes(1) + ThreeBitCodes(device_grids::kIq3S.at[i]) * 2;
  }
  __device__ WordPair Words(int step) const {
    return {Quad(step, t), Quad(step, 4 + t)};
  }
  __device__ float Scale(int step) const {
    const std::uint32_t nibble = block[106 + step / 2] >> (step % 2 * 4) & 15;
    return HalfAt(block) * static_cast<float>(1 + 2 * nibble);
  }

 private:
  __device__ std::uint32_t Quad(int step, int quad) const {
    const std::uint32_t ninth = (block[66 + step] >> quad) & 1;
    const std::uint32_t index = block[2 + 8 * step + quad] | ninth << 8;
    return Signed(index, block[74 + 4 * step + quad / 2]);
  }
};

// What iq1 lanes share. A value is G + delta with G of -1, 0, 1 and delta of
// -1/8 or 1/8, so eight times it is an integer: 8G + 8, which the grid holds,
// and 2 more for a positive delta, less 9.
struct Iq1Lane : PlainLane {
  static constexpr int kGridWords = 2 * 2048;
  static constexpr int kCenter = 9;
  const std::uint8_t* block;
  int t;
  const std::uint32_t* grid;

  __device__ static std::uint32_t GridWord(int i) {
    return Codes(device_grids::kIq1.at[i / 2], i % 2) * 8;
  }
  __device__ std::uint32_t Shifted(std::uint32_t index, bool negative) const {
    return grid[2 * index + (t & 1)] + (negative ? 0 : Bytes(2));
  }
};

template <>
struct BlockLane<BlockIq1S> : Iq1Lane {
  __device__ WordPair Words(int step) const {
    const std::uint32_t high = Half2(block + 34 + 2 * step);
    return {Octet(step, t / 2, high), Octet(step, 2 + t / 2, high)};
  }
  __device__ float Scale(int step) const {
    const std::uint32_t three = block[34 + 2 * step + 1] >> 4 & 7;
    return HalfAt(block) * static_cast<float>(2 * three + 1) * 0.125f;
  }

 private:
  __device__ std::uint32_t Octet(int step, int octet,
                                 std::uint32_t high) const {
    const std::uint32_t index =
        block[2 + 4 * step + octet] | ((high >> (3 * octet)) & 7) << 8;
    return Shifted(index, (high & 0x8000) != 0);
  }
};

template <>
struct BlockLane<BlockIq1M> : Iq1Lane {
  static constexpr int kScaleColumns = 16;

  __device__ WordPair Words(int step) const {
    return {Octet(step, t / 2), Octet(step, 2 + t / 2)};
  }
  // The half scale is spread over the top nibbles of four half words, whose
  // lower twelve bits are four three-bit scales each.
  __device__ FloatPair Scale(int step) const {
    const std::uint32_t first = Word4(block + 48);
    const std::uint32_t second = Word4(block + 52);
    const std::uint32_t bits =
        ((first >> 12) & 0x000F) | ((first >> 24) & 0x00F0) |
        ((second >> 4) & 0x0F00) | ((second >> 16) & 0xF000);
    const float scale = HalfBits(bits) * 0.125f;
    const std::uint32_t threes =
        Half2(block + 48 + step / 2 * 2) >> (step % 2 * 6);
    return {scale * static_cast<float>(2 * (threes & 7) + 1),
            scale * static_cast<float>(2 * ((threes >> 3) & 7) + 1)};
  }

 private:
  __device__ std::uint32_t Octet(int step, int octet) const {
    const std::uint32_t high =
        block[32 + 2 * step + octet / 2] >> (octet % 2 * 4);
    return Shifted(block[4 * step + octet] | (high & 7) << 8, (high & 8) != 0);
  }
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_BLOCK_LANES_IQ_CUH_
