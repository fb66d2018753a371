#include "planner/storage.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "graph/text.h"
#include "planner/planner.h"
#include "tests/planner/random_graph.h"
#include "tests/planner/reachability.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

// A chain, or several chains side by side, of nodes without effects.
Graph Chains(std::uint32_t count, std::uint32_t length) {
  Graph graph;
  Node node;
  node.kind = NodeKind::kKernel;
  node.effects_complete = true;
  for (std::uint32_t n = 0; n < count * length; ++n) {
    const NodeId added = graph.AddNode(node);
    if (n < count) continue;
    Edge edge;
    edge.from = NodeId{n - count};
    edge.to = added;
    graph.AddEdge(edge);
  }
  return graph;
}

PlannedImage Image(std::uint32_t writer, std::vector<std::uint32_t> readers,
                   std::uint64_t bytes) {
  PlannedImage image;
  image.writer = NodeId{writer};
  for (std::uint32_t reader : readers)
    image.readers.push_back({NodeId{reader}});
  image.in_arena = true;
  image.bytes = bytes;
  return image;
}

Order OrderOf(const Graph& graph) { return *Order::Of(graph); }

TEST(PackImages, LetsAnImageFollowOneThatIsOver) {
  const Graph graph = Chains(1, 8);
  std::vector<PlannedImage> images = {Image(0, {1}, 256), Image(2, {3}, 256)};
  const Arena arena = PackImages(OrderOf(graph), true, absl::MakeSpan(images));
  EXPECT_EQ(arena.bytes, 256u);
  EXPECT_EQ(arena.sum_of_images, 512u);
  EXPECT_EQ(arena.lower_bound, 256u);
}

TEST(PackImages, KeepsApartWhatIsNeededAtTheSameTime) {
  const Graph graph = Chains(1, 8);
  std::vector<PlannedImage> images = {Image(0, {5}, 256), Image(2, {3}, 256)};
  const Arena arena = PackImages(OrderOf(graph), true, absl::MakeSpan(images));
  EXPECT_EQ(arena.bytes, 512u);
  EXPECT_EQ(arena.lower_bound, 512u);
}

TEST(PackImages, KeepsAReaderThatWritesTheNextImageApart) {
  const Graph graph = Chains(1, 8);
  std::vector<PlannedImage> images = {Image(0, {2}, 256), Image(2, {3}, 256)};
  EXPECT_EQ(PackImages(OrderOf(graph), true, absl::MakeSpan(images)).bytes,
            512u);
}

TEST(PackImages, KeepsApartWhatIsInNoOrder) {
  const Graph graph = Chains(2, 4);  // 0 2 4 6 and 1 3 5 7
  std::vector<PlannedImage> images = {Image(0, {2}, 256), Image(5, {7}, 256)};
  EXPECT_EQ(PackImages(OrderOf(graph), true, absl::MakeSpan(images)).bytes,
            512u);
}

TEST(PackImages, CountsTheWriterOfAnImageThatNobodyReads) {
  const Graph graph = Chains(2, 4);
  std::vector<PlannedImage> images = {Image(4, {}, 256), Image(1, {7}, 256)};
  EXPECT_EQ(PackImages(OrderOf(graph), true, absl::MakeSpan(images)).bytes,
            512u);
}

TEST(PackImages, StartsAMovedQuantizerWhereItsSourceIsReady) {
  const Graph graph = Chains(1, 8);
  // Written at 5 in the capture, but moved right behind node 0.
  std::vector<PlannedImage> images = {Image(1, {3}, 256), Image(5, {6}, 256)};
  images[1].moved = true;
  images[1].ready = {NodeId{0}};
  EXPECT_EQ(PackImages(OrderOf(graph), true, absl::MakeSpan(images)).bytes,
            512u);
}

TEST(PackImages, LaysImagesOneAfterTheOtherWhenOverlapIsOff) {
  const Graph graph = Chains(1, 8);
  std::vector<PlannedImage> images = {Image(0, {1}, 100), Image(2, {3}, 100)};
  const Arena arena = PackImages(OrderOf(graph), false, absl::MakeSpan(images));
  EXPECT_EQ(arena.bytes, 2 * kImageAlignment);
  EXPECT_EQ(images[1].offset, kImageAlignment);
}

// No two images that may be alive together share a byte: by walking all pairs.
void ExpectApart(const Graph& graph, const std::vector<PlannedImage>& images) {
  const Reachability reached(graph);
  const auto over = [&](const PlannedImage& a, const PlannedImage& b) {
    bool done = reached.Before(a.writer, b.writer);
    for (const ImageReader& reader : a.readers) {
      done = done && reached.Before(reader.node, b.writer);
    }
    return done;
  };
  for (const PlannedImage& a : images) {
    for (const PlannedImage& b : images) {
      if (&a == &b || over(a, b) || over(b, a)) continue;
      EXPECT_TRUE(a.offset + a.bytes <= b.offset ||
                  b.offset + b.bytes <= a.offset)
          << "writers " << a.writer.value << " and " << b.writer.value;
    }
  }
}

TEST(PackImages, KeepsRandomImagesApartAndNearTheLowerBound) {
  RandomGraphOptions shape;
  shape.nodes = 60;
  shape.programmatic = false;
  double arena_bytes = 0;
  double lower_bound = 0;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const Graph graph = RandomGraph(seed, shape);
    std::mt19937 rng(seed);
    std::vector<PlannedImage> images;
    for (std::uint32_t writer = 0; writer + 1 < 60; writer += 2) {
      const std::uint32_t reader = writer + 1 + rng() % 5;
      images.push_back(Image(writer, {std::min(reader, 59u)},
                             kImageAlignment * (1 + rng() % 16)));
    }
    const Arena arena =
        PackImages(OrderOf(graph), true, absl::MakeSpan(images));
    ExpectApart(graph, images);
    EXPECT_GE(arena.bytes, arena.lower_bound) << "seed " << seed;
    arena_bytes += static_cast<double>(arena.bytes);
    lower_bound += static_cast<double>(arena.lower_bound);
  }
  EXPECT_LE(arena_bytes, 1.25 * lower_bound);
}

// More images alive at once than are tracked: the rest lie on top.
TEST(PackImages, StaysSoundWhenNothingIsOrdered) {
  const Graph graph = Chains(700, 2);
  std::vector<PlannedImage> images;
  for (std::uint32_t chain = 0; chain < 700; ++chain) {
    images.push_back(Image(chain, {chain + 700}, 128));
  }
  const Arena arena = PackImages(OrderOf(graph), true, absl::MakeSpan(images));
  EXPECT_EQ(arena.bytes, 700u * 128);
}

}  // namespace
}  // namespace reprise::testing
