#include "planner/order.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "graph/text.h"
#include "tests/planner/random_graph.h"
#include "tests/planner/reachability.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

Graph Parse(absl::string_view text) {
  absl::StatusOr<Graph> graph = GraphFromText(text);
  EXPECT_OK(graph);
  return graph.ok() ? *std::move(graph) : Graph();
}

// Every pair for which the answer is yes, as "0<2 1<2".
std::string Pairs(const Graph& graph) {
  const absl::StatusOr<Order> order = Order::Of(graph);
  EXPECT_OK(order);
  std::string out;
  for (std::uint32_t a = 0; a < graph.num_nodes(); ++a) {
    for (std::uint32_t b = 0; b < graph.num_nodes(); ++b) {
      if (!order->Before(NodeId{a}, NodeId{b})) continue;
      absl::StrAppend(&out, out.empty() ? "" : " ", a, "<", b);
    }
  }
  return out;
}

struct Case {
  const char* name;
  const char* graph;
  const char* pairs;
};

constexpr Case kCases[] = {
    {"Empty", "", ""},
    {"NothingBetweenUnconnected", "0: other\n1: other\n", ""},
    {"Chain", "chain\n0: other\n1: other\n2: other\n", "0<1 0<2 1<2"},
    {"ForkLeavesBranchesUnordered",
     "0: other\n1: other | | after 0\n2: other | | after 0\n", "0<1 0<2"},
    {"JoinIsAfterBothBranches",
     "0: other\n1: other | | after 0\n2: other | | after 0\n"
     "3: other | | after 1 2\n",
     "0<1 0<2 0<3 1<3 2<3"},
    {"EdgesMayPointToLowerIds", "0: other | | after 1\n1: other\n", "1<0"},
    {"ProgrammaticIntoAWaitingNodeOrders",
     "0: other\n1: other | | waits after ~0\n", "0<1"},
    {"ProgrammaticIntoANodeThatDoesNotWaitOrdersNothing",
     "0: other\n1: other | | after ~0\n2: other | | after 1\n", "1<2"},
};

class OrderOf : public ::testing::TestWithParam<Case> {};

TEST_P(OrderOf, KnowsExactlyThesePairs) {
  EXPECT_EQ(Pairs(Parse(GetParam().graph)), GetParam().pairs);
}

INSTANTIATE_TEST_SUITE_P(Rows, OrderOf, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

TEST(Order, AgreesWithWalkingEveryEdge) {
  RandomGraphOptions shape;
  shape.nodes = 40;
  shape.streams = 5;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const Graph graph = RandomGraph(seed, shape);
    const Reachability reached(graph);
    const absl::StatusOr<Order> order = Order::Of(graph);
    ASSERT_OK(order);
    for (std::uint32_t a = 0; a < graph.num_nodes(); ++a) {
      for (std::uint32_t b = 0; b < graph.num_nodes(); ++b) {
        ASSERT_EQ(order->Before(NodeId{a}, NodeId{b}),
                  reached.Before(NodeId{a}, NodeId{b}))
            << "seed " << seed << ": " << a << " before " << b;
      }
    }
  }
}

TEST(Order, SaysNothingFalseWhenClocksRunOut) {
  RandomGraphOptions shape;
  shape.nodes = 40;
  shape.streams = 5;
  int forgotten = 0;
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const Graph graph = RandomGraph(seed, shape);
    const Reachability reached(graph);
    const absl::StatusOr<Order> order =
        Order::Of(graph, /*max_clock_entries=*/20);
    ASSERT_OK(order);
    for (std::uint32_t a = 0; a < graph.num_nodes(); ++a) {
      for (std::uint32_t b = 0; b < graph.num_nodes(); ++b) {
        const bool truth = reached.Before(NodeId{a}, NodeId{b});
        const bool said = order->Before(NodeId{a}, NodeId{b});
        ASSERT_TRUE(truth || !said)
            << "seed " << seed << ": " << a << " before " << b;
        forgotten += truth && !said;
      }
    }
  }
  EXPECT_GT(forgotten, 0);
}

TEST(Order, NamesANodeOfACycle) {
  const Graph graph = Parse(
      "0: other\n1: other | | after 0 3\n2: other | | after 1\n"
      "3: other | | after 2\n4: other | | after 3\n");
  const absl::StatusOr<Order> order = Order::Of(graph);
  EXPECT_THAT(order, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(order, HasText("is on a cycle"));
}

TEST(Order, StreamsThatForkAndJoinAgainReuseTheirChains) {
  Graph graph;
  Node node;
  node.kind = NodeKind::kKernel;
  NodeId last = graph.AddNode(node);
  const auto after = [&](NodeId from) {
    const NodeId next = graph.AddNode(node);
    Edge edge;
    edge.from = from;
    edge.to = next;
    graph.AddEdge(edge);
    return next;
  };
  for (int layer = 0; layer < 100; ++layer) {
    const NodeId a = after(last);
    const NodeId b = after(last);
    const NodeId c = after(last);
    const NodeId join = after(a);
    for (NodeId branch : {b, c}) {
      Edge edge;
      edge.from = branch;
      edge.to = join;
      graph.AddEdge(edge);
    }
    last = join;
  }
  const absl::StatusOr<Order> order = Order::Of(graph);
  ASSERT_OK(order);
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    EXPECT_LT(order->chain(NodeId{n}), 3u);
  }
}

}  // namespace
}  // namespace reprise::testing
