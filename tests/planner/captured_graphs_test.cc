// The planner on graphs that a real engine captured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "capture/annotate.h"
#include "capture/capture_file.h"
#include "graph/text.h"
#include "planner/order.h"
#include "planner/planner.h"
#include "planner/rewrite.h"
#include "planner/summary.h"
#include "tests/planner/reachability.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

struct Capture {
  const char* file;
  std::uint32_t quantizers_before;
  std::uint32_t quantizers_after;

  friend std::ostream& operator<<(std::ostream& out, const Capture& c) {
    return out << c.file;
  }
};

// The counts after were measured by dropping quantizers in the live engine
// (the last row: counted).
constexpr Capture kDecodes[] = {
    {"ggml_qwen7b_q4_0_T1.json", 169, 113},
    {"ggml_llama1b_q4_k_T1.json", 97, 65},
    {"ggml_llama1b_q4_0_T1_nopdl.json", 97, 65},
    {"ggml_llama1b_q4_0_T8.json", 113, 65},
    {"ggml_moe_q4_0_T1.json", 145, 97},
    {"ggml_moe_q4_0_T4.json.gz", 169, 97},
};

Graph Load(const std::string& file) {
  absl::StatusOr<Graph> graph =
      ReadCapture(REPRISE_TEST_DATA "/captures/" + file);
  EXPECT_OK(graph);
  if (!graph.ok()) return {};
  Annotate(BuiltInPacks(), *graph);
  return *std::move(graph);
}

class CapturedGraph : public ::testing::TestWithParam<Capture> {};

TEST_P(CapturedGraph, LosesEveryRepeatedQuantizer) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_OK(plan);
  const Summary summary = Summarize(graph, *plan);
  EXPECT_EQ(summary.before.opaque, 0u);
  EXPECT_EQ(summary.before.quantizers, GetParam().quantizers_before);
  EXPECT_EQ(summary.after.quantizers, GetParam().quantizers_after);
}

TEST_P(CapturedGraph, ChangesNoMoreOncePlanned) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_OK(plan);
  const Rewritten once = Rewrite(graph, *plan, FreeAddress(graph));
  const absl::StatusOr<Plan> again = MakePlan(once.graph);
  ASSERT_OK(again);
  EXPECT_TRUE(again->empty()) << ToText(*again);
}

// The engine launches programmatically where both sides can; a bridge between
// two such edges must not lose that.
TEST_P(CapturedGraph, KeepsProgrammaticChainsProgrammatic) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_OK(plan);
  bool programmatic = false;
  for (const Edge& edge : graph.edges()) {
    programmatic |= edge.type == EdgeType::kProgrammatic;
  }
  for (const Edge& edge : plan->added_edges) {
    EXPECT_EQ(edge.type == EdgeType::kProgrammatic, programmatic)
        << edge.from.value << " -> " << edge.to.value;
  }
}

// Nodes on the longest way through the graph.
std::uint32_t LongestChain(const Graph& graph, const Order& order) {
  std::vector<std::uint32_t> depth(graph.num_nodes(), 1);
  std::uint32_t longest = 0;
  for (NodeId node : order.nodes()) {
    for (std::uint32_t e : order.topology().incoming(node)) {
      const std::uint32_t before = depth[graph.edges()[e].from.value];
      depth[node.value] = std::max(depth[node.value], before + 1);
    }
    longest = std::max(longest, depth[node.value]);
  }
  return longest;
}

TEST_P(CapturedGraph, KeepsTheOrderOfConflictsWhenRelaxed) {
  const Graph graph = Load(GetParam().file);
  PlanOptions options;
  const absl::StatusOr<Plan> strict_plan = MakePlan(graph, options);
  ASSERT_OK(strict_plan);
  const Graph strict = Rewrite(graph, *strict_plan, FreeAddress(graph)).graph;
  const absl::StatusOr<Order> before = Order::Of(strict);
  ASSERT_OK(before);
  options.relax = true;
  for (std::uint32_t width : {0u, 4u}) {
    options.relax_width = width;
    const absl::StatusOr<Plan> plan = MakePlan(graph, options);
    ASSERT_OK(plan);
    const Graph relaxed = Rewrite(graph, *plan, FreeAddress(graph)).graph;
    const absl::StatusOr<Order> after = Order::Of(relaxed);
    ASSERT_OK(after);
    for (NodeId b : before->nodes()) {
      for (NodeId a : before->nodes()) {
        if (!before->Before(a, b) || !Conflict(strict, a, b)) continue;
        ASSERT_TRUE(after->Before(a, b)) << a.value << " before " << b.value;
      }
    }
    EXPECT_LT(LongestChain(relaxed, *after), LongestChain(strict, *before))
        << "width " << width;
  }
}

INSTANTIATE_TEST_SUITE_P(Decode, CapturedGraph, ::testing::ValuesIn(kDecodes),
                         [](const auto& p) {
                           std::string name(p.param.file);
                           return name.substr(0, name.find('.'));
                         });

TEST(CapturedPrefill, PlansAroundLibraryKernelsThatNoPackDescribes) {
  for (const char* file :
       {"ggml_llama1b_q4_0_T512.json.gz", "ggml_moe_q4_k_T512.json.gz"}) {
    const Graph graph = Load(file);
    const absl::StatusOr<Plan> plan = MakePlan(graph);
    ASSERT_OK(plan);
    EXPECT_GT(Summarize(graph, *plan).before.opaque, 0u) << file;
  }
}

}  // namespace
}  // namespace reprise::testing
