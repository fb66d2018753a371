// The launch report in its three forms, whole.
#include "tools/launch_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/replay/launch_case.h"

namespace reprise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LaunchReport NodesOnly() {
  const LaunchCase decode;
  return MakeLaunchReport(decode.graph, decode.rewritten);
}

LaunchReport CountedReport() {
  const LaunchCase decode;
  LaunchReport report = NodesOnly();
  AddCounts(decode.OriginalCounts(3), decode.RewrittenCounts(3), report);
  return report;
}

TEST(LaunchText, ShowsLaunchesAReplayAndThatTheyAreTheGraphs) {
  LaunchReport report = CountedReport();
  report.times = ReplayTimes{{812.44, 3.1}, {790.2, 2}};
  EXPECT_EQ(
      LaunchText(report),
      "launches a replay     before  after\n"
      "norm (rms_norm)            2      1\n"
      "norm_emit (rms_norm)       0      1\n"
      "quantize (quantize)        2      1\n"
      "matvec (matvec)            2      2\n"
      "all kernels                6      5\n"
      "memcpy                     1      1\n"
      "host                       1      1\n"
      "all nodes                  8      7\n"
      "\n"
      "counted     3 replays of each graph; every count is what the graph "
      "holds\n"
      "removed     1 quantize a replay\n"
      "time        812.4 us a replay before (spread 3.1), 790.2 us after "
      "(spread 2.0)\n");
}

TEST(LaunchText, ShowsTheGraphsWhereNothingWasCounted) {
  LaunchReport report = NodesOnly();
  report.not_counted = "built without CUPTI";
  EXPECT_EQ(LaunchText(report),
            "nodes of the graph    before  after\n"
            "norm (rms_norm)            2      1\n"
            "norm_emit (rms_norm)       0      1\n"
            "quantize (quantize)        2      1\n"
            "matvec (matvec)            2      2\n"
            "all kernels                6      5\n"
            "memcpy                     1      1\n"
            "host                       1      1\n"
            "all nodes                  8      7\n"
            "\n"
            "counted     nothing: built without CUPTI\n"
            "removed     1 quantize a replay\n");
}

TEST(LaunchText, ShowsWhatWasCountedWhereTheGraphHoldsOtherwise) {
  const LaunchCase decode;
  LaunchReport report = NodesOnly();
  LaunchCounts original = decode.OriginalCounts(3);
  original.kernels["quantize"] = 5;
  original.outside = 2;
  AddCounts(original, decode.RewrittenCounts(3), report);
  const std::string text = LaunchText(report);
  EXPECT_THAT(text, HasSubstr("quantize (quantize)     1.67      1\n"));
  EXPECT_THAT(text, HasSubstr("all kernels             5.67      5\n"));
  EXPECT_THAT(
      text,
      HasSubstr("counted     3 replays of each graph; the counts are not what "
                "the graphs hold\n"
                "mismatch    original: quantize ran 5 times in 3 replays of a "
                "graph with 2\n"
                "outside     2 executions before, 0 after, that no graph "
                "launched\n"));
}

TEST(PredictionText, HoldsTheCountsAgainstThePlan) {
  Summary summary;
  summary.before.quantizers = 2;
  summary.after.quantizers = 1;
  EXPECT_EQ(PredictionText(summary, NodesOnly()),
            "predicted   2 quantizers a replay before, 1 after; nobody "
            "counted\n");
  EXPECT_EQ(PredictionText(summary, CountedReport()),
            "predicted   2 quantizers a replay before, 1 after; as counted\n");
  summary.after.quantizers = 0;
  EXPECT_EQ(PredictionText(summary, CountedReport()),
            "predicted   2 quantizers a replay before, 0 after; counted: 2 and "
            "1\n");
}

