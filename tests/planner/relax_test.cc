// Rows for relaxed edges, and the needed order and the width by brute force.
#include "planner/relax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/topology.h"
#include "planner/rewrite.h"
#include "tests/planner/plan_case.h"
#include "tests/planner/random_graph.h"
#include "tests/planner/reachability.h"
#include "tests/planner/unrelaxed.h"

namespace reprise::testing {
namespace {

PlanOptions Relaxed(std::uint32_t width) {
  PlanOptions options;
  options.relax = true;
  options.relax_width = width;
  return options;
}

// A line for each node that follows others, in captured numbers: "3 after 0 ~2"
// as in the text of a graph.
std::string AfterLines(const Rewritten& rewritten) {
  std::vector<std::set<std::string>> after(rewritten.now.size());
  for (const Edge& edge : rewritten.graph.edges()) {
    after[rewritten.origin[edge.to.value].value].insert(
        absl::StrCat(edge.type == EdgeType::kProgrammatic ? " ~" : " ",
                     rewritten.origin[edge.from.value].value));
  }
  std::string lines = "\n";
  for (std::size_t n = 0; n < after.size(); ++n) {
    if (after[n].empty()) continue;
    absl::StrAppend(&lines, n, " after");
    for (const std::string& from : after[n]) lines += from;
    lines += "\n";
  }
  return lines;
}

struct RelaxCase {
  const char* name;
  const char* graph;
  const char* edges;
  std::uint32_t width = 0;

  friend std::ostream& operator<<(std::ostream& out, const RelaxCase& c) {
    return out << c.name;
  }
};

constexpr char kFourAndTheirSum[] = R"(chain
0: other | w -> x |
1: other | w -> y |
2: other | w -> z |
3: other | w -> o |
4: other | x y z o -> p |
)";

const RelaxCase kCases[] = {
    {"AReadFollowsItsWrite", R"(chain
0: other | w -> x |
1: other | w -> y |
2: other | x -> z |
)",
     R"(
2 after 0
)"},
    {"AWriteFollowsTheReadsOfWhatItOverwrites", R"(chain
0: other | x -> y |
1: other | x -> z |
2: other | w -> x |
)",
     R"(
2 after 0 1
)"},
    {"AWriteFollowsTheWriteThatItOverwrites", R"(chain
0: other | w -> x |
1: other | w -> y |
2: other | o -> x |
)",
     R"(
2 after 0
)"},
    {"ReadsOfTheSameBytesAreFree", R"(chain
0: other | x -> y |
1: other | x -> z |
)",
     R"(
)"},
    {"PartOfAViewIsEnough", R"(chain
0: other | w -> half |
1: other | w -> 0x2000:f32:16 |
2: other | y -> z |
)",
     R"(
2 after 0 1
)"},
    {"AWriteOfPartHidesNothing", R"(chain
0: other | w -> y |
1: other | w -> half |
2: other | y -> z |
3: other | 0x2000:f32:16 -> o |
)",
     R"(
1 after 0
2 after 1
3 after 0
)"},
    {"AWriteOfASubsetOrdersAsOneOfAll", R"(chain
0: other | w -> x |
1: other | w -> x? |
2: other | x -> z |
)",
     R"(
1 after 0
2 after 1
)"},
    {"RowsThatInterleaveAreFree", R"(chain
0: other | w -> 0x1000:f32:16x4/4,128 |
1: other | w -> 0x1040:f32:16x4/4,128 |
)",
     R"(
)"},
    {"WhatAnotherPathOrdersHasNoEdge", R"(chain
0: other | w -> x |
1: other | x -> y |
2: other | x y -> z |
)",
     R"(
1 after 0
2 after 1
)"},
    {"AnOpaqueNodeKeepsItsPlace", R"(chain
0: other | w -> x |
1: other | w -> y |
2: opaque | |
3: other | w -> z |
4: other | w -> o |
)",
     R"(
2 after 0 1
3 after 2
4 after 2
)"},
    {"OpaqueNodesInARowStayARow", R"(chain
0: opaque | |
1: opaque | |
2: other | w -> x |
3: opaque | |
)",
     R"(
1 after 0
2 after 1
3 after 2
)"},
    {"AHostCallKeepsItsPlace", R"(chain
0: other | w -> x |
1: host | |
2: other | w -> y |
)",
     R"(
1 after 0
2 after 1
)"},
    {"AnEmptyNodeOrdersNothing", R"(chain
0: other | w -> x |
1: empty | |
2: other | x -> y |
)",
     R"(
