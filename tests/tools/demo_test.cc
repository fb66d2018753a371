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

// More tokens than decode takes: other kernels, and images in other layouts.
struct PrefillCase {
  std::string layout;
  std::vector<std::string> arguments;
};

class DemoOfPrefill : public ::testing::TestWithParam<PrefillCase> {};

TEST_P(DemoOfPrefill, LeavesTheSameBytesWithFewerQuantizers) {
  std::vector<std::string> arguments = {"demo", "--replays", "2"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(),
                   GetParam().arguments.end());
  const CommandResult result = RunCommand(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nidentical "));
  EXPECT_THAT(result.out, ContainsRegex("reprise_quantize_" +
                                        GetParam().layout + " +[0-9]+ +[0-9]"));
  EXPECT_THAT(result.out, ContainsRegex("saves [1-9][0-9]* quantizers?"));
}

INSTANTIATE_TEST_SUITE_P(
    Runs, DemoOfPrefill,
    ::testing::Values(
        PrefillCase{"q8_0_pad40_t", {"--tokens", "9"}},
        PrefillCase{"q8_0_pad40", {"--tokens", "9", "--format", "iq2_xs"}},
        PrefillCase{"q8_0_pad40_t",
                    {"--tokens", "65", "--streams", "3", "--dead-stores"}},
        PrefillCase{"q8_0_pad40_t", {"--model", "moe", "--tokens", "9"}},
        PrefillCase{"q8_1", {"--model", "moe", "--tokens", "9"}}));

// Its cache holds them all.
TEST(DemoTokens, TakesMoreTokensThanAStepsCacheHoldsOtherwise) {
  const CommandResult result = RunCommand(
      {"demo", "--tokens", "257", "--layers", "1", "--replays", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 layer, 257 tokens a step"));
  EXPECT_THAT(result.out, HasSubstr("\nidentical "));
}

TEST(DemoTokens, SaysHowManyTokensThereMayBe) {
  for (const char* tokens : {"0", "-1", "65536"}) {
    const CommandResult result = RunCommand({"demo", "--tokens", tokens});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr(absl::StrCat("tokens: ", tokens,
                                                   " is not in 1..65535")));
  }
}

TEST(DemoOutput, IsTheSameTwice) {
  const std::vector<std::string> arguments = {"demo", "--replays", "2"};
  EXPECT_EQ(RunCommand(arguments).out, RunCommand(arguments).out);
}

}  // namespace
}  // namespace reprise::testing
