// The q8_0 image: an activation of many tokens as eight-bit values with one
// float scale for each 32, value(i) = scale * quants[i], in two layouts.
//
// q8_0_pad40    a row a token, of 40-byte blocks: [tokens][blocks].
// q8_0_pad40_t  tiles of 64 tokens, so that a matrix kernel copies what it
//               multiplies as it lies: an int8 plane [tiles][blocks][2048], and
//               right behind it a plane of scales [tiles][blocks][64]. The 2048
//               bytes are the low sixteen columns of all 64 tokens, then the
//               high ones: eight tokens of sixteen bytes are 32 banks of shared
//               memory.
//
// A row has a block for each 32 columns; columns past the last count as 0. Both
// are written whole: the tokens up to the next multiple of 64 are zeros.
#ifndef REPRISE_KERNELS_IMAGE_Q8_0_H_
#define REPRISE_KERNELS_IMAGE_Q8_0_H_

#include <cstdint>

namespace reprise {

inline constexpr int kQ8_0Values = 32;

struct alignas(8) BlockQ8_0Pad40 {
  std::int8_t quants[kQ8_0Values];
  float scale;
  std::uint32_t padding;  // zero
};
static_assert(sizeof(BlockQ8_0Pad40) == 40);

constexpr std::int64_t Q8_0Blocks(std::int64_t columns) {
  return (columns + kQ8_0Values - 1) / kQ8_0Values;
}

inline constexpr int kQ8_0TileTokens = 64;
inline constexpr int kTransposedHalfBytes = kQ8_0TileTokens * 16;
inline constexpr int kTransposedBlockBytes = 2 * kTransposedHalfBytes;
inline constexpr int kTransposedScaleBytes =
    kQ8_0TileTokens * static_cast<int>(sizeof(float));

constexpr std::int64_t Q8_0Tiles(std::int64_t tokens) {
  return (tokens + kQ8_0TileTokens - 1) / kQ8_0TileTokens;
}

// The blocks of a q8_0_pad40 image, padding included.
constexpr std::int64_t Pad40Blocks(std::int64_t columns, std::int64_t tokens) {
  return Q8_0Tiles(tokens) * kQ8_0TileTokens * Q8_0Blocks(columns);
}

// Where the parts of a transposed image lie, in bytes from its start.
struct TransposedImage {
  std::int64_t blocks;  // of a token
  std::int64_t tiles;

  constexpr TransposedImage(std::int64_t columns, std::int64_t tokens)
      : blocks(Q8_0Blocks(columns)), tiles(Q8_0Tiles(tokens)) {}

  constexpr std::int64_t bytes() const {
    return tiles * blocks * (kTransposedBlockBytes + kTransposedScaleBytes);
  }
  // Of a block's column 0; column 16 is kTransposedHalfBytes further.
  constexpr std::int64_t QuantsAt(std::int64_t token,
                                  std::int64_t block) const {
    return (token / kQ8_0TileTokens * blocks + block) * kTransposedBlockBytes +
           token % kQ8_0TileTokens * 16;
  }
  constexpr std::int64_t ScaleAt(std::int64_t token, std::int64_t block) const {
    return tiles * blocks * kTransposedBlockBytes +
           (token / kQ8_0TileTokens * blocks + block) * kTransposedScaleBytes +
           token % kQ8_0TileTokens * static_cast<std::int64_t>(sizeof(float));
  }
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_IMAGE_Q8_0_H_
