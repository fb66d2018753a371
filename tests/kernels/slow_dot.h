// A row of weights times a row of an image in double precision, from the
// dequantized weights, and how far a float sum of the same may lie from it.
#ifndef REPRISE_TESTS_KERNELS_SLOW_DOT_H_
#define REPRISE_TESTS_KERNELS_SLOW_DOT_H_

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/block_q8_1.h"
#include "kernels/dequantize.h"
#include "tests/kernels/slow_half.h"

namespace reprise {

struct SlowDot {
  double value = 0;
  double bound = 0;
};

// How large a weight's terms are before they cancel.
inline double Reach(const BlockQ4_0& block, int value) {
  return std::fabs(SlowHalfValue(block.scale)) * (QuantAt(block, value) + 8);
}
inline double Reach(const BlockQ8_0& block, int value) {
  return std::fabs(SlowHalfValue(block.scale) * QuantAt(block, value));
}
inline double Reach(const BlockQ4_K& block, int value) {
  const int sub = value / 32;
  return std::fabs(SlowHalfValue(block.scale) * SubScale(block, sub) *
                   QuantAt(block, value)) +
         std::fabs(SlowHalfValue(block.min_scale) * SubMin(block, sub));
}

// The q4_0 dot takes its offset out through the image's own sum, which is not
// scale times the quants, so that difference belongs to the exact result.
//
// Bound: a row needs columns / 32 float additions and a few roundings a block,
// each off by at most 2^-24 of all terms before they cancel, whatever the order
// of additions.
template <typename Block>
SlowDot DotOfRow(const Block* weights, const BlockQ8_1* image,
                 std::int64_t columns) {
  std::vector<float> row(static_cast<std::size_t>(columns));
  DequantizeRow(weights, columns, row.data());
  SlowDot dot;
  double reach = 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    const BlockQ8_1& block = image[c / 32];
    const Block& weight = weights[c / Block::kValues];
    const double a = SlowHalfValue(block.scale) * block.quants[c % 32];
    dot.value += a * static_cast<double>(row[static_cast<std::size_t>(c)]);
    reach += std::fabs(a) * Reach(weight, static_cast<int>(c % Block::kValues));
    if constexpr (std::same_as<Block, BlockQ4_0>) {
      // The sum counts once a block, so a 32nd of it at each value.
      const double part = a - SlowHalfValue(block.sum) / 32;
      dot.value += 8 * SlowHalfValue(weight.scale) * part;
    }
  }
  dot.bound = reach * (static_cast<double>(columns) / 32 + 8) * 0x1p-24;
  return dot;
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_SLOW_DOT_H_