2 after 0
)"},
    // Node 1 might see 2 done and 0 not.
    {"WhatAnOpaqueBranchMaySeeKeepsItsOrder", R"(
0: other | w -> x | @0
1: opaque | | @1
2: other | w -> y | @0 after 0
3: other | w -> z | @0 after 1 2
4: other | w -> o | @0 after 3
)",
     R"(
2 after 0
3 after 1 2
4 after 1 2
)"},
    {"WhatARaceMaySeeKeepsItsOrder", R"(
0: other | w -> x | @0
1: other | x y -> z | @1
2: other | w -> y | @0 after 0
3: other | w -> o | @0 after 2
4: other | w -> p | @0 after 3
)",
     R"(
2 after 0
3 after 2
4 after 2
)"},
    {"BranchesStayFree", R"(
0: other | w -> x | @0
1: other | x -> y | @0 after 0
2: other | x -> z | @1 after 0
3: other | y -> o | @0 after 1 2
)",
     R"(
1 after 0
2 after 0
3 after 1
)"},
    {"AnImageThatMustStayOrdersAllWhoUseItsPlace",
     R"(chain
0: quantize | x -> A |
1: matvec q4_0 | a w -> o |
2: quantize | y -> A |
3: matvec q4_0 | a w -> p |
)",
     R"(
1 after 0
2 after 1
3 after 2
)"},
    {"ScratchMovesToTheArenaAndOrdersNobody",
     R"(chain
0: quantize scratch | x -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> p |
)",
     R"(
1 after 0
3 after 2
)"},
    {"SharedImagesInTheArenaFreeScratchToo",
     R"(chain
0: quantize scratch | x -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> p |
4: quantize scratch | x -> B |
5: matvec q4_0 | b w -> 0x7000:f32:8 |
)",
     R"(
1 after 0
3 after 2
5 after 0
)"},
    {"ImagesInTheArenaOrderNobody", R"(chain
0: rms_norm mul | x -> y | emits=k
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: rms_norm mul | z -> x | emits=k
4: quantize scratch | x -> A |
5: matvec q4_0 | a w -> p |
)",
     R"(
2 after 0
3 after 0
5 after 3
)"},
    {"AProgrammaticEdgeThatIsNeededStays", R"(
0: other | w -> x |
1: other | x -> y | waits after ~0
2: other | x -> z | waits after ~1
)",
     R"(
1 after ~0
2 after ~0
)"},
    {"ANewEdgeIsFullWhereNothingWasProgrammatic", R"(
0: other | w -> x | waits
1: other | x -> y | waits after 0
2: other | x -> z | waits after 1
)",
     R"(
1 after 0
2 after 0
)"},
    {"ANewEdgeIsFullWhereNobodyWaits", R"(
0: other | w -> x |
1: other | w -> y | after 0
2: other | x -> z | after ~0 1
)",
     R"(
2 after 0
)"},
    {"ANewEdgeFromWhatIsNoKernelIsFull", R"(
0: memset | -> x |
1: other | w -> y | after 0
2: other | x y -> z | waits after ~1
)",
     R"(
2 after 0 ~1
)"},
    {"ACapturedFullEdgeStaysFull", R"(
0: other | w -> x |
1: other | w -> y |
2: other | x y -> z | waits after 0 ~1
)",
     R"(
2 after 0 ~1
)"},
    {"AProgrammaticEdgeThatOrdersNothingGoes", R"(
0: other | w -> x |
1: other | w -> y | after ~0
)",
     R"(
)"},
    {"AProgrammaticEdgeIntoAnOpaqueNodeStays", R"(
0: other | w -> x |
1: other | w -> y | after 0
2: opaque | | after ~1
)",
     R"(
1 after 0
2 after ~1
)"},
    {"AProgrammaticEdgeThatMayHideAWaitStays", R"(
0: other | w -> x |
1: other | w -> y | after 0
2: other | x -> z | after ~1
)",
     R"(
1 after 0
2 after ~1
)"},
    {"WidthOneIsAChain", kFourAndTheirSum, R"(
1 after 0
2 after 1
3 after 2
4 after 3
)",
     1},
    {"WidthTwoIsTwoChains", kFourAndTheirSum, R"(
2 after 0
3 after 1
4 after 2 3
)",
     2},
    {"WidthThreeIsThreeChains", kFourAndTheirSum, R"(
3 after 0
4 after 1 2 3
)",
     3},
    {"WidthFourIsFourChains", kFourAndTheirSum, R"(
4 after 0 1 2 3
)",
     4},
    {"ANodeFollowsTheChainThatItWaitsForAnyway", R"(chain
0: other | w -> x |
1: other | w -> y |
2: other | y -> z |
3: other | x -> o |
)",
     R"(