TEST(LaunchText, AddsUpTheInstancesOfATemplate) {
  Graph graph;
  AddKernel(graph, "_Z6matvecILi1EEvPf", MatVec());
  AddKernel(graph, "_Z6matvecILi2EEvPf", MatVec());
  AddKernel(graph, "_Z6matvecILi3EEvPf", OtherOp());
  Rewritten rewritten;
  rewritten.graph = graph;
  rewritten.origin = rewritten.now = {NodeId{0}, NodeId{1}, NodeId{2}};
  LaunchReport report = MakeLaunchReport(graph, rewritten);
  const LaunchCounts counts = {.replays = 1,
                               .kernels = {{"_Z6matvecILi1EEvPf", 1},
                                           {"_Z6matvecILi2EEvPf", 1},
                                           {"_Z6matvecILi3EEvPf", 1}}};
  AddCounts(counts, counts, report);
  const std::string text = LaunchText(report);
  EXPECT_THAT(text, HasSubstr("matvec (matvec)         2      2\n"
                              "matvec                  1      1\n"));
  EXPECT_THAT(text, Not(HasSubstr("removed")));
}

TEST(LaunchJson, HoldsTheReport) {
  LaunchReport report = CountedReport();
  report.times = ReplayTimes{{812.5, 3}, {790, 2}};
  const auto json = nlohmann::ordered_json::parse(LaunchJson(report));
  EXPECT_EQ(json["kernels"][1].dump(),
            R"({"kernel":"norm_emit","symbol":"norm_emit","op":"rms_norm",)"
            R"("nodes":{"before":0,"after":1},)"
            R"("counted":{"before":0,"after":3},"removed":0})");
  EXPECT_EQ(json["kernels"].size(), 4u);
  EXPECT_EQ(json["kinds"].dump(),
            R"([{"kind":"kernel","nodes":{"before":6,"after":5},)"
            R"("counted":{"before":18,"after":15},"removed":1},)"
            R"({"kind":"memcpy","nodes":{"before":1,"after":1},)"
            R"("counted":{"before":3,"after":3},"removed":0},)"
            R"({"kind":"host","nodes":{"before":1,"after":1},)"
            R"("counted":null,"removed":0}])");
  auto rest = json;
  rest.erase("kernels");
  rest.erase("kinds");
  EXPECT_EQ(rest.dump(),
            R"({"replays":3,"not_counted":null,)"
            R"("outside":{"before":0,"after":0},"mismatches":[],)"
            R"("replay_us":{"before":{"median":812.5,"spread":3.0},)"
            R"("after":{"median":790.0,"spread":2.0}},"images":[]})");
}

TEST(LaunchJson, SaysWhatIsMissingAndWhatIsWrong) {
  LaunchReport report = NodesOnly();
  report.not_counted = "built without CUPTI";
  auto json = nlohmann::json::parse(LaunchJson(report));
  EXPECT_EQ(json["not_counted"], "built without CUPTI");
  EXPECT_TRUE(json["kernels"][0]["counted"].is_null());
  EXPECT_TRUE(json["replay_us"].is_null());

  report = CountedReport();
  report.kernels[0].counted->before = 0;
  json = nlohmann::json::parse(LaunchJson(report));
  EXPECT_EQ(json["mismatches"].dump(),
            R"(["original: norm ran 0 times in 3 replays of a graph with 2"])");
}

TEST(LaunchCsv, HasALineAKernelAndALineAKind) {
  EXPECT_EQ(LaunchCsv(CountedReport()),
            "kind,kernel,symbol,op,nodes_before,nodes_after,counted_before,"
            "counted_after,removed\n"
            "kernel,norm,norm,rms_norm,2,1,6,3,0\n"
            "kernel,norm_emit,norm_emit,rms_norm,0,1,0,3,0\n"
            "kernel,quantize,quantize,quantize,2,1,6,3,1\n"
            "kernel,matvec,matvec,matvec,2,2,6,6,0\n"
            "memcpy,,,,1,1,3,3,0\n"
            "host,,,,1,1,,,0\n");
}

TEST(LaunchCsv, QuotesWhatWouldBreakALine) {
  Graph graph;
  AddKernel(graph, "odd,\"name\"", OtherOp());
  Rewritten rewritten;
  rewritten.graph = graph;
  rewritten.origin = rewritten.now = {NodeId{0}};
  EXPECT_THAT(LaunchCsv(MakeLaunchReport(graph, rewritten)),
              HasSubstr("\nkernel,\"odd,\"\"name\"\"\",\"odd,\"\"name\"\"\","
                        "other,1,1,,,0\n"));
}

}  // namespace
}  // namespace reprise::testing
