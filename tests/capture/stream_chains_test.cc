#include "capture/stream_chains.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>

#include "graph/text.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

struct Case {
  const char* name;
  const char* before;
  const char* after;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Case kCases[] = {
    {"AChainIsOneStream",
     "0: host | -> |\n"
     "1: host | -> | after 0\n"
     "2: host | -> | after 1\n",
     "0: host | -> | @0\n"
     "1: host | -> | @0 after 0\n"
     "2: host | -> | @0 after 1\n"},
    {"TheFirstOfAForkStaysAndTheJoinContinuesItsFirstPredecessor",
     "0: host | -> |\n"
     "1: host | -> | after 0\n"
     "2: host | -> | after 0\n"
     "3: host | -> | after 2 1\n"
     "4: host | -> | after 1\n",
     "0: host | -> | @0\n"
     "1: host | -> | @0 after 0\n"
     "2: host | -> | @1 after 0\n"
     "3: host | -> | @1 after 2 1\n"
     "4: host | -> | @0 after 1\n"},
    {"AJoinTakesTheNextPredecessorWhereTheFirstIsContinued",
     "0: host | -> |\n"
     "1: host | -> |\n"
     "2: host | -> | after 0\n"
     "3: host | -> | after 0 1\n",
     "0: host | -> | @0\n"
     "1: host | -> | @1\n"
     "2: host | -> | @0 after 0\n"
     "3: host | -> | @1 after 0 1\n"},
    {"AJoinContinuesOnePredecessorOnly",
     "0: host | -> |\n"
     "1: host | -> |\n"
     "2: host | -> | after 0 1\n"
     "3: host | -> | after 1\n",
     "0: host | -> | @0\n"
     "1: host | -> | @1\n"
     "2: host | -> | @0 after 0 1\n"
     "3: host | -> | @1 after 1\n"},
    {"AProgrammaticEdgeContinuesAsAnyOther",
     "0: opaque | -> |\n"
     "1: opaque | -> | after ~0\n",
     "0: opaque | -> | @0\n"
     "1: opaque | -> | @0 after ~0\n"},
    {"ANodeCapturedLaterIsOnNoStreamYet",
     "0: host | -> | after 1\n"
     "1: host | -> |\n"
     "2: host | -> | after 1\n",
     "0: host | -> | @0 after 1\n"
     "1: host | -> | @1\n"
     "2: host | -> | @1 after 1\n"},
    {"StreamsFromBeforeAreForgotten",
     "0: host | -> | @7\n"
     "1: host | -> | @3 after 0\n",
     "0: host | -> | @0\n"
     "1: host | -> | @0 after 0\n"},
    {"NothingIsOnNoStream", "", ""},
};

class StreamChainsOf : public ::testing::TestWithParam<Case> {};

TEST_P(StreamChainsOf, AreAsTheRowsSay) {
  absl::StatusOr<Graph> graph = GraphFromText(GetParam().before);
  ASSERT_OK(graph);
  AssignStreams(*graph);
  EXPECT_EQ(ToText(*graph), GetParam().after);
}

TEST(StreamChains, DoNotHangOnTheOrderOfEdgesOfOtherTargets) {
  Graph graph;
  for (int n = 0; n < 4; ++n) graph.AddFill(Fill());
  for (std::uint32_t n = 3; n > 0; --n) {
    graph.AddEdge({.from = NodeId{n - 1}, .to = NodeId{n}});
  }
  AssignStreams(graph);
  for (const Node& node : graph.nodes()) EXPECT_EQ(node.stream, StreamId{0});
}

INSTANTIATE_TEST_SUITE_P(Graphs, StreamChainsOf, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace reprise
