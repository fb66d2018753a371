// Packs of the user's: the walk of docs/packs.md, command by command as it
// stands there, and which of several packs counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A fenced block of a document.
struct Block {
  std::string language;
  std::string text;
};

std::vector<Block> BlocksOf(const std::string& document,
                            const std::string& heading) {
  std::vector<Block> blocks;
  bool in_section = false, in_block = false;
  for (absl::string_view line : absl::StrSplit(document, '\n')) {
    if (absl::ConsumePrefix(&line, "```")) {
      in_block = !in_block;
      if (in_block && in_section) blocks.push_back({std::string(line), ""});
    } else if (in_block) {
      if (in_section) absl::StrAppend(&blocks.back().text, line, "\n");
    } else if (absl::StartsWith(line, "## ")) {
      in_section = line == heading;
    }
  }
  return blocks;
}

// Whether `text` is what was promised, where "..." stands for anything.
bool IsAsPromised(absl::string_view text, const std::string& promise) {
  const std::vector<std::string> parts = absl::StrSplit(promise, "...");
  if (parts.size() == 1) return text == promise;
  if (!absl::ConsumePrefix(&text, parts.front())) return false;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t found = text.find(parts[i]);
    if (found == text.npos) return false;
    text.remove_prefix(found + parts[i].size());
  }
  return absl::EndsWith(text, parts.back());
}

// A folder in which a command of the document finds the test data and itself.
class Walk {
 public:
  Walk() : folder_(TempPath("walk")) {
    mkdir(folder_.c_str(), 0700);
    RunShell(absl::StrCat("ln -sfn ", ShellQuoted(REPRISE_TEST_DATA "/.."), " ",
                          ShellQuoted(folder_ + "/tests")));
  }

  CommandResult Run(absl::string_view command) const {
    return RunShell(absl::StrCat(
        "(cd ", ShellQuoted(folder_), " && PATH=\"$(dirname ",
        ShellQuoted(REPRISE_COMMAND), "):$PATH\" && ", command, ")"));
  }
  void Write(const std::string& name, const std::string& text) const {
    WriteFile(absl::StrCat(folder_, "/", name), text);
  }

 private:
  std::string folder_;
};

// Runs every "$ command" of the block; the lines up to the next one are what
// it says.
int RunBlock(const Walk& walk, const std::string& text) {
  const std::vector<std::string> commands = absl::StrSplit("\n" + text, "\n$ ");
  int runs = 0;
  for (std::size_t i = 1; i < commands.size(); ++i, ++runs) {
    const std::vector<std::string> parts =
        absl::StrSplit(commands[i], absl::MaxSplits('\n', 1));
    const CommandResult result = walk.Run(parts[0]);
    std::string promise = parts.size() > 1 ? parts[1] : "";
    if (!promise.empty() && promise.back() != '\n') promise += '\n';
    EXPECT_TRUE(IsAsPromised(result.out + result.err, promise))
        << "$ " << parts[0] << "\n"
        << result.out << result.err << "promised:\n"
        << promise;
  }
  return runs;
}

TEST(UserPack, IsWrittenFromNothingAsTheDocumentSays) {
  const std::string document =
      ReadFile(REPRISE_TEST_DATA "/../../docs/packs.md");
  const Walk walk;
  int runs = 0;
  for (const Block& block : BlocksOf(document, "## A pack from nothing")) {
    if (block.language == "console") runs += RunBlock(walk, block.text);
    if (block.language == "json") walk.Write("my.json", block.text);
  }
  EXPECT_EQ(runs, 7);
}

TEST(UserPack, PromisesAreHeldToTheWord) {
  EXPECT_TRUE(IsAsPromised("a\nb\nc\n", "a\n...\nc\n"));
  EXPECT_TRUE(IsAsPromised("a\n", "a\n"));
  EXPECT_FALSE(IsAsPromised("a\nb\n", "a\n"));
  EXPECT_FALSE(IsAsPromised("a\nb\nc\n", "a\n...\nd\n"));
  EXPECT_FALSE(IsAsPromised("a\nc\nb\n", "a\n...b\n...c\n"));
}

std::string PackOf(const std::string& name, const std::string& signature) {
  const std::string path = TempPath(name + ".json");
  WriteFile(path, absl::StrCat(R"({"pack": ")", name,
                               R"(", "version": 1, "signatures": [)", signature,
                               "]}"));
  return path;
}

// scale_rows, of which so many floats are written.
std::string ScaleRows(const std::string& length) {
  return absl::StrCat(
      R"({"name": "scale_rows", "symbol": "_Z10scale_rowsPfS_i$",
          "parameters": ["0 pointer x", "8 pointer y", "16 i32 n"],
          "effects": [{"parameter": "y", "access": "write", "element": "f32",
                       "length": ")",
      length, R"("}]})");
}

TEST(UserPack, GivenEarlierCountsFirst) {
  const std::string rows = PackOf("rows", ScaleRows("n*grid.x"));
  const std::string row = PackOf("row", ScaleRows("n"));
  const auto writes = [](const std::string& first, const std::string& second) {
    const CommandResult result =
        RunCommand({"plan", Capture("scale_rows.json"), "--pack", first,
                    "--pack", second, "--explain", "2"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(writes(rows, row), HasSubstr("0x7f2000030000:f32:2048\n"));
  EXPECT_THAT(writes(row, rows), HasSubstr("0x7f2000030000:f32:256\n"));
}

TEST(UserPack, CountsBeforeTheBuiltInOnes) {
  const std::string pack = PackOf("no_quantizer", R"(
    {"name": "mine", "symbol": "_Z13quantize_q8_1PKf", "effects": [],
     "parameters": ["0 pointer x", "8 pointer vy", "16 i64 ne00", "24 i64 s01",
                    "32 i64 s02", "40 i64 s03", "48 i64 ne0", "56 u32 ne1",
                    "60 uint3 ne2"]})");
  const CommandResult with =
      RunCommand({"plan", Capture("scale_rows.json"), "--pack", pack});
  EXPECT_THAT(with.out, HasSubstr("quantizers         0      0\n")) << with.err;
  const CommandResult without =
      RunCommand({"plan", Capture("scale_rows.json")});
  EXPECT_THAT(without.out, HasSubstr("quantizers         2      2\n"));
}

TEST(UserPack, ChangesAPictureToo) {
  const std::string pack = PackOf("picture", ScaleRows("n"));
  const std::string capture = Capture("scale_rows.json");
  const std::string opaque = "lightpink";
  EXPECT_THAT(RunCommand({"dot", capture}).out, HasSubstr(opaque));
  const CommandResult known = RunCommand({"dot", "--pack", pack, capture});
  EXPECT_EQ(known.status, 0) << known.err;
  EXPECT_THAT(known.out, Not(HasSubstr(opaque)));
}

TEST(UserPack, NamesTheFileAndThePlaceOfWhatIsWrong) {
  const std::string pack = PackOf("wrong", ScaleRows("m"));
  const CommandResult result =
      RunCommand({"plan", Capture("scale_rows.json"), "--pack", pack});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, absl::StrCat("reprise plan: ", pack,
                                     ": wrong: signatures[0] scale_rows: "
                                     "effects[0].length: unknown name 'm'\n"));
}

}  // namespace
}  // namespace reprise::testing
