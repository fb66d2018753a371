#include "graph/image_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace reprise {
namespace {

const std::vector<ImageLayout> kLayouts = {
    ImageLayout::kQ8_1, ImageLayout::kD4,        ImageLayout::kDs4,
    ImageLayout::kD2s6, ImageLayout::kQ8_0Pad40, ImageLayout::kQ8_0Pad40Tiles};

TEST(ImageLayout, IsFoundByItsName) {
  for (ImageLayout layout : kLayouts) {
    EXPECT_EQ(FindImageLayout(InfoOf(layout).name), layout);
  }
  for (const char* name : {"", "q8_0", "D4", "ds4 ", "q8_0_pad"}) {
    EXPECT_FALSE(FindImageLayout(name).has_value()) << name;
  }
}

// Block by block and row by row, as a person would count.
std::int64_t SlowBytes(ImageLayout layout, std::int64_t rows,
                       std::int64_t columns) {
  const ImageLayoutInfo& info = InfoOf(layout);
  while (columns % info.row_values != 0) ++columns;
  while (rows % info.rows != 0) ++rows;
  std::int64_t bytes = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t c = 0; c < columns; c += info.block_values) {
      bytes += info.block_bytes;
    }
  }
  return bytes;
}

TEST(ImageBytes, CountEveryBlockPaddingIncluded) {
  for (ImageLayout layout : kLayouts) {
    for (std::int64_t rows : {0, 1, 9, 63, 64, 65, 129, 512}) {
      for (std::int64_t columns : {32, 64, 480, 512, 544, 768, 2048, 18944}) {
        EXPECT_EQ(ImageBytes(layout, rows, columns),
                  SlowBytes(layout, rows, columns))
            << InfoOf(layout).name << " " << rows << " x " << columns;
      }
    }
  }
}

TEST(ImageBytes, AreWhatTheKernelsWrite) {
  EXPECT_EQ(ImageBytes(ImageLayout::kQ8_1, 1, 4096), 4608);
  // The engine's prefill of 512 tokens: [K / 128][tokens] blocks of 144 bytes.
  EXPECT_EQ(ImageBytes(ImageLayout::kDs4, 512, 2048), 16 * 512 * 144);
  EXPECT_EQ(ImageBytes(ImageLayout::kD4, 512, 768), 8 * 512 * 144);
  EXPECT_EQ(ImageBytes(ImageLayout::kQ8_0Pad40, 65, 96), 128 * 3 * 40);
  EXPECT_EQ(ImageBytes(ImageLayout::kQ8_0Pad40Tiles, 65, 96),
            2 * 3 * 2048 + 2 * 3 * 256);
}

}  // namespace
}  // namespace reprise
