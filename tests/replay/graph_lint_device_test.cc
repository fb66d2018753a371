// Packs that tell the truth about kernels on a GPU, and packs that do not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "replay/graph_lint.h"
#include "tests/kernels/on_device.h"
#include "tests/replay/device_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using GraphLintOnDevice = OnDevice;

// reprise_add, said to write `length` floats of its output.
std::vector<Pack> PackOfAdd(const std::string& length) {
  const std::string text = R"({"pack": "wrong", "version": 1, "signatures": [
    {"name": "add", "symbol": "reprise_add$", "pure": true,
     "parameters": [{"struct": "p", "offset": 0, "bytes": 32, "fields": [
       "0 pointer a", "8 pointer b", "16 pointer output", "24 i64 count"]}],
     "effects": [
       {"parameter": "p.a", "access": "read", "element": "f32",
        "length": "p.count"},
       {"parameter": "p.b", "access": "read", "element": "f32",
        "length": "p.count"},
       {"parameter": "p.output", "access": "write", "element": "f32",
        "length": ")" + length +
                           R"("}]}]})";
  std::vector<Pack> packs = {*Pack::Parse(text)};
  packs.insert(packs.end(), BuiltInPacks().begin(), BuiltInPacks().end());
  return packs;
}

struct Linted {
  std::vector<LintFinding> findings;
  std::vector<float> outputs;
};

Linted Lint(const DeviceLoopShape& shape, absl::Span<const Pack> packs) {
  const Driver& driver = **LoadDriver();
  const DeviceStream stream;
  DeviceLoop loop(1);
  loop.Refresh(0, stream);
  loop.Run(shape, stream.get());  // loads the kernels
  loop.Refresh(0, stream);
  GraphHandle graph = loop.Capture(driver, shape, stream);
  absl::StatusOr<GraphLint> lint =
      GraphLint::Create(driver, graph.get(), packs);
  EXPECT_OK(lint);
  if (!lint.ok()) return {};
  graph = GraphHandle();
  const auto findings = lint->Run(stream.get());
  EXPECT_OK(findings);
  return {findings.ok() ? *findings : std::vector<LintFinding>(),
          loop.Outputs(stream)};
}

std::string Texts(const std::vector<LintFinding>& findings) {
  std::string texts;
  for (const LintFinding& finding : findings) texts += finding.text + "\n";
  return texts;
}

TEST_F(GraphLintOnDevice, FindsNothingInOurOwnPack) {
  for (const DeviceLoopShape& shape :
       {DeviceLoopShape(), DeviceLoopShape{.tokens = 4, .fork = true},
        DeviceLoopShape{.between = Between::kCopy, .fill = 1}}) {
    EXPECT_EQ(Texts(Lint(shape, BuiltInPacks()).findings), "");
  }
}

TEST_F(GraphLintOnDevice, LeavesMemoryAsAReplayLeavesIt) {
  const DeviceStream stream;
  DeviceLoop loop(1);
  loop.Refresh(0, stream);
  loop.Run({}, stream.get());
  const std::vector<float> expected = loop.Outputs(stream);
  EXPECT_TRUE(SameBytes(Lint({}, BuiltInPacks()).outputs, expected));
}

TEST_F(GraphLintOnDevice, FindsWhatASignatureDoesNotDeclare) {
  const std::string texts = Texts(Lint({}, PackOfAdd("p.count - 2")).findings);
  EXPECT_NE(texts.find("(reprise_add) wrote "), std::string::npos) << texts;
  EXPECT_NE(texts.find("does not declare"), std::string::npos) << texts;
}

TEST_F(GraphLintOnDevice, TakesASignatureThatDeclaresMoreThanIsWritten) {
  EXPECT_EQ(Texts(Lint({}, PackOfAdd("p.count")).findings), "");
}

TEST_F(GraphLintOnDevice, SaysWhichNodeCannotBeRunAlone) {
  const Driver& driver = **LoadDriver();
  const DeviceStream stream;
  DeviceLoop loop(1);
  const DeviceLoopShape shape = {.between = Between::kHostCall};
  loop.Run(shape, stream.get());
  const GraphHandle graph = loop.Capture(driver, shape, stream);
  const auto lint = GraphLint::Create(driver, graph.get(), BuiltInPacks());
  EXPECT_THAT(lint, HasText("cannot be run alone"));
}

}  // namespace
}  // namespace reprise::testing
