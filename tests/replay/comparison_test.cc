#include "replay/comparison.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/text.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

// 0 writes floats, 1 quantizes them to scratch, 2 writes over half of the
// scratch, 3 makes an image that is an output, 4 may write anything in 0x5000.
constexpr char kGraph[] =
    "chain\n"
    "0: other | -> 0x1000:f32:64\n"
    "1: quantize scratch | 0x1000:f32:64 -> 0x2000:q8_1:16\n"
    "2: memset | -> 0x2000:byte:288\n"
    "3: quantize | 0x1000:f32:64 -> 0x3000:q8_1:16\n"
    "4: other | -> 0x5000:byte:64?\n";

constexpr Allocation kMemory{0x1000, 0x5000};

class Bytes : public ::testing::Test {
 protected:
  // The difference to blame when the bytes at these addresses differ.
  std::optional<Difference> Blame(const std::vector<std::uint64_t>& wrong) {
    const std::vector<std::uint8_t> expected(kMemory.bytes, 1);
    std::vector<std::uint8_t> actual = expected;
    for (std::uint64_t address : wrong) actual[address - kMemory.address] = 9;
    return comparison_->Find({BytePair{kMemory, expected, actual}});
  }

  const Graph graph_ = *GraphFromText(kGraph);
  const absl::StatusOr<Comparison> comparison_ = Comparison::Of(graph_);
};

TEST_F(Bytes, ThatAreEqualHaveNoDifference) { EXPECT_FALSE(Blame({})); }

TEST_F(Bytes, AreBlamedOnTheirLastWriter) {
  const auto found = Blame({0x1005});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, NodeId{0});
  EXPECT_EQ(found->view, Packed(0x1000, ElementType::kF32, 64));
  EXPECT_EQ(found->offset, 5u);
  EXPECT_EQ(found->expected, 1);
  EXPECT_EQ(found->actual, 9);
}

TEST_F(Bytes, OfScratchAreSkippedUntilSomebodyElseWritesThem) {
  EXPECT_FALSE(Blame({0x2000 + 288, 0x2000 + 575}));
  EXPECT_EQ(comparison_->SkippedBytes(kMemory), 288u);
  const auto found = Blame({0x2000 + 287});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, NodeId{2});
  EXPECT_EQ(found->offset, 287u);
}

TEST_F(Bytes, OfAnImageThatIsNotScratchCount) {
  const auto found = Blame({0x3000});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, NodeId{3});
}

TEST_F(Bytes, OfTheEarliestWriterAreBlamedFirst) {
  const auto found = Blame({0x1fff, 0x2000, 0x3001, 0x10ff, 0x10fe});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, NodeId{0});
  EXPECT_EQ(found->offset, 0xfeu);
}

TEST_F(Bytes, OfNobodyAreBlamedLast) {
  EXPECT_EQ(Blame({0x1fff, 0x3001})->node, NodeId{3});
  const auto found = Blame({0x5010, 0x1fff});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->node.valid());
  EXPECT_EQ(found->view, ByteRange(0x1000, 0x5000));
  EXPECT_EQ(found->offset, 0xfffu);
}

TEST_F(Bytes, AreComparedInPartsThatLeaveOutAQuantizersScratch) {
  // Of the scratch 0x2000..0x2240 the fill wrote the first half last.
  EXPECT_EQ(comparison_->ComparedParts(kMemory),
            (std::vector<Allocation>{{0x1000, 0x1120}, {0x2240, 0x3dc0}}));
}

}  // namespace
}  // namespace reprise
