#include "kernels/block_q8_1.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace reprise {
namespace {

static_assert(offsetof(BlockQ8_1, scale) == 0);
static_assert(offsetof(BlockQ8_1, sum) == 2);
static_assert(offsetof(BlockQ8_1, quants) == 4);

TEST(ImageGeometry, PadsRowsToWholeMultiplesOf512Values) {
  const struct {
    std::int64_t columns, blocks, row_bytes;
  } kRows[] = {
      {0, 0, 0},         {1, 16, 576},        {32, 16, 576},
      {512, 16, 576},    {513, 32, 1152},     {2592, 96, 3456},
      {4096, 128, 4608}, {13824, 432, 15552}, {18944, 592, 21312},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ImageRowBlocks(row.columns), row.blocks) << row.columns;
    EXPECT_EQ(ImageBytes(row.columns, 1, 1), row.row_bytes) << row.columns;
    EXPECT_EQ(ImageBytes(row.columns, 5, 3), 15 * row.row_bytes);
  }
}

TEST(ImageGeometry, CountsImagesPastFourGigabytes) {
  EXPECT_EQ(ImageBytes(16384, 65535, 8), 9663528960);
}

}  // namespace
}  // namespace reprise
