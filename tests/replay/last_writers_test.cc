#include "replay/last_writers.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "graph/graph.h"
#include "replay/schedule.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr std::uint64_t kBase = 0x1000;
constexpr std::size_t kBytes = 600;

View RandomView(std::mt19937& random) {
  View view;
  view.type = random() % 2 == 0 ? ElementType::kByte : ElementType::kF32;
  const std::int64_t element = ElementBytes(view.type);
  const auto pick = [&](std::uint32_t below) {
    return static_cast<std::int64_t>(random() % below);
  };
  const std::int64_t columns = pick(5) + 1;
  const std::int64_t hole = pick(4) * element;
  view.address = kBase + random() % 200;
  view.extents = {columns, pick(4) + 1, pick(3) + 1, 1};
  view.strides = {element, columns * element + hole,
                  (columns * element + hole) * view.extents[1], 0};
  if (random() % 5 == 0) {  // a column with holes between its elements
    view.strides[0] = 2 * element;
    view.extents[1] = view.extents[2] = 1;
  }
  return view;
}

// Every element of every view, byte by byte.
void Paint(const View& v, NodeId node, std::vector<NodeId>& bytes) {
  for (std::int64_t z = 0; z < v.extents[2]; ++z) {
    for (std::int64_t y = 0; y < v.extents[1]; ++y) {
      for (std::int64_t x = 0; x < v.extents[0]; ++x) {
        const auto first = static_cast<std::size_t>(
            static_cast<std::int64_t>(v.address - kBase) + z * v.strides[2] +
            y * v.strides[1] + x * v.strides[0]);
        for (std::int64_t b = 0; b < ElementBytes(v.type); ++b) {
          bytes[first + static_cast<std::size_t>(b)] = node;
        }
      }
    }
  }
}

TEST(LastWriters, AgreesWithPaintingEachByte) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    Graph graph;
    std::vector<NodeId> painted(kBytes);
    for (int i = 0; i < 12; ++i) {
      const NodeId node = graph.AddNode({});
      Access access{.view = RandomView(random), .mode = AccessMode::kWrite};
      access.exact = random() % 6 != 0;
      graph.SetAccesses(node, {access});
      if (access.exact) Paint(access.view, node, painted);
    }
    const auto order = ScheduleOf(graph);
    ASSERT_OK(order);
    const LastWriters writers(graph, *order);
    const std::uint64_t end = kBase + kBytes;
    for (std::uint64_t at = kBase; at < end;) {
      const LastWriters::Run run = writers.RunAt(at, end);
      ASSERT_EQ(run.begin, at);
      ASSERT_GT(run.end, at);
      for (; at < run.end; ++at) {
        ASSERT_EQ(run.writer.node, painted[at - kBase]) << "byte " << at;
      }
    }
  }
}

TEST(LastWriters, FollowsTheGivenOrder) {
  Graph graph;
  for (int i = 0; i < 2; ++i) {
    const NodeId node = graph.AddNode({});
    graph.SetAccesses(
        node, {{.view = ByteRange(kBase, 8), .mode = AccessMode::kWrite}});
  }
  const std::vector<NodeId> order = {NodeId{1}, NodeId{0}};
  EXPECT_EQ(LastWriters(graph, order).RunAt(kBase, kBase + 8).writer.node,
            NodeId{0});
}

}  // namespace
}  // namespace reprise