2 after 1
3 after 0
)",
     2},
    {"AChainThatIsLessDeepTakesMore", R"(chain
0: other | w -> x |
1: other | x -> y |
2: other | w -> z |
3: other | w -> o |
)",
     R"(
1 after 0
3 after 2
)",
     2},
};

class RelaxRow : public ::testing::TestWithParam<RelaxCase> {};

TEST_P(RelaxRow, LeavesTheseEdges) {
  const absl::StatusOr<Graph> graph =
      GraphFromText(std::string(kViews) + GetParam().graph);
  ASSERT_OK(graph);
  const absl::StatusOr<Plan> plan = MakePlan(*graph, Relaxed(GetParam().width));
  ASSERT_OK(plan);
  EXPECT_EQ(AfterLines(Rewrite(*graph, *plan, FreeAddress(*graph))),
            GetParam().edges);
}

INSTANTIATE_TEST_SUITE_P(Rows, RelaxRow, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

TEST(Plan, IsNotEmptyWhenItOnlyRelaxes) {
  const absl::StatusOr<Graph> graph =
      GraphFromText("chain\n0: other | |\n1: other | |\n");
  ASSERT_OK(graph);
  EXPECT_TRUE(MakePlan(*graph)->empty());
  EXPECT_FALSE(MakePlan(*graph, Relaxed(4))->empty());
}

TEST(RelaxedGraph, KeepsTheOrderOfCopiesThroughHostMemory) {
  Graph graph;
  Copy to_host;
  to_host.source = 0x1000;
  to_host.target_kind = MemoryKind::kHost;
  Copy from_host;
  from_host.target = 0x2000;
  from_host.source_kind = MemoryKind::kHost;
  Edge edge;
  edge.from = graph.AddCopy(to_host);
  edge.to = graph.AddCopy(from_host);
  graph.AddEdge(edge);
  for (NodeId id : {edge.from, edge.to}) {
    graph.mutable_node(id).effects_complete = true;
  }
  const absl::StatusOr<Plan> plan = MakePlan(graph, Relaxed(0));
  ASSERT_OK(plan);
  EXPECT_EQ(AfterLines(Rewrite(graph, *plan, FreeAddress(graph))),
            "\n1 after 0\n");
}

// The arena gives two images the same bytes only where the relaxed order keeps
// them apart; they then cost no more than one.
TEST(RelaxedImages, ShareBytesWhereTheirOrderIsNeededAnyway) {
  const absl::StatusOr<Graph> graph = GraphFromText(std::string(kViews) + R"(
chain
0: quantize scratch | x -> A |
1: matvec q4_0 | a w -> y |
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> z |
4: quantize scratch | z -> A |
5: matvec q4_0 | a w -> o |
)");
  ASSERT_OK(graph);
  const absl::StatusOr<Plan> plan = MakePlan(*graph, Relaxed(0));
  ASSERT_OK(plan);
  EXPECT_EQ(plan->images.size(), 3u);
  EXPECT_EQ(plan->arena.bytes, 640u);
  EXPECT_EQ(plan->arena.sum_of_images, 3 * 576u);
}

// The slow, obvious answers.

std::vector<NodeId> Nodes(const Graph& graph) {
  std::vector<NodeId> nodes;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) nodes.push_back({n});
  return nodes;
}

std::vector<bool> PinnedNodes(const Graph& graph, const Reachability& order) {
  std::vector<bool> pinned(graph.num_nodes());
  for (NodeId a : Nodes(graph)) {
    for (NodeId b : Nodes(graph)) {
      const bool unordered = !order.Before(a, b) && !order.Before(b, a);
      if (unordered && Conflict(graph, a, b)) {
        pinned[a.value] = pinned[a.value] || a != b;
      }
    }
    if (!graph.node(a).effects_complete) pinned[a.value] = true;
  }
  return pinned;
}

// The pairs that have to stay in order, as edges.
Graph NeededGraph(const Graph& graph, const Reachability& order,
                  const std::vector<bool>& pinned) {
  Graph needed;
  for (NodeId node : Nodes(graph)) needed.AddNode(graph.node(node));
  for (NodeId a : Nodes(graph)) {
    for (NodeId b : Nodes(graph)) {
      if (!order.Before(a, b)) continue;
      if (!pinned[a.value] && !pinned[b.value] && !Conflict(graph, a, b)) {
        continue;
      }
      Edge edge;
      edge.from = a;
      edge.to = b;
      needed.AddEdge(edge);
    }
  }
  return needed;
}

