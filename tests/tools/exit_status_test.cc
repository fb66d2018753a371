// What the command answers to bad input and wrong usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const char kCapture[] = "ggml_llama1b_q4_k_T1.json";

struct Case {
  std::string name;
  std::vector<std::string> arguments;
  int status;
  std::string says;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

std::vector<Case> Cases() {
  const std::string capture = Capture(kCapture);
  const std::string truncated = TempPath("truncated.json");
  return {
      {"NoCommand", {}, 2, "which command?"},
      {"UnknownCommand", {"replan"}, 2, "replan"},
      {"UnknownFlag", {"plan", capture, "--jason"}, 2, "--jason"},
      {"NoCapture", {"plan"}, 2, "CAPTURE is required"},
      {"TwoCaptures", {"plan", capture, capture}, 2, capture},
      {"UnknownPass",
       {"plan", capture, "--disable", "sharing,fusion"},
       2,
       "no pass 'fusion'; there are pure, sharing, placement, emission, "
       "storage, dead_stores, relax"},
      {"WidthWithoutRelax",
       {"plan", capture, "--relax-width", "2"},
       2,
       "--relax"},
      {"UnknownPolicy",
       {"plan", capture, "--event-branches", "all"},
       2,
       "'all' is none of original|proven"},
      {"NodeThatIsNoNumber", {"plan", capture, "--explain", "one"}, 2, "one"},
      {"NegativeNode", {"plan", capture, "--explain=-1"}, 2, "-1"},
      {"JsonAndExplain", {"plan", capture, "--json", "--explain"}, 2, "--json"},
      {"UnknownModel", {"demo", "--model", "rnn"}, 2, "dense|moe"},
      {"UnknownFormat", {"demo", "--format", "q9"}, 2, "format 'q9'"},
      {"UnknownBackend", {"demo", "--backend", "tpu"}, 2, "host|cuda"},
      {"LayersThatAreNoNumber", {"demo", "--layers", "many"}, 2, "many"},
      {"MissingFile",
       {"plan", "missing.json"},
       1,
       "missing.json: No such file"},
      {"Directory", {"plan", REPRISE_TEST_DATA}, 1, REPRISE_TEST_DATA},
      {"TruncatedCapture", {"plan", truncated}, 1, truncated},
      {"TruncatedPicture", {"dot", truncated}, 1, truncated},
      {"NodeAfterTheLast",
       {"plan", capture, "--explain", "371"},
       1,
       "no node 371 among 371"},
      {"AroundNodeAfterTheLast",
       {"dot", capture, "--around", "4000"},
       1,
       "no node 4000"},
      {"MissingPack",
       {"plan", capture, "--pack", "missing_pack.json"},
       1,
       "missing_pack.json: No such file"},
      {"MissingPackForAPicture",
       {"dot", capture, "--pack", "missing_pack.json"},
       1,
       "missing_pack.json: No such file"},
      {"MissingPackForTheList",
       {"signatures", capture, "--pack", "missing_pack.json"},
       1,
       "missing_pack.json: No such file"},
      {"DirectoryAsPack",
       {"plan", capture, "--pack", REPRISE_TEST_DATA},
       1,
       REPRISE_TEST_DATA},
      {"CaptureAsPack",
       {"plan", capture, "--pack", capture},
       1,
       absl::StrCat(capture, ": pack: no key 'pack'")},
      {"TruncatedPack",
       {"plan", capture, "--pack", truncated},
       1,
       absl::StrCat(truncated, ": pack: line ")},
      {"PackWithoutAFile", {"plan", capture, "--pack"}, 2, "--pack"},
      {"ListOfNoCapture", {"signatures"}, 2, "CAPTURE is required"},
      {"ListOfAMissingFile",
       {"signatures", "missing.json"},
       1,
       "missing.json: No such file"},
      {"ListWithAnUnknownFlag", {"signatures", capture, "--all"}, 2, "--all"},
      {"NoTokens", {"demo", "--tokens", "0"}, 1, "tokens: 0"},
      {"TooManyTokens", {"demo", "--tokens", "70000"}, 1, "tokens: 70000"},
      {"NoLayers", {"demo", "--layers", "0"}, 1, "layers: 0"},
      {"TwoStreams", {"demo", "--streams", "2"}, 1, "streams: 2"},
      {"NoReplays", {"demo", "--replays", "0"}, 1, "replay"},
      {"JsonAndCsv", {"report", "--json", "--csv"}, 2, "--csv"},
      {"UnknownReportFlag", {"report", "--xml"}, 2, "--xml"},
  };
}

class ExitStatus : public ::testing::TestWithParam<Case> {};

TEST_P(ExitStatus, SaysWhatIsWrongInOneLine) {
  const std::string whole = ReadFile(Capture(kCapture));
  const std::string truncated = TempPath("truncated.json");
  WriteFile(truncated, whole.substr(0, whole.size() / 2));

  const CommandResult result = RunCommand(GetParam().arguments);
  EXPECT_EQ(result.status, GetParam().status);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("reprise"));
  EXPECT_THAT(result.err, HasSubstr(GetParam().says));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

INSTANTIATE_TEST_SUITE_P(Table, ExitStatus, ::testing::ValuesIn(Cases()),
                         [](const auto& p) { return p.param.name; });

TEST(Help, NamesEveryCommand) {
  const CommandResult result = RunCommand({"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const char* name :
       {"demo", "plan", "signatures", "dot", "report", "--version"}) {
    EXPECT_THAT(result.out, HasSubstr(name));
  }
}

TEST(Help, OfACommandRunsNothing) {
  for (const char* name : {"demo", "plan", "signatures", "dot", "report"}) {
    const CommandResult result = RunCommand({name, "--help"});
    EXPECT_EQ(result.status, 0) << name;
    EXPECT_THAT(result.out, HasSubstr("Usage: reprise"));
  }
}

TEST(Version, IsOneLine) {
  const CommandResult result = RunCommand({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, ::testing::MatchesRegex("reprise [0-9.]+\n"));
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  const CommandResult result =
      RunShell(absl::StrCat("(", ShellQuoted(REPRISE_COMMAND), " plan ",
                            ShellQuoted(Capture(kCapture)), " >/dev/full)"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("standard output"));
}

// What needs a GPU, on a machine without one or in a build without CUDA.
class WithoutAGpu : public ::testing::TestWithParam<const char*> {};

TEST_P(WithoutAGpu, SaysSoInOneLine) {
  const CommandResult result = RunShell(absl::StrCat(
      "CUDA_VISIBLE_DEVICES= ", ShellQuoted(REPRISE_COMMAND), " ", GetParam()));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("reprise "));
  EXPECT_THAT(result.err, HasSubstr("CUDA"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

INSTANTIATE_TEST_SUITE_P(Commands, WithoutAGpu,
                         ::testing::Values("demo --backend cuda",
                                           "demo --backend cuda --model moe",
                                           "report", "report --json"));

}  // namespace
}  // namespace reprise::testing
