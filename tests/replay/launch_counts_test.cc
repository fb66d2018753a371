#include "replay/launch_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/replay/launch_case.h"

namespace reprise::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string ToText(const BeforeAfter& pair) {
  return absl::StrCat(pair.before, "->", pair.after);
}

// A row as words: "name op nodes removed counted".
std::vector<std::string> Lines(const std::vector<LaunchRow>& rows) {
  std::vector<std::string> lines;
  for (const LaunchRow& row : rows) {
    lines.push_back(absl::StrCat(
        row.name, row.op.empty() ? "" : " ", row.op, " ", ToText(row.nodes),
        row.removed == 0 ? "" : absl::StrCat(" removed ", row.removed),
        row.counted ? absl::StrCat(" counted ", ToText(*row.counted)) : ""));
  }
  return lines;
}

TEST(CountLaunches, SumsByKernelAndKeepsWhatNoGraphLaunchedApart) {
  const std::vector<NodeRecord> records = {
      RunOf("quantize", 1),      RunOf("matvec", 2),
      RunOf("quantize", 1),      RunOf("matvec", 2),
      RunOf("warmup", 0),        RunOf(NodeKind::kCopy, 3),
      RunOf(NodeKind::kFill, 4), RunOf(NodeKind::kFill, 0)};
  const LaunchCounts counts = CountLaunches(records, 2);
  EXPECT_EQ(counts, (LaunchCounts{.replays = 2,
                                  .kernels = {{"matvec", 2}, {"quantize", 2}},
                                  .copies = 1,
                                  .fills = 1,
                                  .outside = 2}));
}

TEST(MakeLaunchReport, CountsTheNodesOfBothGraphs) {
  const LaunchCase decode;
  const LaunchReport report = MakeLaunchReport(decode.graph, decode.rewritten);
  EXPECT_THAT(
      Lines(report.kernels),
      ElementsAre("norm rms_norm 2->1",       //
                  "norm_emit rms_norm 0->1",  // below what it replaces
                  "quantize quantize 2->1 removed 1", "matvec matvec 2->2"));
  EXPECT_THAT(Lines(report.kinds),
              ElementsAre("kernel 6->5 removed 1", "memcpy 1->1", "host 1->1"));
  EXPECT_EQ(report.replays, 0u);
  EXPECT_EQ(ToText(TotalNodes(report.kinds)), "8->7");
  EXPECT_THAT(Mismatches(report), IsEmpty()) << "nothing was counted";
}

TEST(AddCounts, AgreesWithTheGraphsThatRan) {
  const LaunchCase decode;
  LaunchReport report = MakeLaunchReport(decode.graph, decode.rewritten);
  AddCounts(decode.OriginalCounts(3), decode.RewrittenCounts(3), report);
  EXPECT_EQ(report.replays, 3u);
  EXPECT_THAT(Lines(report.kernels),
              ElementsAre("norm rms_norm 2->1 counted 6->3",
                          "norm_emit rms_norm 0->1 counted 0->3",
                          "quantize quantize 2->1 removed 1 counted 6->3",
                          "matvec matvec 2->2 counted 6->6"));
  EXPECT_THAT(Lines(report.kinds),
              ElementsAre("kernel 6->5 removed 1 counted 18->15",
                          "memcpy 1->1 counted 3->3", "host 1->1"));
  EXPECT_THAT(Mismatches(report), IsEmpty());
}

TEST(Mismatches, NameEachCountThatIsNotTheGraphs) {
  const LaunchCase decode;
  LaunchReport report = MakeLaunchReport(decode.graph, decode.rewritten);
  LaunchCounts original = decode.OriginalCounts(3);
  original.kernels["quantize"] = 5;
  original.copies = 0;
  LaunchCounts rewritten = decode.RewrittenCounts(3);
  rewritten.kernels.erase("norm_emit");
  rewritten.kernels["_Z5extraPf"] = 1;
  rewritten.fills = 3;
  AddCounts(original, rewritten, report);
  EXPECT_THAT(
      Mismatches(report),
      ElementsAre("rewritten: norm_emit ran 0 times in 3 replays of a graph "
                  "with 1",
                  "original: quantize ran 5 times in 3 replays of a graph "
                  "with 2",
                  "rewritten: extra ran 1 time in 3 replays of a graph with 0",
                  "original: memcpy ran 0 times in 3 replays of a graph with 1",
                  "rewritten: memset ran 3 times in 3 replays of a graph "
                  "with 0"));
}

}  // namespace
}  // namespace reprise::testing
