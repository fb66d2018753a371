// What images cost, counted by hand.
#include "planner/ledger.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "capture/annotate.h"
#include "capture/capture_file.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "planner/summary.h"
#include "tests/support/status_matchers.h"

namespace reprise {

std::ostream& operator<<(std::ostream& out, const LedgerLine& line) {
  return out << InfoOf(line.layout).name << " " << line.columns << ": "
             << line.before.launches << " launches " << line.before.bytes
             << " bytes, then " << line.after.launches << " and "
             << line.after.bytes;
}

namespace testing {
namespace {

using Lines = std::vector<LedgerLine>;

Lines LedgerOf(const char* text, const PlanOptions& options = {}) {
  const absl::StatusOr<Graph> graph = GraphFromText(text);
  EXPECT_OK(graph);
  const absl::StatusOr<Plan> plan = MakePlan(*graph, options);
  EXPECT_OK(plan);
  return MakeLedger(*graph, *plan);
}

// Two readers of one norm, and one of another width and layout.
constexpr char kStep[] = R"(chain
view y = 0x2000:f32:64
0: rms_norm mul | 0x1000:f32:64 -> y | emits=k/drops
1: quantize scratch | y -> 0x8000:q8_1:16 |
2: matvec q4_0 | 0x8000:q8_1:2 -> 0x4000:f32:8 |
3: quantize scratch | y -> 0x8000:q8_1:16 |
4: matvec q4_0 | 0x8000:q8_1:2 -> 0x5000:f32:8 |
5: quantize ds4 scratch | 0x3000:f32:128 -> 0x9000:byte:576 |
6: matvec q4_0 ds4 | 0x9000:byte:576 -> 0x6000:f32:8 |
7: other | 0x6000:f32:8 -> y |
)";
constexpr LedgerLine kOther = {
    ImageLayout::kDs4, 128, {1, 512 + 576}, {1, 512 + 576}};

TEST(Ledger, CountsLaunchesAndBytesOfSharing) {
  EXPECT_EQ(
      LedgerOf(kStep, {.emission = false}),
      (Lines{{ImageLayout::kQ8_1, 64, {2, 2 * (256 + 576)}, {1, 256 + 576}},
             kOther}));
}

TEST(Ledger, KnowsTheQuantizersOfEachLine) {
  const absl::StatusOr<Graph> graph = GraphFromText(kStep);
  ASSERT_OK(graph);
  EXPECT_EQ(
      QuantizersOf(*graph, LedgerOf(kStep)),
      (std::vector<std::vector<NodeId>>{{NodeId{1}, NodeId{3}}, {NodeId{5}}}));
}

TEST(Ledger, CountsTheFloatsThatAnEmittingProducerStores) {
  EXPECT_EQ(
      LedgerOf(kStep),
      (Lines{
          {ImageLayout::kQ8_1, 64, {2, 256 + 2 * (256 + 576)}, {0, 256 + 576}},
          kOther}));
}

TEST(Ledger, CountsTheImageAloneWhereTheFloatsAreDropped) {
  EXPECT_EQ(
      LedgerOf(kStep, {.dead_stores = true}),
      (Lines{{ImageLayout::kQ8_1, 64, {2, 256 + 2 * (256 + 576)}, {0, 576}},
             kOther}));
}

TEST(Ledger, CountsAsManyPickedFloatsAsTheImageHasValues) {
  EXPECT_EQ(LedgerOf(R"(
0: quantize d4 scratch | 0x10000:byte:65536? ids:0x3000:i32:9 -> 0x9000:byte:5184 |
)"),
            (Lines{{ImageLayout::kD4,
                    0,
                    {1, 9 * 512 * 4 + 9 * 4 + 5184},
                    {1, 9 * 512 * 4 + 9 * 4 + 5184}}}));
}

TEST(Ledger, HasEveryQuantizerOfACapturedPrefill) {
  for (const char* file :
       {"ggml_llama1b_q4_0_T512.json.gz", "ggml_moe_q4_k_T512.json.gz"}) {
    absl::StatusOr<Graph> graph =
        ReadCapture(std::string(REPRISE_TEST_DATA "/captures/") + file);
    ASSERT_OK(graph);
    Annotate(BuiltInPacks(), *graph);
    const absl::StatusOr<Plan> plan = MakePlan(*graph);
    ASSERT_OK(plan);
    const Summary summary = Summarize(*graph, *plan);
    ImageCosts before, after;
    for (const LedgerLine& line : MakeLedger(*graph, *plan)) {
      EXPECT_EQ(line.layout, ImageLayout::kDs4);
      before.launches += line.before.launches;
      before.bytes += line.before.bytes;
      after.launches += line.after.launches;
      after.bytes += line.after.bytes;
    }
    EXPECT_EQ(before.launches, summary.before.quantizers);
    EXPECT_EQ(after.launches, summary.after.quantizers);
    EXPECT_LT(after.bytes, before.bytes);
  }
}

}  // namespace
}  // namespace testing
}  // namespace reprise
