// Weight blocks of the three formats that the matrix kernels read, and where
// each value lies in them.
//
// q4_0   32 values, 18 bytes    (q - 8) * scale
// q8_0   32 values, 34 bytes    q * scale
// q4_k  256 values, 144 bytes   scale * SubScale * q - min_scale * SubMin, with
//                               a six-bit scale and min for each 32 values
// Scales are half bits. QuantAt gives q as stored, without an offset.
#ifndef REPRISE_KERNELS_WEIGHT_BLOCKS_H_
#define REPRISE_KERNELS_WEIGHT_BLOCKS_H_

#include <cstdint>

namespace reprise {

struct BlockQ4_0 {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

struct BlockQ8_0 {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::int8_t quants[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

struct BlockQ4_K {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint16_t min_scale;
  std::uint8_t sixes[12];
  std::uint8_t nibbles[128];
};
static_assert(sizeof(BlockQ4_K) == 144);

// The first half of the values has the low nibbles, the second the high ones.
constexpr int QuantAt(const BlockQ4_0& block, int value) {
  const int byte = block.nibbles[value % 16];
  return value < 16 ? byte & 15 : byte >> 4;
}

constexpr int QuantAt(const BlockQ8_0& block, int value) {
  return block.quants[value];
}

// Two neighbouring sub-blocks of 32 share 32 bytes: low nibbles, high nibbles.
constexpr int QuantAt(const BlockQ4_K& block, int value) {
  const int byte = block.nibbles[value / 64 * 32 + value % 32];
  return value / 32 % 2 == 0 ? byte & 15 : byte >> 4;
}

// Sub-blocks 0..3 keep their six bits together; those of 4..7 have their low
// four in the last four bytes and borrow the top two of an earlier byte.
constexpr int SubScale(const BlockQ4_K& block, int sub) {
  if (sub < 4) return block.sixes[sub] & 63;
  return (block.sixes[sub + 4] & 15) | ((block.sixes[sub - 4] >> 6) << 4);
}

constexpr int SubMin(const BlockQ4_K& block, int sub) {
  if (sub < 4) return block.sixes[sub + 4] & 63;
  return (block.sixes[sub + 4] >> 4) | ((block.sixes[sub] >> 6) << 4);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_WEIGHT_BLOCKS_H_
