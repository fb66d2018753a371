// A row of weights times a row of an image in double precision, from the
// dequantized weights, and how far a float sum of the same may lie from it.
#ifndef REPRISE_TESTS_KERNELS_SLOW_DOT_H_
#define REPRISE_TESTS_KERNELS_SLOW_DOT_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/block_q8_1.h"
#include "kernels/dequantize.h"
#include "kernels/weight_values.h"
#include "tests/kernels/slow_half.h"

namespace reprise {

struct SlowDot {
  double value = 0;
  double bound = 0;
};

// The weights of a row, and how large the terms of each are before they cancel.
struct SlowRow {
  std::vector<float> weights;
  std::vector<double> reaches;
};

template <typename Block>
SlowRow SlowRowOf(const Block* blocks, std::int64_t columns) {
  SlowRow row;
  row.weights.resize(static_cast<std::size_t>(columns));
  DequantizeRow(blocks, columns, row.weights.data());
  row.reaches.reserve(row.weights.size());
  for (std::int64_t c = 0; c < columns; ++c) {
    const Block& block = blocks[c / Block::kValues];
    const int value = static_cast<int>(c % Block::kValues);
    row.reaches.push_back(
        std::fabs(double{ScaleAt(block, value)} * QuantAt(block, value)) +
        std::fabs(double{MinAt(block, value)}));
  }
  return row;
}

// Bound: a rounding is off by at most 2^-24 of the terms that went into it, all
// of them at most the row's reach. A term goes through one rounding in the
// oracle's weight, four in its image block and one for each of the n image
// blocks of the row, whatever the order of additions: n + 5, and less than one
// more for the products of those errors while n is below 2^12. No term is so
// small that it underflows.
//   In its block the reference rounds scale times dot, less min times sum, the
// sum of both halves, and that times the image's scale. A kernel rounds the
// first half's scale times dot and then a fused step for each other product,
// the second half's dot and two mins: four again. It multiplies by the image's
// scale in the step that adds the block to a lane's sum, and of the additions
// after that, of lanes and of warps, n - 1 add a block that was not there;
// adding a zero is exact.
inline SlowDot DotOf(const SlowRow& row, const BlockQ8_1* image) {
  const std::size_t blocks = row.weights.size() / kImageBlockValues;
  SlowDot dot;
  double reach = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    double block_dot = 0;
    double block_reach = 0;
    for (std::size_t i = 0; i < kImageBlockValues; ++i) {
      const std::size_t c = b * kImageBlockValues + i;
      const double quant = image[b].quants[i];
      block_dot += quant * double{row.weights[c]};
      block_reach += std::fabs(quant) * row.reaches[c];
    }
    const double scale = SlowHalfValue(image[b].scale);
    dot.value += scale * block_dot;
    reach += std::fabs(scale) * block_reach;
  }
  dot.bound = reach * (static_cast<double>(blocks) + 6) * 0x1p-24;
  return dot;
}

template <typename Block>
SlowDot DotOfRow(const Block* weights, const BlockQ8_1* image,
                 std::int64_t columns) {
  return DotOf(SlowRowOf(weights, columns), image);
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_SLOW_DOT_H_
