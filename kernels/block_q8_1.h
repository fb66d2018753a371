// The q8_1 image: a row of floats as 36-byte blocks of 32 eight-bit values.
//
// value(i) is about scale * quants[i]. `sum` is the float sum of the original
// values, not scale times the sum of the quants; some readers need it to apply
// an offset in their weights.
//
// Rows are padded with zero blocks to a multiple of 512 values and lie densely,
// whatever the strides of the floats were: plane, row, block.
#ifndef REPRISE_KERNELS_BLOCK_Q8_1_H_
#define REPRISE_KERNELS_BLOCK_Q8_1_H_

#include <cstdint>

namespace reprise {

inline constexpr int kImageBlockValues = 32;
inline constexpr int kImageRowPadding = 512;

// Aligned so that the device stores scale and sum as one word.
struct alignas(4) BlockQ8_1 {
  std::uint16_t scale;  // half
  std::uint16_t sum;    // half
  std::int8_t quants[kImageBlockValues];
};
static_assert(sizeof(BlockQ8_1) == 36);

constexpr std::int64_t PaddedColumns(std::int64_t columns) {
  return (columns + kImageRowPadding - 1) / kImageRowPadding * kImageRowPadding;
}

constexpr std::int64_t ImageRowBlocks(std::int64_t columns) {
  return PaddedColumns(columns) / kImageBlockValues;
}

constexpr std::int64_t ImageBytes(std::int64_t columns, std::int64_t rows,
                                  std::int64_t planes) {
  return rows * planes * ImageRowBlocks(columns) *
         static_cast<std::int64_t>(sizeof(BlockQ8_1));
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_BLOCK_Q8_1_H_
