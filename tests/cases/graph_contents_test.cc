// Faults reported in public: nodes that are no kernels of a pack, and what a
// rewritten graph must keep of those that are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "capture/annotate.h"
#include "capture/pack.h"
#include "planner/rewrite.h"
#include "tests/cases/case_program.h"
#include "tests/planner/plan_case.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using decoder::Rows;

TEST(PublicCase, D42_AFillOfTheViewIsAnEpoch) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Add(x, x, y);
  p.QuantizeAndProject(y);
  EXPECT_OK(
      p.recorder().FillBytes(p.recorder().origin(), y.address, 0x3f, 256));
  p.QuantizeAndProject(y);
  EXPECT_EQ(RunCase(p).quantizers(), 2u);
}

TEST(PublicCase, D42_AFillOfOneByteOfTheViewIsAnEpoch) {
  for (std::uint64_t at : {0, 255, 256}) {
    CaseProgram p;
    const Rows x = p.Input(1, 64), y = p.Buffer(1, 65);
    const Rows row{y.address, 1, 64};
    p.Add(x, x, row);
    p.QuantizeAndProject(row);
    EXPECT_OK(
        p.recorder().FillBytes(p.recorder().origin(), y.address + at, 1, 1));
    p.QuantizeAndProject(row);
    EXPECT_EQ(RunCase(p).quantizers(), at < 256 ? 2u : 1u) << at;
  }
}

// The chain with a fill of two rows behind `node`.
Graph WithFillAfter(const Graph& chain, std::uint32_t node, const Fill& fill) {
  Graph graph;
  const auto link = [&](NodeId added) {
    if (added.value > 0) graph.AddEdge({NodeId{added.value - 1}, added});
  };
  for (std::uint32_t n = 0; n < chain.num_nodes(); ++n) {
    link(graph.CopyNode(chain, NodeId{n}));
    if (n == node) link(graph.AddFill(fill, chain.node(NodeId{n}).stream));
  }
  for (const Allocation& a : chain.allocations()) graph.AddAllocation(a);
  Annotate(BuiltInPacks(), graph);
  return graph;
}

// Of three rows of 64 floats, 128 apart, the last two are quantized before and
// after a fill of 64 bytes in each of the first two, `offset` floats in.
std::uint64_t QuantizersAroundFill(std::uint64_t offset) {
  CaseProgram p;
  const Rows all = p.Input(3, 64, 128);
  const Rows y{all.address + 512, 2, 64, 128};
  p.QuantizeAndProject(y);
  p.QuantizeAndProject(y);
  Fill fill;
  fill.target = all.address + offset * 4;
  fill.width = 64;
  fill.height = 2;
  fill.pitch = 512;
  fill.value = 0x40;
  const Graph graph = WithFillAfter(p.Finish(), 1, fill);
  return RunCase(p, p.memory(), graph).quantizers();
}

TEST(PublicCase, D42_AFillOfRowsIsAnEpochOfTheViewsItTouches) {
  EXPECT_EQ(QuantizersAroundFill(0), 2u);
  EXPECT_EQ(QuantizersAroundFill(48), 2u);
  EXPECT_EQ(QuantizersAroundFill(63), 2u);
  // In the gaps between the rows.
  EXPECT_EQ(QuantizersAroundFill(64), 1u);
  EXPECT_EQ(QuantizersAroundFill(112), 1u);
}

// `node` stands between a quantizer and its reader, and before a second pair.
std::string PlanAround(const std::string& node) {
  const std::string graph =
      "chain\n"
      "0: other | x -> y |\n"
      "1: quantize scratch | y -> A |\n"
      "2: " +
      node +
      " | | \n"
      "3: matvec q4_0 | a w -> o |\n"
      "4: quantize scratch | y -> B |\n"
      "5: matvec q4_0 | b w -> p |\n";
  return PlanText({"", graph.c_str(), "", {.emission = false}});
}

TEST(PublicCase, D45_AChildGraphIsABarrier) {
  EXPECT_EQ(PlanAround("child_graph"), "\ndecline opaque_node n4: n2\n");
}

TEST(PublicCase, D46_AConditionalNodeIsABarrier) {
  EXPECT_EQ(PlanAround("conditional"), "\ndecline opaque_node n4: n2\n");
}

TEST(PublicCase, D56_AKernelThatNoPackKnowsIsABarrier) {
  EXPECT_EQ(PlanAround("opaque"), "\ndecline opaque_node n4: n2\n");
}

TEST(PublicCase, D47_MemoryOfTheGraphItselfIsLeftAlone) {
  EXPECT_EQ(PlanText({"", R"(chain
0: mem_alloc | |
1: rms_norm mul | x -> y | emits=k
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> o |
4: mem_free | |
)",
                      ""}),
            R"(
decline opaque_reader n2: n4
)");
}

