// The product of weight blocks and the image blocks beside them: integer dots
// of 16 values, then the scales.
#ifndef REPRISE_KERNELS_BLOCK_DOT_H_
#define REPRISE_KERNELS_BLOCK_DOT_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/half.h"
#include "kernels/weight_values.h"

namespace reprise {

// Both sums are exact: of 16 products of two signed bytes at most.
template <typename Block>
float BlockDot(const Block& weights, int first, const BlockQ8_1& image) {
  constexpr int kScaled = 16;  // values that have one scale in every format
  float sum = 0;
  for (int at = 0; at < kImageBlockValues; at += kScaled) {
    int dot = 0;
    int quants = 0;
    for (int i = at; i < at + kScaled; ++i) {
      dot += QuantAt(weights, first + i) * image.quants[i];
      quants += image.quants[i];
    }
    sum += ScaleAt(weights, first + at) * static_cast<float>(dot) -
           MinAt(weights, first + at) * static_cast<float>(quants);
  }
  return HalfToFloat(image.scale) * sum;
}

// One row of weights times one image row, an image block at a time in order.
template <typename Block>
float RowDot(const Block* weights, const BlockQ8_1* image,
             std::int64_t columns) {
  float sum = 0;
  for (std::int64_t c = 0; c < columns; c += kImageBlockValues) {
    sum += BlockDot(weights[c / Block::kValues],
                    static_cast<int>(c % Block::kValues),
                    image[c / kImageBlockValues]);
  }
  return sum;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_BLOCK_DOT_H_
