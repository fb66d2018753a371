// The demo: every byte the same, and fewer quantizers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Demo : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Demo, LeavesTheSameBytesWithFewerQuantizers) {
  std::vector<std::string> arguments = {"demo", "--replays", "4"};
  arguments.insert(arguments.end(), GetParam().begin(), GetParam().end());
  const CommandResult result = RunCommand(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nidentical "));
  EXPECT_THAT(result.out, HasSubstr(" 4 replays"));
  EXPECT_THAT(result.out,
              ContainsRegex("reprise_quantize_q8_1 +[0-9]+ +[0-9]"));
  EXPECT_THAT(result.out, ContainsRegex("saves [1-9][0-9]* quantizers?"));
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Demo,
    ::testing::Values(
        std::vector<std::string>{"--model", "dense"},
        std::vector<std::string>{"--model", "moe"},
        std::vector<std::string>{"--streams", "3"},
        std::vector<std::string>{"--streams", "3", "--event-branches",
                                 "proven"},
        std::vector<std::string>{"--model", "moe", "--streams", "3", "--tokens",
                                 "3"},
        std::vector<std::string>{"--format", "q4_k", "--tokens", "8"},
        std::vector<std::string>{"--format", "q8_0", "--layers", "1"}),
    [](const auto& p) {
      std::string name = absl::StrJoin(p.param, "_");
      return absl::StrReplaceAll(name, {{"-", ""}});
    });

TEST(DemoOutput, IsTheSameTwice) {
  const std::vector<std::string> arguments = {"demo", "--replays", "2"};
  EXPECT_EQ(RunCommand(arguments).out, RunCommand(arguments).out);
}

}  // namespace
}  // namespace reprise::testing
