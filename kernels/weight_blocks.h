// The blocks of the 23 weight formats: where their bits lie. What they mean is
// in weight_values.h.
//
// A row of weights is blocks one after the other. Blocks are aligned to two
// bytes at most, so a field of 32 bits is held as bytes. Bits are counted from
// the lowest, bytes are in little-endian order. The fields:
//
//   scale, min_scale  half bits, for the whole block
//   sub_scales        integers that scale 16 or 32 values each
//   nibbles, pairs    quants of four or two bits
//   fifth_bits, ...   what a quant has beyond those
//   indices           the low eight bits of an index into a grid of codebooks.h
//   signs             a bit a value
//
// kValues values of sizeof(Block) bytes.
#ifndef REPRISE_KERNELS_WEIGHT_BLOCKS_H_
#define REPRISE_KERNELS_WEIGHT_BLOCKS_H_

#include <cstdint>

namespace reprise {

// One scale for all values of a block, or for 16 of them (nvfp4).

struct BlockQ1_0 {
  static constexpr int kValues = 128;
  std::uint16_t scale;
  std::uint8_t bits[16];
};
static_assert(sizeof(BlockQ1_0) == 18);

struct BlockQ2_0 {
  static constexpr int kValues = 64;
  std::uint16_t scale;
  std::uint8_t pairs[16];
};
static_assert(sizeof(BlockQ2_0) == 18);

// Of 32 values the first half has the low nibbles, the second the high ones.
struct BlockQ4_0 {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

struct BlockQ4_1 {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint16_t offset;  // half bits
  std::uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ4_1) == 20);

struct BlockQ5_0 {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint8_t fifth_bits[4];
  std::uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ5_0) == 22);

struct BlockQ5_1 {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint16_t offset;  // half bits
  std::uint8_t fifth_bits[4];
  std::uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ5_1) == 24);

