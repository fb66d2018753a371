#include "graph/topology.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/text.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;

Graph Parsed(absl::string_view text) {
  absl::StatusOr<Graph> graph = GraphFromText(text);
  EXPECT_OK(graph);
  return graph.ok() ? *std::move(graph) : Graph();
}

std::string OrderText(const Graph& graph) {
  const absl::StatusOr<Topology> topology = Topology::Of(graph);
  EXPECT_OK(topology);
  std::string out;
  for (NodeId node : topology->order()) {
    absl::StrAppend(&out, out.empty() ? "" : " ", node.value);
  }
  return out;
}

Graph RandomEdges(std::mt19937& random, std::uint32_t nodes,
                  std::uint32_t edges, bool acyclic) {
  Graph graph;
  std::vector<std::uint32_t> rank(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    graph.AddNode(Node());
    rank[n] = random() % 100 * 100 + n;
  }
  while (edges-- > 0) {
    const std::uint32_t a = random() % nodes, b = random() % nodes;
    if (acyclic && rank[a] >= rank[b]) continue;
    graph.AddEdge({NodeId{a}, NodeId{b}});
  }
  return graph;
}

// The lowest node without an unvisited predecessor, again and again. Shorter
// than the graph when there is a cycle.
std::vector<NodeId> SlowOrder(const Graph& graph) {
  std::vector<bool> done(graph.num_nodes(), false);
  const auto ready = [&](std::uint32_t n) {
    for (const Edge& edge : graph.edges()) {
      if (edge.to.value == n && !done[edge.from.value]) return false;
    }
    return !done[n];
  };
  std::vector<NodeId> order;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    if (!ready(n)) continue;
    done[n] = true;
    order.push_back(NodeId{n});
    n = static_cast<std::uint32_t>(-1);  // start again at the lowest
  }
  return order;
}

bool ReachesItself(const Graph& graph, NodeId start) {
  std::vector<NodeId> next = {start};
  std::vector<bool> seen(graph.num_nodes(), false);
  while (!next.empty()) {
    const NodeId at = next.back();
    next.pop_back();
    for (const Edge& edge : graph.edges()) {
      if (edge.from != at) continue;
      if (edge.to == start) return true;
      if (seen[edge.to.value]) continue;
      seen[edge.to.value] = true;
      next.push_back(edge.to);
    }
  }
  return false;
}

void ExpectNamesANodeOfACycle(const Graph& graph) {
  const absl::StatusOr<Topology> topology = Topology::Of(graph);
  ASSERT_THAT(topology, HasCode(absl::StatusCode::kFailedPrecondition));
  const std::vector<absl::string_view> words =
      absl::StrSplit(topology.status().message(), ' ');
  std::uint32_t node = 0;
  ASSERT_TRUE(absl::SimpleAtoi(words[1], &node)) << topology.status();
  ASSERT_LT(node, graph.num_nodes());
  EXPECT_TRUE(
      absl::EndsWith(topology.status().message(), "is on a cycle of edges"));
  EXPECT_TRUE(ReachesItself(graph, NodeId{node})) << ToText(graph);
}

TEST(Topology, OfNothingIsEmpty) { EXPECT_EQ(OrderText(Graph()), ""); }

TEST(Topology, KeepsTheCaptureOrderWhereItIsValid) {
  EXPECT_EQ(OrderText(Parsed("0: empty\n1: empty\n2: empty || after 0\n")),
            "0 1 2");
}

TEST(Topology, PutsANodeBehindAPredecessorOfHigherId) {
  EXPECT_EQ(OrderText(Parsed("0: empty || after 2\n1: empty\n2: empty\n")),
            "1 2 0");
}

TEST(Topology, TakesTheLowestIdThatMayComeNext) {
  EXPECT_EQ(OrderText(Parsed("0: empty || after 3\n1: empty || after 0\n"
                             "2: empty\n3: empty\n4: empty\n")),
            "2 3 0 1 4");
}

TEST(Topology, ListsTheEdgesOfANodeInTheOrderTheyWereAdded) {
  const Graph graph = Parsed(
      "0: empty\n1: empty\n2: empty || after 1 0 ~1\n3: empty || after 1\n");
  const absl::StatusOr<Topology> topology = Topology::Of(graph);
  ASSERT_OK(topology);
  using Indices = std::vector<std::uint32_t>;
  const auto in = [&](std::uint32_t n) {
    const auto span = topology->incoming(NodeId{n});
    return Indices(span.begin(), span.end());
  };
  const auto out = [&](std::uint32_t n) {
    const auto span = topology->outgoing(NodeId{n});
    return Indices(span.begin(), span.end());
  };
  EXPECT_EQ(in(0), (Indices{}));
  EXPECT_EQ(in(2), (Indices{0, 1, 2}));
  EXPECT_EQ(in(3), (Indices{3}));
  EXPECT_EQ(out(0), (Indices{1}));
  EXPECT_EQ(out(1), (Indices{0, 2, 3}));
  EXPECT_EQ(out(3), (Indices{}));
}

TEST(Topology, AgreesWithTheSlowOrderOfRandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const Graph graph = RandomEdges(random, 1 + random() % 12, random() % 30,
                                    /*acyclic=*/true);
    const absl::StatusOr<Topology> topology = Topology::Of(graph);
    ASSERT_OK(topology);
    const auto order = topology->order();
    ASSERT_EQ(std::vector<NodeId>(order.begin(), order.end()), SlowOrder(graph))
        << ToText(graph);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(topology->position(order[i]), i);
    }
  }
}

TEST(Topology, NamesANodeThatIsReallyOnACycle) {
  ExpectNamesANodeOfACycle(Parsed("0: empty || after 0\n"));
  ExpectNamesANodeOfACycle(
      Parsed("0: empty\n1: empty || after 0 3\n2: empty || after 1\n"
             "3: empty || after 2\n4: empty || after 3\n"));
  // Behind a cycle, and between two: neither node is on one.
  ExpectNamesANodeOfACycle(
      Parsed("0: empty || after 1\n1: empty || after 2\n2: empty || after 3\n"
             "3: empty || after 2\n"));
  ExpectNamesANodeOfACycle(
      Parsed("0: empty || after 1\n1: empty || after 0\n2: empty || after 1\n"
             "3: empty || after 2 4\n4: empty || after 3\n"));
}

TEST(Topology, FindsEveryCycleOfRandomGraphs) {
  std::mt19937 random(2);
  int cycles = 0;
  for (int round = 0; round < 1'000; ++round) {
    const Graph graph = RandomEdges(random, 1 + random() % 12, random() % 16,
                                    /*acyclic=*/false);
    if (SlowOrder(graph).size() == graph.num_nodes()) {
      ASSERT_OK(Topology::Of(graph));
      continue;
    }
    ++cycles;
    ExpectNamesANodeOfACycle(graph);
  }
  EXPECT_GT(cycles, 300);
}

}  // namespace
}  // namespace reprise
