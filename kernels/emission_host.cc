#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/block_q8_1.h"
#include "kernels/emission.h"
#include "kernels/image_q8_0.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_q8_1.h"

namespace reprise {
namespace {

void EmitTransposedRow(const float* floats, std::int64_t row, std::int64_t rows,
                       std::int64_t columns, void* image) {
  const TransposedImage to(columns, rows);
  std::vector<BlockQ8_0Pad40> blocks(static_cast<std::size_t>(to.blocks));
  QuantizeRowPad40(floats, columns, blocks.data());
  StoreTransposed(blocks.data(), to, row, image);
  if (row + 1 < rows) return;
  blocks.assign(blocks.size(), {});
  for (std::int64_t token = rows; token < to.tiles * kQ8_0TileTokens; ++token) {
    StoreTransposed(blocks.data(), to, token, image);
  }
}

}  // namespace

void EmitRow(Emission emission, const float* floats, std::int64_t row,
             std::int64_t rows, std::int64_t columns, void* image) {
  switch (emission) {
    case Emission::kPlain:
      return;
    case Emission::kEmit:
      return QuantizeRowQ8_1(
          floats, columns,
          static_cast<BlockQ8_1*>(image) + row * ImageRowBlocks(columns));
    case Emission::kEmitTransposed:
      return EmitTransposedRow(floats, row, rows, columns, image);
  }
}

}  // namespace reprise
