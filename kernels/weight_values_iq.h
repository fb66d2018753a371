// The iq formats: codes that stand for integers G of a codebook.
//
//   iq2_xxs, iq2_xs, iq2_s   scale * (1/2 + sub) / 4 * +-G
//   iq3_xxs                  scale * (1/2 + sub) / 2 * +-G
//   iq3_s                    scale * (1 + 2 sub) * +-G
//   iq1_s, iq1_m             scale * (1 + 2 sub) * (G +- 1/8)
//   iq4_nl                   scale * G
//   iq4_xs                   scale * (sub - 32) * G
//
// iq1 to iq3 take an index for each octet of eight values, iq3 one for each
// half of it, and signs for each octet.
#ifndef REPRISE_KERNELS_WEIGHT_VALUES_IQ_H_
#define REPRISE_KERNELS_WEIGHT_VALUES_IQ_H_

#include <bit>
#include <cstdint>

#include "kernels/codebooks.h"
#include "kernels/half.h"
#include "kernels/weight_blocks.h"
#include "kernels/weight_values_base.h"

namespace reprise {

constexpr int Signed(int magnitude, int negative) {
  return negative != 0 ? -magnitude : magnitude;
}

// Eight signs in seven bits: the number of negative values is even.
constexpr int EvenSignAt(int seven, int position) {
  const auto bits = static_cast<std::uint32_t>(seven);
  return position < 7 ? BitsAt(bits, position, 1) : std::popcount(bits) % 2;
}

constexpr int Iq2Magnitude(int entry, int position) {
  constexpr int kMagnitudes[] = {8, 25, 43};
  return kMagnitudes[BitsAt(entry, position * 2, 2)];
}

inline float Iq2Scale(std::uint16_t scale, int sub) {
  return HalfToFloat(scale) * (0.5f + static_cast<float>(sub)) * 0.25f;
}

// 16 scales of four bits.
constexpr int SubNibble(const std::uint8_t* bytes, int sub) {
  return BitsAt(bytes[sub / 2], sub % 2 * 4, 4);
}

inline int QuantAt(const BlockIq2Xxs& block, int value) {
  const std::uint8_t* group = block.groups[value / 32];
  const int octet = value / 8 % 4;
  const int signs = BitsAt(WordOf(group + 4), octet * 7, 7);
  return Signed(Iq2Magnitude(kIq2XxsGrid[group[octet]], value % 8),
                EvenSignAt(signs, value % 8));
}
inline float ScaleAt(const BlockIq2Xxs& block, int value) {
  const std::uint32_t word = WordOf(block.groups[value / 32] + 4);
  return Iq2Scale(block.scale, BitsAt(word, 28, 4));
}

inline int QuantAt(const BlockIq2Xs& block, int value) {
  const int code = block.codes[value / 8];
  return Signed(Iq2Magnitude(kIq2XsGrid[BitsAt(code, 0, 9)], value % 8),
                EvenSignAt(BitsAt(code, 9, 7), value % 8));
}
inline float ScaleAt(const BlockIq2Xs& block, int value) {
  return Iq2Scale(block.scale, SubNibble(block.sub_scales, value / 16));
}

inline int QuantAt(const BlockIq2S& block, int value) {
  const int octet = value / 8;
  const int high = BitsAt(block.index_pairs[octet / 4], octet % 4 * 2, 2);
  const int index = block.indices[octet] | high << 8;
  return Signed(Iq2Magnitude(kIq2SGrid[index], value % 8),
                BitsAt(block.signs[octet], value % 8, 1));
}
inline float ScaleAt(const BlockIq2S& block, int value) {
  return Iq2Scale(block.scale, SubNibble(block.sub_scales, value / 16));
}

inline int QuantAt(const BlockIq3Xxs& block, int value) {
  const int entry = kIq3XxsGrid[block.indices[value / 4]];
  const int code = BitsAt(entry, value % 4 * 3, 3);
  const std::uint32_t word = WordOf(block.groups[value / 32]);
  const int signs = BitsAt(word, value / 8 % 4 * 7, 7);
  return Signed(code == 7 ? 62 : 4 + 8 * code, EvenSignAt(signs, value % 8));
}
inline float ScaleAt(const BlockIq3Xxs& block, int value) {
  const int sub = BitsAt(WordOf(block.groups[value / 32]), 28, 4);
  return HalfToFloat(block.scale) * (0.5f + static_cast<float>(sub)) * 0.5f;
}

inline int QuantAt(const BlockIq3S& block, int value) {
  const int quad = value / 4;
  const int ninth = BitsAt(block.ninth_bits[quad / 8], quad % 8, 1);
  const int entry = kIq3SGrid[block.indices[quad] | ninth << 8];
  return Signed(1 + 2 * BitsAt(entry, value % 4 * 3, 3),
                BitsAt(block.signs[value / 8], value % 8, 1));
}
inline float ScaleAt(const BlockIq3S& block, int value) {
  const int sub = SubNibble(block.sub_scales, value / 32);
  return HalfToFloat(block.scale) * static_cast<float>(1 + 2 * sub);
}

// 8 * (G +- 1/8), an integer; an eighth of the scale goes with it.
constexpr int Iq1Quant(int index, int position, int negative) {
  const int g = BitsAt(kIq1Grid[index], position * 2, 2) - 1;
  return 8 * g + Signed(1, negative);
}
inline float Iq1Scale(std::uint16_t scale, int sub) {
  return HalfToFloat(scale) * static_cast<float>(1 + 2 * sub) * 0.125f;
}

inline int QuantAt(const BlockIq1S& block, int value) {
  const int octet = value / 8;
  const int group = block.groups[octet / 4];
  const int high = BitsAt(group, octet % 4 * 3, 3);
  return Iq1Quant(block.indices[octet] | high << 8, value % 8,
                  BitsAt(group, 15, 1));
}
inline float ScaleAt(const BlockIq1S& block, int value) {
  return Iq1Scale(block.scale, BitsAt(block.groups[value / 32], 12, 3));
}

inline int QuantAt(const BlockIq1M& block, int value) {
  const int octet = value / 8;
  const int nibble = BitsAt(block.index_nibbles[octet / 2], octet % 2 * 4, 4);
  const int high = BitsAt(nibble, 0, 3);
  return Iq1Quant(block.indices[octet] | high << 8, value % 8,
                  BitsAt(nibble, 3, 1));
}
inline float ScaleAt(const BlockIq1M& block, int value) {
  int scale = 0;
  for (int i = 0; i < 4; ++i) {
    scale |= BitsAt(block.sub_scales[i], 12, 4) << (4 * i);
  }
  const int sub = value / 16;
  return Iq1Scale(static_cast<std::uint16_t>(scale),
                  BitsAt(block.sub_scales[sub / 4], sub % 4 * 3, 3));
}

inline int QuantAt(const BlockIq4Nl& block, int value) {
  return kIq4NlValues[NibbleAt(block.nibbles, value)];
}

inline int QuantAt(const BlockIq4Xs& block, int value) {
  const std::uint8_t* group = block.nibbles + value / 32 * 16;
  return kIq4NlValues[NibbleAt(group, value % 32)];
}
inline float ScaleAt(const BlockIq4Xs& block, int value) {
  const int sub = value / 32;
  const int low = BitsAt(block.scale_nibbles[sub / 2], sub % 2 * 4, 4);
  const int high = BitsAt(block.scale_pairs, sub * 2, 2);
  return HalfToFloat(block.scale) * static_cast<float>((low | high << 4) - 32);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_WEIGHT_VALUES_IQ_H_
