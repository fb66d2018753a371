#include "kernels/quantize_q8_0.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/half.h"
#include "kernels/quantize_q8_1.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

struct Extents {
  std::int64_t columns, tokens;
};

constexpr Extents kExtents[] = {{32, 1},   {1, 3},    {33, 9},
                                {96, 63},  {256, 64}, {100, 65},
                                {64, 129}, {2048, 2}, {4096 + 17, 5}};

std::vector<float> SourceOf(const Extents& extents, std::int64_t stride) {
  return RandomFloats(41).Row(static_cast<std::size_t>(extents.tokens * stride),
                              3);
}

// The quantizer of q8_1 says what the quants are; its scale is a half.
TEST(QuantizePad40, GivesTheQuantsOfQ8_1AndItsScaleBeforeItIsRounded) {
  for (const Extents& e : kExtents) {
    const std::int64_t stride = e.columns + 3;
    const std::vector<float> source = SourceOf(e, stride);
    const std::int64_t blocks = Q8_0Blocks(e.columns);
    Guarded<BlockQ8_0Pad40> image(Pad40Blocks(e.columns, e.tokens));
    QuantizePad40Host(
        {source.data(), image.data(), e.columns, e.tokens, stride});
    EXPECT_TRUE(image.guards_intact());
    std::vector<BlockQ8_1> expected(
        static_cast<std::size_t>(ImageRowBlocks(e.columns)));
    for (std::int64_t t = 0; t < e.tokens; ++t) {
      QuantizeRowQ8_1(source.data() + t * stride, e.columns, expected.data());
      for (std::int64_t b = 0; b < blocks; ++b) {
        const BlockQ8_0Pad40& block = image[t * blocks + b];
        const BlockQ8_1& other = expected[static_cast<std::size_t>(b)];
        EXPECT_EQ(FloatToHalf(block.scale), other.scale);
        EXPECT_EQ(block.padding, 0u);
        EXPECT_EQ(std::memcmp(block.quants, other.quants, kQ8_0Values), 0)
            << "token " << t << " block " << b;
      }
    }
    const BlockQ8_0Pad40 zeros = {};
    for (std::int64_t b = e.tokens * blocks;
         b < static_cast<std::int64_t>(image.size()); ++b) {
      ASSERT_EQ(std::memcmp(&image[b], &zeros, sizeof zeros), 0);
    }
  }
}

TEST(QuantizeTransposed, PutsTheSameBlocksInTilesAndZerosBehindTheLastToken) {
  for (const Extents& e : kExtents) {
    const std::vector<float> source = SourceOf(e, e.columns);
    const TransposedImage image(e.columns, e.tokens);
    std::vector<BlockQ8_0Pad40> rows(
        static_cast<std::size_t>(Pad40Blocks(e.columns, e.tokens)));
    QuantizePad40Host(
        {source.data(), rows.data(), e.columns, e.tokens, e.columns});
    Guarded<std::uint8_t> bytes(image.bytes());
    QuantizeTransposedHost(
        {source.data(), bytes.data(), e.columns, e.tokens, e.columns});
    EXPECT_TRUE(bytes.guards_intact());

    // Byte by byte from the header's own words.
    std::vector<std::uint8_t> expected(bytes.size());
    const auto tile_blocks = static_cast<std::size_t>(image.blocks);
    const std::size_t plane =
        static_cast<std::size_t>(image.tiles) * tile_blocks * 2048;
    for (std::size_t t = 0; t < static_cast<std::size_t>(e.tokens); ++t) {
      for (std::size_t b = 0; b < tile_blocks; ++b) {
        const BlockQ8_0Pad40& block = rows[t * tile_blocks + b];
        const std::size_t place = t / 64 * tile_blocks + b;
        for (std::size_t c = 0; c < 32; ++c) {
          expected[place * 2048 + c / 16 * 1024 + t % 64 * 16 + c % 16] =
              static_cast<std::uint8_t>(block.quants[c]);
        }
        std::memcpy(&expected[plane + place * 256 + t % 64 * 4], &block.scale,
                    4);
      }
    }
    EXPECT_EQ(bytes.bytes(), expected)
        << e.columns << " columns, " << e.tokens << " tokens";
  }
}

TEST(QuantizeQ8_0, LeavesTheImageAloneWhereThereIsNothingToDo) {
  for (const Extents& e : {Extents{32, 0}, Extents{0, 2}}) {
    Guarded<BlockQ8_0Pad40> image(8);
    const QuantizeQ8_0Params params{nullptr, image.data(), e.columns, e.tokens,
                                    0};
    QuantizePad40Host(params);
    QuantizeTransposedHost(params);
    EXPECT_TRUE(image.untouched());
    EXPECT_TRUE(QuantizeQ8_0Shape(params).empty());
  }
}

}  // namespace
}  // namespace reprise
