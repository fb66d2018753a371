// Pictures: the text for Graphviz, and that Graphviz takes it.
#include "tools/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/text.h"
#include "planner/planner.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A norm that emits, two quantizers of its output, their readers.
const char kEmission[] = R"(
chain
view y = 0x1000:f32:512
view w = 0x9000:byte:64
0: rms_norm mul | 0x8000:f32:512 -> y | @0 emits=rms_emit
1: quantize scratch | y -> 0x2000:q8_1:16 | @0
2: matvec q4_0 | 0x2000:q8_1:16 weights:w -> 0x3000:f32:32 | @0
3: quantize scratch | y -> 0x2000:q8_1:16 | @0
4: matvec q4_0 | 0x2000:q8_1:16 weights:w -> 0x4000:f32:32 | @0 waits after ~3
5: opaque | | @0
)";

Graph Parsed(const std::string& text) {
  absl::StatusOr<Graph> graph = GraphFromText(text);
  EXPECT_OK(graph);
  return *std::move(graph);
}

bool HaveGraphviz() { return std::system("dot -V >/dev/null 2>&1") == 0; }

CommandResult Render(const std::string& dot) {
  const std::string path = TempPath("graph.dot");
  WriteFile(path, dot);
  return RunShell(absl::StrCat("dot -Tsvg ", ShellQuoted(path)));
}

TEST(Dot, ColoursNodesByWhatTheyAre) {
  const std::string dot = ToDot(Parsed(kEmission), {});
  EXPECT_THAT(dot,
              HasSubstr("n0 [label=\"0 rms_norm mul\", fillcolor=palegreen]"));
  EXPECT_THAT(dot,
              HasSubstr("n1 [label=\"1 quantize scratch\", fillcolor=gold]"));
  EXPECT_THAT(dot, HasSubstr("fillcolor=lightskyblue"));
  EXPECT_THAT(dot, HasSubstr("fillcolor=lightpink"));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_0"));
  EXPECT_THAT(dot, HasSubstr("n3 -> n4 [style=dashed]"));
}

TEST(Dot, ShowsWhatThePlanChanges) {
  const Graph graph = Parsed(kEmission);
  PlannedImage image;
  image.writer = NodeId{0};
  image.emitted = true;
  image.removed = {NodeId{1}, NodeId{3}};
  image.in_arena = true;
  image.readers = {{NodeId{2}}, {NodeId{4}}};
  Plan plan;
  plan.images = {image};
  plan.dropped_edges = {0};
  plan.added_edges = {{NodeId{0}, NodeId{2}}};
  const std::string dot = ToDot(graph, {.plan = &plan});
  EXPECT_THAT(dot, HasSubstr("palegreen, peripheries=2"));
  EXPECT_THAT(dot, HasSubstr("lightskyblue, penwidth=2"));
  EXPECT_THAT(dot, HasSubstr("style=\"filled,dashed\""));
  EXPECT_THAT(dot, HasSubstr("n0 -> n1 [color=gray75]"));
  EXPECT_THAT(dot, HasSubstr("n0 -> n2 [color=red3]"));
}

TEST(Dot, ShowsOnlyTheNodesAround) {
  const Graph graph = Parsed(kEmission);
  const std::vector<bool> shown = NodesAround(graph, NodeId{0}, 1);
  EXPECT_EQ(shown, (std::vector<bool>{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(NodesAround(graph, NodeId{2}, 2),
            (std::vector<bool>{1, 1, 1, 1, 1, 0}));
  const std::string dot = ToDot(graph, {.shown = shown});
  EXPECT_THAT(dot, HasSubstr("n0 -> n1"));
  EXPECT_THAT(dot, Not(HasSubstr("n2")));
}

TEST(Dot, QuotesWhatSymbolsMayHold) {
  EXPECT_EQ(DotQuoted("plain"), "\"plain\"");
  EXPECT_EQ(DotQuoted("say \"no\""), "\"say \\\"no\\\"\"");
  EXPECT_EQ(DotQuoted("back\\slash\\"), "\"back\\\\slash\\\\\"");
}

TEST(Dot, IsTakenByGraphvizWhateverASymbolHolds) {
  if (!HaveGraphviz()) GTEST_SKIP() << "dot is not installed";
  Graph graph;
  for (const char* symbol :
       {"\"]; n9 -> n8", "ends with \\", "<b>", "{a|b}", "two\nlines", ""}) {
    KernelLaunch launch;
    launch.symbol = symbol;
    graph.AddKernel(launch);
  }
  const CommandResult svg = Render(ToDot(graph, {}));
  EXPECT_EQ(svg.status, 0) << svg.err;
  EXPECT_THAT(svg.out, Not(HasSubstr("<title>n9</title>")));
  EXPECT_THAT(svg.out, HasSubstr("&lt;b&gt;"));
}

TEST(Dot, OfACaptureIsTakenByGraphviz) {
  if (!HaveGraphviz()) GTEST_SKIP() << "dot is not installed";
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{}, {"--plan"}, {"--plan", "--around", "40"}}) {
    std::vector<std::string> arguments = {"dot",
                                          Capture("ggml_llama1b_q4_0_T8.json")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const CommandResult result = RunCommand(arguments);
    ASSERT_EQ(result.status, 0) << result.err;
    const CommandResult svg = Render(result.out);
    EXPECT_EQ(svg.status, 0) << svg.err;
    EXPECT_EQ(svg.err, "");
    EXPECT_THAT(svg.out, HasSubstr("quantize_q8_1"));
  }
}

TEST(Dot, ThatIsBrokenIsNotTakenByGraphviz) {
  if (!HaveGraphviz()) GTEST_SKIP() << "dot is not installed";
  EXPECT_NE(Render("digraph { n0 [label=\"open] }").status, 0);
}

}  // namespace
}  // namespace reprise::testing
