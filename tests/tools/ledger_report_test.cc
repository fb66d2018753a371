#include "tools/ledger_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace reprise::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<LedgerLine> TwoLines() {
  return {{ImageLayout::kQ8_1, 64, {7, 5824}, {1, 832}},
          {ImageLayout::kDs4, 0, {2, 100}, {2, 100}}};
}

std::vector<MeasuredImages> Measured() {
  return {{.counted = BeforeAfter{21, 3}, .us_before = 12.34, .us_after = 2},
          {.counted = BeforeAfter{6, 6}, .us_before = 3, .us_after = 3}};
}

TEST(LedgerTable, HasALineForEachLayoutAndWidth) {
  EXPECT_EQ(LedgerTable(TwoLines()),
            "images           launches  after  bytes  after\n"
            "q8_1 of 64              7      1   5824    832\n"
            "ds4 picked rows         2      2    100    100\n");
  EXPECT_EQ(LedgerTable({}), "");
}

TEST(LedgerTable, ShowsTheTimesBesideWhatThePlanPredicts) {
  EXPECT_EQ(LedgerTable(TwoLines(), Measured()),
            "images           launches  after  bytes  after    us  after\n"
            "q8_1 of 64              7      1   5824    832  12.3    2.0\n"
            "ds4 picked rows         2      2    100    100   3.0    3.0\n");
}

TEST(LedgerJson, HoldsCountsAndTimesWhereTheyWereMeasured) {
  std::vector<MeasuredImages> measured = Measured();
  measured[1].counted.reset();
  const auto json = LedgerJson(TwoLines(), measured);
  EXPECT_EQ(json[0].dump(),
            R"({"layout":"q8_1","columns":64,)"
            R"("before":{"launches":7,"bytes":5824,"counted":21,"us":12.34},)"
            R"("after":{"launches":1,"bytes":832,"counted":3,"us":2.0}})");
  EXPECT_TRUE(json[1]["before"]["counted"].is_null());
  EXPECT_EQ(LedgerJson(TwoLines())[1].dump(),
            R"({"layout":"ds4","columns":0,)"
            R"("before":{"launches":2,"bytes":100},)"
            R"("after":{"launches":2,"bytes":100}})");
}

TEST(LedgerMismatches, NameTheLineThatWasCountedOtherwise) {
  std::vector<MeasuredImages> measured = Measured();
  EXPECT_THAT(Mismatches(TwoLines(), measured, 3), IsEmpty());
  measured[0].counted->after = 4;
  measured[1].counted.reset();
  EXPECT_THAT(
      Mismatches(TwoLines(), measured, 3),
      ElementsAre("q8_1 of 64: 21 quantizers and then 3 are predicted in 3 "
                  "replays, 21 and 4 were counted"));
}

// Three kernels were captured; the first of two quantizers went.
TEST(RanByLine, CountsQuantizersOfARewrittenGraphByWhatTheyWereCaptured) {
  Graph graph;
  for (const char* symbol : {"quantize", "matvec"}) {
    KernelLaunch launch;
    launch.symbol = symbol;
    graph.AddKernel(launch);
  }
  std::vector<NodeRecord> records(2);
  records[0].symbol = "quantize";
  records[1].symbol = "matvec";
  records[0].grid = records[1].grid = KernelLaunch().grid;
  records[0].graph_node = 1;
  records[1].graph_node = 2;
  const std::vector<std::vector<NodeId>> lines = {{NodeId{0}, NodeId{1}}, {}};
  EXPECT_THAT(RanByLine(lines, graph, {NodeId{1}, NodeId{2}}, records),
              ElementsAre(1, 0));
  records.insert(records.end(), {records[0], records[1]});
  EXPECT_THAT(RanByLine(lines, graph, {NodeId{1}, NodeId{2}}, records),
              ElementsAre(2, 0));
}

}  // namespace
}  // namespace reprise::testing
