#include <cstdint>

#include "kernels/dequantize.h"
#include "kernels/weight_values.h"

namespace reprise {

template <typename Block>
void DequantizeRow(const Block* blocks, std::int64_t columns, float* out) {
  for (std::int64_t c = 0; c < columns; ++c) {
    const Block& block = blocks[c / Block::kValues];
    const int value = static_cast<int>(c % Block::kValues);
    out[c] = ScaleAt(block, value) * static_cast<float>(QuantAt(block, value)) -
             MinAt(block, value);
  }
}

#define REPRISE_INSTANTIATE(format, Block) \
  template void DequantizeRow<Block>(const Block*, std::int64_t, float*);
REPRISE_WEIGHT_BLOCKS(REPRISE_INSTANTIATE)
#undef REPRISE_INSTANTIATE

}  // namespace reprise
