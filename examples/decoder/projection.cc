#include "examples/decoder/projection.h"

#include <string>

#include "kernels/matmul.h"
#include "kernels/matvec.h"

namespace reprise::decoder {

ImageLayout LayoutFor(WeightFormat format, std::int64_t tokens) {
  if (tokens <= kMatVecMaxTokens) return ImageLayout::kQ8_1;
  return ReadsTransposedImage(std::string(InfoOf(format).name))
             ? ImageLayout::kQ8_0Pad40Tiles
             : ImageLayout::kQ8_0Pad40;
}

KernelCall ProjectCall(const Matrix& weights, Address image, const Rows& out) {
  const ImageLayout layout = LayoutFor(weights.format, out.rows);
  return layout == ImageLayout::kQ8_1 ? MatVecCall(weights, image, out)
                                      : MatMulCall(weights, image, layout, out);
}

}  // namespace reprise::decoder
