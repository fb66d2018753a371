#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/image_q8_0.h"
#include "kernels/matmul.h"
#include "kernels/weight_blocks.h"
#include "kernels/weight_values.h"

namespace reprise {
namespace {

// What 32 columns of weights from `first` on, times these quants, come to.
template <typename Block>
float StepDot(const Block& weights, int first, const std::int8_t* quants) {
  int dots[2] = {};
  int sums[2] = {};
  for (int i = 0; i < kQ8_0Values; ++i) {
    dots[i / 16] += QuantAt(weights, first + i) * quants[i];
    sums[i / 16] += quants[i];
  }
  const auto scale = [&](int at) { return ScaleAt(weights, first + at); };
  const auto less = [&](float dot, int at, int sum) {
    return std::fma(-MinAt(weights, first + at), static_cast<float>(sum), dot);
  };
  if constexpr (kScaleColumns<Block> == 32) {
    const int dot = dots[0] + dots[1];
    return less(scale(0) * static_cast<float>(dot), 0, sums[0] + sums[1]);
  } else {
    const float dot = std::fma(scale(16), static_cast<float>(dots[1]),
                               scale(0) * static_cast<float>(dots[0]));
    return less(less(dot, 0, sums[0]), 16, sums[1]);
  }
}

// A token's image, a block at a time, in either layout.
struct Pad40Token {
  const BlockQ8_0Pad40* blocks;

  float Read(std::int64_t block, std::int8_t (&quants)[kQ8_0Values]) const {
    std::memcpy(quants, blocks[block].quants, kQ8_0Values);
    return blocks[block].scale;
  }
};

struct TransposedToken {
  const std::byte* bytes;
  TransposedImage image;
  std::int64_t token;

  float Read(std::int64_t block, std::int8_t (&quants)[kQ8_0Values]) const {
    const std::byte* low = bytes + image.QuantsAt(token, block);
    std::memcpy(quants, low, 16);
    std::memcpy(quants + 16, low + kTransposedHalfBytes, 16);
    float scale;
    std::memcpy(&scale, bytes + image.ScaleAt(token, block), sizeof(scale));
    return scale;
  }
};

template <typename Block, typename Token>
void MultiplyToken(const MatMulParams& params, const Token& token, float* out) {
  for (std::int64_t row = 0; row < params.rows; ++row) {
    const auto* weights = static_cast<const Block*>(params.weights) +
                          row * params.weight_row_stride;
    float sum = 0;
    for (std::int64_t c = 0; c < params.columns; c += kQ8_0Values) {
      std::int8_t quants[kQ8_0Values];
      const float scale = token.Read(c / kQ8_0Values, quants);
      sum = std::fma(scale,
                     StepDot(weights[c / Block::kValues],
                             static_cast<int>(c % Block::kValues), quants),
                     sum);
    }
    out[row] = sum;
  }
}

}  // namespace

template <typename Block>
void MatMulHost(const MatMulParams& params) {
  const TransposedImage image(params.columns, params.tokens);
  for (std::int64_t t = 0; t < params.tokens; ++t) {
    MultiplyToken<Block>(
        params,
        TransposedToken{static_cast<const std::byte*>(params.image), image, t},
        params.output + t * params.output_row_stride);
  }
}

template <typename Block>
void MatMulPad40Host(const MatMulParams& params) {
  const auto* image = static_cast<const BlockQ8_0Pad40*>(params.image);
  for (std::int64_t t = 0; t < params.tokens; ++t) {
    MultiplyToken<Block>(params,
                         Pad40Token{image + t * Q8_0Blocks(params.columns)},
                         params.output + t * params.output_row_stride);
  }
}

#define REPRISE_INSTANTIATE(format, Block) \
  template void MatMulHost<Block>(const MatMulParams&);
REPRISE_MATMUL_BLOCKS(REPRISE_INSTANTIATE)
#undef REPRISE_INSTANTIATE
#define REPRISE_INSTANTIATE(format, Block) \
  template void MatMulPad40Host<Block>(const MatMulParams&);
REPRISE_WEIGHT_BLOCKS(REPRISE_INSTANTIATE)
#undef REPRISE_INSTANTIATE

}  // namespace reprise
