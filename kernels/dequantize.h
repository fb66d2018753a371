// Rows of weight blocks as floats. Host only: matrix kernels never do this, it
// is what their results are checked against. Formulas in weight_values.h.
//
// Block is the format's struct of weight_blocks.h.
// REQUIRES: `columns` is a multiple of the block's values.
#ifndef REPRISE_KERNELS_DEQUANTIZE_H_
#define REPRISE_KERNELS_DEQUANTIZE_H_

#include <cstdint>

#include "kernels/weight_blocks.h"

namespace reprise {

template <typename Block>
void DequantizeRow(const Block* blocks, std::int64_t columns, float* out);

}  // namespace reprise

#endif  // REPRISE_KERNELS_DEQUANTIZE_H_
