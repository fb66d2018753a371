// The product of one weight block and the image blocks beside it: integer dots
// of 32 values, then the scales. One float a weight block.
//
// q4_0 takes its offset of 8 out through the image's sum of the floats; q4_k
// multiplies its mins with the integer sum of the image's own quants.
#ifndef REPRISE_KERNELS_BLOCK_DOT_H_
#define REPRISE_KERNELS_BLOCK_DOT_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/half.h"
#include "kernels/weight_blocks.h"

namespace reprise {

// `first` is where in the weight block the image block starts.
template <typename Block>
int IntegerDot(const Block& weights, int first, const BlockQ8_1& image) {
  int dot = 0;
  for (int i = 0; i < kImageBlockValues; ++i) {
    dot += QuantAt(weights, first + i) * image.quants[i];
  }
  return dot;
}

inline int IntegerSum(const BlockQ8_1& image) {
  int sum = 0;
  for (int quant : image.quants) sum += quant;
  return sum;
}

inline float BlockDot(const BlockQ4_0& weights, const BlockQ8_1* image) {
  const float dot = static_cast<float>(IntegerDot(weights, 0, *image));
  return HalfToFloat(weights.scale) *
         (dot * HalfToFloat(image->scale) - 8.0f * HalfToFloat(image->sum));
}

inline float BlockDot(const BlockQ8_0& weights, const BlockQ8_1* image) {
  const float dot = static_cast<float>(IntegerDot(weights, 0, *image));
  return HalfToFloat(weights.scale) * HalfToFloat(image->scale) * dot;
}

inline float BlockDot(const BlockQ4_K& weights, const BlockQ8_1* image) {
  float dots = 0;
  float mins = 0;
  for (int sub = 0; sub < BlockQ4_K::kValues / kImageBlockValues; ++sub) {
    const float scale = HalfToFloat(image[sub].scale);
    const int dot = IntegerDot(weights, sub * kImageBlockValues, image[sub]);
    dots += scale * static_cast<float>(dot * SubScale(weights, sub));
    mins += scale *
            static_cast<float>(IntegerSum(image[sub]) * SubMin(weights, sub));
  }
  return HalfToFloat(weights.scale) * dots -
         HalfToFloat(weights.min_scale) * mins;
}

// One row of weights times one image row, blocks in order.
template <typename Block>
float RowDot(const Block* weights, const BlockQ8_1* image,
             std::int64_t columns) {
  constexpr int kImageBlocks = Block::kValues / kImageBlockValues;
  float sum = 0;
  for (std::int64_t b = 0; b < columns / Block::kValues; ++b) {
    sum += BlockDot(weights[b], image + b * kImageBlocks);
  }
  return sum;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_BLOCK_DOT_H_
