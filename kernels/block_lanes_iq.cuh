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

// Four two-bit codes of an entry: half 0 or 1 of its eight.
constexpr std::uint32_t Codes(std::uint32_t entry, int half) {
  return SpreadPairs((entry >> (8 * half)) & 0xFF);
}

// Four three-bit codes of an entry, a byte each.
constexpr std::uint32_t ThreeBitCodes(std::uint32_t entry) {
  const std::uint32_t sixes = (entry | entry << 10) & 0x003F003Fu;
  return (sixes | sixes << 5) & Bytes(7);
}

// What a code stands for (codebooks.h), four at a time.
struct Iq1Word {  // 8G + 8
  constexpr std::uint32_t operator()(std::uint32_t codes) const {
    return codes * 8;
  }
};
struct Iq2Word {  // 8, 25, 43
  constexpr std::uint32_t operator()(std::uint32_t codes) const {
    return Bytes(8) + codes * 17 + ((codes >> 1) & Bytes(1));
  }
};
struct Iq3XxsWord {  // 4 + 8c, but 62 for 7
  constexpr std::uint32_t operator()(std::uint32_t codes) const {
    const std::uint32_t sevens = codes & (codes >> 1) & (codes >> 2) & Bytes(1);
    return Bytes(4) + codes * 8 + sevens * 2;
  }
};
struct Iq3SWord {  // 1 + 2c
  constexpr std::uint32_t operator()(std::uint32_t codes) const {
    return Bytes(1) + codes * 2;
  }
};

// A grid as the lanes read it, made by the compiler: two words an entry of
// eight values, or one an entry of four.
template <int kWords>
struct alignas(16) Grid {
  std::uint32_t words[kWords];
};
template <int kEntries, typename Word>
constexpr Grid<2 * kEntries> OfEight(const std::uint16_t (&entries)[kEntries],
                                     Word word) {
  Grid<2 * kEntries> grid{};
  for (int i = 0; i < 2 * kEntries; ++i) {
    grid.words[i] = word(Codes(entries[i / 2], i % 2));
  }
  return grid;
}
template <int kEntries, typename Word>
constexpr Grid<kEntries> OfFour(const std::uint16_t (&entries)[kEntries],
                                Word word) {
  Grid<kEntries> grid{};
  for (int i = 0; i < kEntries; ++i) {
    grid.words[i] = word(ThreeBitCodes(entries[i]));
  }
  return grid;
}

namespace device_grids {
static __device__ const auto kIq1 = OfEight(kIq1Grid, Iq1Word());
static __device__ const auto kIq2Xxs = OfEight(kIq2XxsGrid, Iq2Word());
static __device__ const auto kIq2Xs = OfEight(kIq2XsGrid, Iq2Word());
static __device__ const auto kIq2S = OfEight(kIq2SGrid, Iq2Word());
static __device__ const auto kIq3Xxs = OfFour(kIq3XxsGrid, Iq3XxsWord());
static __device__ const auto kIq3S = OfFour(kIq3SGrid, Iq3SWord());
}  // namespace device_grids

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
  __device__ static const auto& GridOf() { return device_grids::kIq2Xxs; }
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

  __device__ static const auto& GridOf() { return device_grids::kIq2Xs; }
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

  __device__ static const auto& GridOf() { return device_grids::kIq2S; }
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
  __device__ static const auto& GridOf() { return device_grids::kIq3Xxs; }
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
  __device__ static const auto& GridOf() { return device_grids::kIq3S; }
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

  __device__ static const auto& GridOf() { return device_grids::kIq1; }
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
