// What `signatures` says of kernels that no pack knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// scale_rows.json with some words replaced.
std::string Changed(const std::string& name, const std::string& from,
                    const std::string& to) {
  const std::string path = TempPath(name + ".json");
  std::string text = ReadFile(Capture("scale_rows.json"));
  EXPECT_GT(absl::StrReplaceAll({{from, to}}, &text), 0) << from;
  WriteFile(path, text);
  return path;
}

TEST(Signatures, AreAllKnownInACaptureOfTheEngine) {
  const std::string capture = Capture("ggml_llama1b_q4_0_T1_nopdl.json");
  const CommandResult text = RunCommand({"signatures", capture});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.out, "every kernel is known\n");
  const CommandResult json = RunCommand({"signatures", capture, "--json"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_THAT(json.out, HasSubstr("\"signatures\": []"));
}

TEST(Signatures, SayWhoElseUsesWhatAPointerLeadsTo) {
  const CommandResult result =
      RunCommand({"signatures", Capture("scale_rows.json")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("\n  0+8       pointer 0x7f2000020000: node 1"),
                    HasSubstr("\n  8+8       pointer 0x7f2000030000: nobody"),
                    Not(HasSubstr("quantize"))));
}

TEST(Signatures, ShowBothLayoutsWhereTheParametersAreOthers) {
  const std::string capture = Changed(
      "layout", R"(,{"offset":60,"bytes":"010000000000000001000000"})", "");
  const CommandResult result = RunCommand({"signatures", capture});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("  nodes     2, first node 0\n"),
            HasSubstr("  known as  quantize_q8_1 of pack ggml-cuda with other"),
            HasSubstr(" 56+4 60+12\n"),
            HasSubstr("  here      0+8 8+8 16+8 24+8 32+8 40+8 48+8 56+4\n")));
}

TEST(Signatures, SayThatAKnownLaunchCannotBeBounded) {
  // ne2, by which its signature divides, is 0.
  const std::string capture = Changed(
      "unbounded", R"({"offset":60,"bytes":"010000000000000001000000"})",
      R"({"offset":60,"bytes":"010000000000000000000000"})");
  const CommandResult result = RunCommand({"signatures", capture});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("node 0 (quantize_q8_1) is known, but its signature"));
}

TEST(Signatures, KeepASymbolThatIsNoMangledName) {
  const std::string capture = Changed("plain", "_Z10scale_rowsPfS_i", "f");
  const CommandResult result = RunCommand({"signatures", capture});
  EXPECT_THAT(result.out, ::testing::StartsWith("f\n  symbol    f\n"));
}

TEST(Signatures, AreTheSameInEveryRun) {
  const std::string capture = Changed(
      "again", R"(,{"offset":60,"bytes":"010000000000000001000000"})", "");
  for (const auto& arguments :
       {std::vector<std::string>{"signatures", capture},
        std::vector<std::string>{"signatures", capture, "--json"}}) {
    const CommandResult first = RunCommand(arguments);
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_NE(first.out, "");
    EXPECT_EQ(first.out, RunCommand(arguments).out);
  }
}

}  // namespace
}  // namespace reprise::testing
