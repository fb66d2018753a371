// Faults reported in public: odd row lengths, padding, strides.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/matvec.h"
#include "tests/cases/case_program.h"

namespace reprise::testing {
namespace {

using decoder::Address;
using decoder::Rows;

TEST(PublicCase, D16_TheTailOfAPaddedRowIsWritten) {
  for (bool emission : {false, true}) {
    CaseProgram p;
    const Rows x = p.Input(2, 2592), y = p.Buffer(2, 2592);
    p.Norm(x, y);
    p.QuantizeAndProject(y);
    p.QuantizeAndProject(y);
    const CaseRun run = RunCase(p, {.plan = {.emission = emission}});
    EXPECT_EQ(run.emitting(), emission ? 1u : 0u);
    EXPECT_EQ(run.quantizers(), emission ? 0u : 1u);
    ASSERT_EQ(run.plan.images.size(), 1u);
    EXPECT_EQ(run.plan.images[0].bytes,
              static_cast<std::uint64_t>(2 * 3072 / 32 * 36));
  }
}

TEST(PublicCase, D16_RowsThatEndInsideABlockKeepTheirQuantizers) {
  CaseProgram p;
  const Rows x = p.Input(1, 4097), y = p.Buffer(1, 4097);
  p.Norm(x, y);
  p.Quantize(y, p.ImagePlace(y));
  p.Quantize(y, p.ImagePlace(y));
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.quantizers(), 2u);
  EXPECT_EQ(run.declined(DeclineReason::kUnsupportedSource), 2);
}

// One image of many rows, read by matrix kernels of up to eight rows each.
TEST(PublicCase, D17_EveryRowOfAnImageIsWritten) {
  constexpr std::int64_t kMost = kMatVecMaxTokens;
  for (std::int64_t rows : {1, 63, 64, 65, 129}) {
    CaseProgram p;
    const Rows x = p.Input(rows, 64), y = p.Buffer(rows, 64);
    const Address image = p.ImagePlace(y);
    p.Norm(x, y);
    p.Quantize(y, image);
    for (std::int64_t row = 0; row < rows; row += kMost) {
      const auto at = static_cast<std::uint64_t>(ImageBytes(64, row, 1));
      p.Project({0, std::min(kMost, rows - row), 64}, image + at);
    }
    const CaseRun run = RunCase(p);
    EXPECT_EQ(run.emitting(), 1u) << rows;
    EXPECT_EQ(run.quantizers(), 0u) << rows;
    EXPECT_EQ(run.plan.arena.sum_of_images,
              static_cast<std::uint64_t>(ImageBytes(64, rows, 1)))
        << rows;
  }
}

TEST(PublicCase, D18_TheStrideOfRowsIsPartOfTheView) {
  CaseProgram p;
  const Rows strided = p.Input(2, 64, 128);
  const Rows dense{strided.address, 2, 64};
  p.QuantizeAndProject(strided);
  p.QuantizeAndProject(dense);
  p.QuantizeAndProject(strided);
  EXPECT_EQ(RunCase(p).quantizers(), 2u);
}

}  // namespace
}  // namespace reprise::testing
