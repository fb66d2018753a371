// What `plan` says to people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CommandResult Plan(const std::vector<std::string>& flags) {
  std::vector<std::string> arguments = {"plan",
                                        Capture("ggml_qwen7b_q4_0_T1.json")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return RunCommand(arguments);
}

std::size_t Lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(PlanText, SaysWhatIsGainedInAFewLines) {
  const CommandResult result = Plan({});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("quantizers +169 +56\n"));
  EXPECT_THAT(result.out, HasSubstr("saves 113 quantizers"));
  EXPECT_THAT(result.out, ContainsRegex("images +launches +after +bytes"));
  EXPECT_THAT(result.out, ContainsRegex("q8_1 of 3584 +141 +28 "));
  EXPECT_LT(Lines(result.out), 25u);
}

TEST(PlanText, ExplainsEveryRewriteAndDecline) {
  const CommandResult result = Plan({"--explain"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" writes "));
  EXPECT_THAT(result.out, HasSubstr("declined: "));
  EXPECT_GT(Lines(result.out), 56u);
}

TEST(PlanText, ExplainsTheOneNode) {
  const CommandResult result = Plan({"--explain", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("node 1 ("));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("\n  op "), HasSubstr("\n  reads "),
                    HasSubstr("\n  writes "), HasSubstr("\n  after "),
                    HasSubstr("\n  before "), HasSubstr("\n  plan ")));
}

TEST(PlanText, SaysWhatARelaxedNodeWaitsFor) {
  const CommandResult result = Plan({"--relax", "--explain", "4"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n  waits     node 4 ("));
  EXPECT_THAT(Plan({"--explain", "4"}).out, Not(HasSubstr("\n  waits ")));
  EXPECT_THAT(Plan({"--relax"}).out, ContainsRegex("longest path +647 "));
}

TEST(PlanText, SaysThatANodeMayTouchAnything) {
  const std::string path = TempPath("opaque.json");
  WriteFile(path, R"({"format":"cuda-graph-capture","version":1,
    "nodes":[{"id":0,"type":"host"}],"edges":[],"allocations":[]})");
  const CommandResult result = RunCommand({"plan", path, "--explain", "0"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("may read and write anything"));
  EXPECT_THAT(result.out, HasSubstr("nothing changes"));
  EXPECT_THAT(result.out, Not(HasSubstr("declined")));
}

TEST(PlanText, HasNothingToSayOfAnEmptyCapture) {
  const std::string path = TempPath("empty.json");
  WriteFile(path, R"({"format":"cuda-graph-capture","version":1,
    "nodes":[],"edges":[],"allocations":[]})");
  const CommandResult result = RunCommand({"plan", path});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("nodes +0 +0\n"));
}

}  // namespace
}  // namespace reprise::testing