// Nodes in the largest set of which none is before another: as many as chains
// cover all, which is nodes less a maximum matching of pairs in order.
std::uint32_t WidthOf(const Graph& graph, const Reachability& order) {
  std::vector<NodeId> follows(graph.num_nodes());  // whom, in a chain
  std::uint32_t chains = graph.num_nodes();
  for (NodeId start : Nodes(graph)) {
    std::vector<bool> tried(graph.num_nodes());
    const std::function<bool(NodeId)> match = [&](NodeId a) {
      for (NodeId b : Nodes(graph)) {
        if (!order.Before(a, b) || tried[b.value]) continue;
        tried[b.value] = true;
        if (!follows[b.value].valid() || match(follows[b.value])) {
          follows[b.value] = a;
          return true;
        }
      }
      return false;
    };
    if (match(start)) --chains;
  }
  return chains;
}

Graph Without(const Graph& graph, std::size_t edge) {
  Graph rest;
  for (NodeId node : Nodes(graph)) rest.AddNode(graph.node(node));
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    if (e != edge) rest.AddEdge(graph.edges()[e]);
  }
  return rest;
}

void ExpectNoEdgeTooMany(const Graph& graph) {
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    const Edge& edge = graph.edges()[e];
    if (!OrdersMemory(graph, edge)) continue;
    EXPECT_FALSE(Reachability(Without(graph, e)).Before(edge.from, edge.to))
        << edge.from.value << " -> " << edge.to.value;
  }
}

void ExpectHiddenWaitsKept(const Graph& strict, const Graph& relaxed,
                           const std::vector<bool>& pinned) {
  for (const Edge& edge : strict.edges()) {
    if (OrdersMemory(strict, edge)) continue;
    if (!pinned[edge.from.value] && !pinned[edge.to.value]) continue;
    EXPECT_TRUE(std::any_of(
        relaxed.edges().begin(), relaxed.edges().end(),
        [&](const Edge& e) { return e.from == edge.from && e.to == edge.to; }))
        << edge.from.value << " ~> " << edge.to.value;
  }
}

void CheckAgainstBruteForce(const Graph& graph, std::uint32_t width) {
  const absl::StatusOr<Plan> plan = MakePlan(graph, Relaxed(width));
  const absl::StatusOr<Plan> again = MakePlan(graph, Relaxed(width));
  ASSERT_OK(plan);
  ASSERT_OK(again);
  EXPECT_EQ(*plan, *again);
  const Graph strict =
      Rewrite(graph, Unrelaxed(graph, *plan), FreeAddress(graph)).graph;
  const Graph relaxed = Rewrite(graph, *plan, FreeAddress(graph)).graph;
  ASSERT_OK(Topology::Of(relaxed));

  const Reachability before(strict);
  const Reachability after(relaxed);
  const std::vector<bool> pinned = PinnedNodes(strict, before);
  const Reachability needed(NeededGraph(strict, before, pinned));
  for (NodeId a : Nodes(strict)) {
    for (NodeId b : Nodes(strict)) {
      const bool kept = after.Before(a, b);
      EXPECT_TRUE(kept || !needed.Before(a, b))
          << "lost: " << a.value << " before " << b.value;
      EXPECT_TRUE(width > 0 || !kept || needed.Before(a, b))
          << "for nothing: " << a.value << " before " << b.value;
    }
  }
  ExpectNoEdgeTooMany(relaxed);
  ExpectHiddenWaitsKept(strict, relaxed, pinned);
  if (width > 0) {
    EXPECT_LE(WidthOf(relaxed, after), width);
  }
}

TEST(RelaxedRandomGraph, IsOrderedAsMemoryNeedsAndNoMore) {
  RandomGraphOptions no_races;
  no_races.race_percent = 0;
  no_races.opaque_percent = 0;
  RandomGraphOptions one_stream;
  one_stream.streams = 1;
  one_stream.buffers = 12;
  RandomGraphOptions one_plain_stream = one_stream;
  one_plain_stream.programmatic = false;
  one_plain_stream.opaque_percent = 0;
  std::uint32_t seed = 1;
  for (const RandomGraphOptions& shape :
       {RandomGraphOptions{}, no_races, one_stream, one_plain_stream, Tame()}) {
    for (const std::uint32_t last = seed + 81; seed < last; ++seed) {
      CheckAgainstBruteForce(RandomGraph(seed, shape), seed % 9);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace reprise::testing