struct BlockQ8_0 {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::int8_t quants[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

struct BlockMxfp4 {
  static constexpr int kValues = 32;
  std::uint8_t exponent;  // E8M0
  std::uint8_t nibbles[16];
};
static_assert(sizeof(BlockMxfp4) == 17);

// Eight bytes of nibbles for each 16 values: low ones first, then high ones.
struct BlockNvfp4 {
  static constexpr int kValues = 64;
  std::uint8_t sub_scales[4];  // UE4M3
  std::uint8_t nibbles[32];
};
static_assert(sizeof(BlockNvfp4) == 36);

// A scale for each 16 or 32 of 256 values.

struct BlockQ2_K {
  static constexpr int kValues = 256;
  std::uint8_t sub_scales[16];  // of 16 values: low four bits scale, high min
  std::uint8_t pairs[64];
  std::uint16_t scale;
  std::uint16_t min_scale;
};
static_assert(sizeof(BlockQ2_K) == 84);

struct BlockQ3_K {
  static constexpr int kValues = 256;
  std::uint8_t third_bits[32];
  std::uint8_t pairs[64];
  std::uint8_t sub_scales[12];  // 16 of six bits
  std::uint16_t scale;
};
static_assert(sizeof(BlockQ3_K) == 110);

struct BlockQ4_K {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint16_t min_scale;
  std::uint8_t sub_scales[12];  // eight scales and eight mins of six bits
  std::uint8_t nibbles[128];
};
static_assert(sizeof(BlockQ4_K) == 144);

struct BlockQ5_K {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint16_t min_scale;
  std::uint8_t sub_scales[12];  // as q4_k
  std::uint8_t fifth_bits[32];
  std::uint8_t nibbles[128];
};
static_assert(sizeof(BlockQ5_K) == 176);

struct BlockQ6_K {
  static constexpr int kValues = 256;
  std::uint8_t nibbles[128];
  std::uint8_t high_pairs[64];
  std::int8_t sub_scales[16];
  std::uint16_t scale;
};
static_assert(sizeof(BlockQ6_K) == 210);

// Codes that stand for integers of a codebook.

struct BlockIq2Xxs {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  // For each 32 values four indices, then four signs of seven bits and a scale
  // of four.
  std::uint8_t groups[8][8];
};
static_assert(sizeof(BlockIq2Xxs) == 66);

struct BlockIq2Xs {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint16_t codes[32];     // nine bits index, seven bits signs
  std::uint8_t sub_scales[8];  // 16 of four bits
};
static_assert(sizeof(BlockIq2Xs) == 74);

struct BlockIq2S {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint8_t indices[32];
  std::uint8_t signs[32];
  std::uint8_t index_pairs[8];  // bits 8 and 9 of four indices each
  std::uint8_t sub_scales[8];   // 16 of four bits
};
static_assert(sizeof(BlockIq2S) == 82);

struct BlockIq3Xxs {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint8_t indices[64];
  // For each 32 values four signs of seven bits and a scale of four.
  std::uint8_t groups[8][4];
};
static_assert(sizeof(BlockIq3Xxs) == 98);

struct BlockIq3S {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint8_t indices[64];
  std::uint8_t ninth_bits[8];  // of eight indices each
  std::uint8_t signs[32];
  std::uint8_t sub_scales[4];  // eight of four bits
};
static_assert(sizeof(BlockIq3S) == 110);

struct BlockIq1S {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint8_t indices[32];
  // For each 32 values bits 8 to 10 of four indices, a scale of three bits, and
  // the sign of a shift.
  std::uint16_t groups[8];
};
static_assert(sizeof(BlockIq1S) == 50);

struct BlockIq1M {
  static constexpr int kValues = 256;
  std::uint8_t indices[32];
  // For each index a nibble: its bits 8 to 10, and the sign of a shift.
  std::uint8_t index_nibbles[16];
  // Four scales of three bits each, and above them a quarter of the block's
  // half scale.
  std::uint16_t sub_scales[4];
};
static_assert(sizeof(BlockIq1M) == 56);

struct BlockIq4Nl {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint8_t nibbles[16];
};
static_assert(sizeof(BlockIq4Nl) == 18);

// 16 bytes of nibbles for each 32 values, as the formats of 32 have them.
struct BlockIq4Xs {
  static constexpr int kValues = 256;
  std::uint16_t scale;
  std::uint16_t scale_pairs;      // two high bits of eight scales
  std::uint8_t scale_nibbles[4];  // their four low bits
  std::uint8_t nibbles[128];
};
static_assert(sizeof(BlockIq4Xs) == 136);

}  // namespace reprise

// _(name of the format, its block) for each.
#define REPRISE_WEIGHT_BLOCKS(_) \
  _(q1_0, BlockQ1_0)             \
  _(q2_0, BlockQ2_0)             \
  _(q4_0, BlockQ4_0)             \
  _(q4_1, BlockQ4_1)             \
  _(q5_0, BlockQ5_0)             \
  _(q5_1, BlockQ5_1)             \
  _(q8_0, BlockQ8_0)             \
  _(mxfp4, BlockMxfp4)           \
  _(nvfp4, BlockNvfp4)           \
  _(q2_k, BlockQ2_K)             \
  _(q3_k, BlockQ3_K)             \
  _(q4_k, BlockQ4_K)             \
  _(q5_k, BlockQ5_K)             \
  _(q6_k, BlockQ6_K)             \
  _(iq2_xxs, BlockIq2Xxs)        \
  _(iq2_xs, BlockIq2Xs)          \
  _(iq2_s, BlockIq2S)            \
  _(iq3_xxs, BlockIq3Xxs)        \
  _(iq3_s, BlockIq3S)            \
  _(iq1_s, BlockIq1S)            \
  _(iq1_m, BlockIq1M)            \
  _(iq4_nl, BlockIq4Nl)          \
  _(iq4_xs, BlockIq4Xs)

#endif  // REPRISE_KERNELS_WEIGHT_BLOCKS_H_
