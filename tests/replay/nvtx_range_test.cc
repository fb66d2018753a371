// Ranges that no tool listens to: this program must be one that has none.
#include "replay/nvtx_range.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "tests/replay/counted_allocations.h"

namespace reprise {
namespace {

TEST(NvtxRange, AllocatesNothingAfterTheFirst) {
  { const NvtxRange first(Phase::kCapture); }
  const std::size_t before = testing::Allocations();
  for (int replay = 0; replay < 1000; ++replay) {
    NvtxRange outer(Phase::kReplay);
    const NvtxRange inner(Phase::kUpdate);
    outer.MarkNodes(647, 591);
  }
  EXPECT_EQ(testing::Allocations(), before);
}

}  // namespace
}  // namespace reprise
