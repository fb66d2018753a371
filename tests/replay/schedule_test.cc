#include "replay/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "graph/text.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasText;

constexpr char kDiamond[] =
    "0: empty | |\n"
    "1: empty | | after 0\n"
    "2: empty | | after 0\n"
    "3: empty | | after 0\n"
    "4: empty | | after 1 2 3\n";

TEST(ScheduleOf, SeedZeroIsTheCaptureOrder) {
  const absl::StatusOr<Graph> graph = GraphFromText(kDiamond);
  ASSERT_OK(graph);
  const auto order = ScheduleOf(*graph);
  ASSERT_OK(order);
  EXPECT_TRUE(std::is_sorted(order->begin(), order->end()));
  EXPECT_EQ(order->size(), 5u);
}

TEST(ScheduleOf, OtherSeedsTryEveryOrderThatTheEdgesAllow) {
  const absl::StatusOr<Graph> graph = GraphFromText(kDiamond);
  ASSERT_OK(graph);
  std::set<std::vector<NodeId>> orders;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const auto order = ScheduleOf(*graph, seed);
    ASSERT_OK(order);
    EXPECT_EQ(order->front(), NodeId{0});
    EXPECT_EQ(order->back(), NodeId{4});
    orders.insert(*order);
    EXPECT_EQ(*ScheduleOf(*graph, seed), *order);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(ScheduleOf, NamesANodeOfACycle) {
  absl::StatusOr<Graph> graph = GraphFromText(kDiamond);
  ASSERT_OK(graph);
  graph->AddEdge({NodeId{4}, NodeId{1}});
  EXPECT_THAT(ScheduleOf(*graph, 0), HasText("cycle"));
  EXPECT_THAT(ScheduleOf(*graph, 5), HasText("cycle"));
}

}  // namespace
}  // namespace reprise