// A library's kernel stands between the quantizer and its reader, and writes
// what they work on.
TEST(PublicCase, D56_WhatAnUnknownNodeWritesIsQuantizedAnew) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Add(x, x, y);
  const auto image = p.ImagePlace(y);
  p.Quantize(y, image);
  EXPECT_OK(p.recorder().HostCall(p.recorder().origin()));
  p.Project(y, image);
  p.Quantize(y, image);
  p.Project(y, image);
  CaseOptions options;
  options.host_calls[NodeId{2}] = [&](HostMemory& memory) {
    EXPECT_OK(memory.Write(y.address, std::vector<std::uint8_t>(128, 0x41)));
    EXPECT_OK(memory.Write(image, {1, 2, 3}));
  };
  EXPECT_EQ(RunCase(p, options).quantizers(), 2u);
}

KernelLaunch WithoutPointers(KernelLaunch launch) {
  launch.symbol.clear();
  launch.bytes.clear();
  return launch;
}

TEST(PublicCase, D49_EveryLaunchKeepsItsAttributes) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Norm(x, y);
  p.QuantizeAndProject(y);
  p.Add(x, x, y);
  p.QuantizeAndProject(y);
  p.QuantizeAndProject(y);
  Graph graph = p.Finish();
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    KernelLaunch& launch = graph.mutable_launch(NodeId{n});
    launch.cooperative = n % 2 == 0;
    launch.programmatic_serialization = n % 3 == 0;
    launch.shared_bytes = 16 * n;
    if (n % 2 == 1) launch.cluster = Dim3{n, 2, 1};
  }
  const CaseRun run = RunCase(p, p.memory(), graph);
  ASSERT_EQ(run.emitting(), 1u);
  ASSERT_EQ(run.quantizers(), 1u);
  const Rewritten after = Rewrite(graph, run.plan, FreeAddress(graph));
  for (std::uint32_t n = 0; n < after.graph.num_nodes(); ++n) {
    EXPECT_EQ(WithoutPointers(after.graph.launch(NodeId{n})),
              WithoutPointers(graph.launch(after.origin[n])))
        << NameOf(after.graph, NodeId{n});
  }
}

Graph Parsed(const std::string& text) {
  absl::StatusOr<Graph> graph = GraphFromText(kViews + text);
  EXPECT_OK(graph);
  return graph.ok() ? *std::move(graph) : Graph();
}

TEST(PublicCase, D50_EdgesThatStayKeepTheirTypeAndPorts) {
  Graph graph = Parsed(R"(
0: other | x -> y |
1: quantize scratch | y -> A | waits after ~0
2: matvec q4_0 | a w -> o | waits after ~1
3: quantize scratch | y -> A | after 2
4: matvec q4_0 | a w -> p | after 3
)");
  graph.AddEdge({NodeId{0}, NodeId{4}, EdgeType::kProgrammatic, 2, 1});
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_OK(plan);
  const Graph after = Rewrite(graph, *plan, FreeAddress(graph)).graph;
  const NodeId reader{3};  // it was 4
  const std::vector<Edge> expected = {
      {NodeId{0}, NodeId{1}, EdgeType::kProgrammatic, 1, 0},
      {NodeId{1}, NodeId{2}, EdgeType::kProgrammatic, 1, 0},
      {NodeId{0}, reader, EdgeType::kProgrammatic, 2, 1},
      {NodeId{2}, reader}};
  EXPECT_EQ(std::vector<Edge>(after.edges().begin(), after.edges().end()),
            expected);
}

// The quantizers may run before the writer that they seem to follow.
TEST(PublicCase, D51_AKernelThatDoesNotWaitIsInNoOrderWithItsPredecessor) {
  EXPECT_EQ(PlanText({"", R"(
0: other | x -> y |
1: quantize scratch | y -> A | after ~0
2: matvec q4_0 | a w -> o | after 1
3: quantize scratch | y -> A | after 2
4: matvec q4_0 | a w -> p | after 3
)",
                      ""}),
            R"(
decline unordered_write n1: n0
decline unordered_write n3: n0
)");
}

// Only one of the two edges that the removed quantizer joined was programmatic,
// and the reader waits for nobody.
TEST(PublicCase, D51_TheEdgeFromAnEmittingProducerIsFullWhereOneWas) {
  EXPECT_EQ(PlanText({"", R"(
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A | waits after ~0
2: matvec q4_0 | a w -> o | after 1
)",
                      ""}),
            R"(
image arena 0+576: n0 emits, without n1; patches n2
edge n0 -> n2
)");
}

}  // namespace
}  // namespace reprise::testing
