#include "planner/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "graph/text.h"
#include "planner/explain.h"
#include "planner/image_readers.h"
#include "planner/longest_path.h"
#include "planner/planner.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

Graph Parsed(const char* text) {
  absl::StatusOr<Graph> graph = GraphFromText(text);
  EXPECT_OK(graph);
  return *std::move(graph);
}

Plan Planned(const Graph& graph) {
  absl::StatusOr<Plan> plan = MakePlan(graph);
  EXPECT_OK(plan);
  return *std::move(plan);
}

// One activation quantized twice into one place, and one that a norm emits.
const char kStep[] = R"(
chain
view x = 0x1000:f32:512
view y = 0x2000:f32:512
view w = 0x9000:byte:64
0: quantize | x -> image:0x3000:q8_1:16 | @0
1: matvec q4_0 | image:0x3000:q8_1:16 weights:w -> 0x4000:f32:32 | @0
2: quantize | x -> image:0x3000:q8_1:16 | @0
3: matvec q4_0 | image:0x3000:q8_1:16 weights:w -> 0x5000:f32:32 | @0
4: rms_norm mul | x -> y | @1 emits=rms_emit
5: quantize scratch | y -> image:0x6000:q8_1:16 | @1
6: matvec q4_0 | image:0x6000:q8_1:16 weights:w -> 0x7000:f32:32 | @1
7: memset | -> image:0x6000:q8_1:16 | @1
)";

TEST(Summary, CountsWhatThePlanDoes) {
  const Graph graph = Parsed(kStep);
  const Summary summary = Summarize(graph, Planned(graph));
  EXPECT_EQ(summary.before, (GraphCounts{.nodes = 8,
                                         .edges = 7,
                                         .longest_path = 8,
                                         .streams = 2,
                                         .opaque = 0,
                                         .quantizers = 3,
                                         .kernels = 7}));
  EXPECT_EQ(summary.after.nodes, 6u);
  EXPECT_EQ(summary.after.quantizers, 1u);
  EXPECT_EQ(summary.after.kernels, 5u);
  EXPECT_EQ(summary.shared, (SharedCounts{1, 2, 1}));
  EXPECT_EQ(summary.emitted, (EmittedCounts{1, 0, 1}));
  EXPECT_EQ(summary.arena.sum_of_images, 576u);
}

TEST(Summary, CountsFloatsThatAreDropped) {
  const Graph graph = Parsed(R"(chain
0: rms_norm mul | 0x1000:f32:64 -> 0x2000:f32:64 | emits=k/drops
1: quantize scratch | 0x2000:f32:64 -> 0x3000:q8_1:16 |
2: matvec q4_0 | 0x3000:q8_1:2 -> 0x4000:f32:32 |
3: other | 0x4000:f32:32 -> 0x2000:f32:64 |
)");
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.dead_stores = true});
  ASSERT_OK(plan);
  EXPECT_EQ(Summarize(graph, *plan).dropped, (DroppedCounts{1, 256}));
}

TEST(Summary, CountsRepeatsOfOtherKernelsApart) {
  const Graph graph = Parsed(R"(chain
0: other | 0x1000:f32:8 -> 0x2000:f32:8 | pure
1: other | 0x1000:f32:8 -> 0x2000:f32:8 | pure
2: other | 0x1000:f32:8 -> 0x2000:f32:8 | pure
)");
  const Summary summary = Summarize(graph, Planned(graph));
  EXPECT_EQ(summary.pure, (PureCounts{2}));
  EXPECT_EQ(summary.shared, (SharedCounts{}));
  EXPECT_EQ(summary.after.nodes, 1u);
  EXPECT_EQ(summary.after.kernels, 1u);
  EXPECT_EQ(summary.after.quantizers, 0u);
}

TEST(Summary, CountsTheEdgesOfTheRewrittenGraph) {
  const Graph graph = Parsed(kStep);
  const Plan plan = Planned(graph);
  EXPECT_EQ(Summarize(graph, plan).after.edges, graph.edges().size() -
                                                    plan.dropped_edges.size() +
                                                    plan.added_edges.size());
}

TEST(Summary, CountsWhatRelaxingLeaves) {
  const Graph graph = Parsed(R"(chain
0: quantize scratch | 0x1000:f32:64 -> 0x3000:q8_1:16 |
1: matvec q4_0 | 0x3000:q8_1:2 -> 0x4000:f32:32 |
2: quantize scratch | 0x2000:f32:64 -> 0x3000:q8_1:16 |
3: matvec q4_0 | 0x3000:q8_1:2 -> 0x5000:f32:32 |
)");
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.relax = true});
  ASSERT_OK(plan);
  const Summary summary = Summarize(graph, *plan);
  EXPECT_TRUE(summary.relaxed);
  EXPECT_EQ(summary.before.edges, 3u);
  EXPECT_EQ(summary.after.edges, 2u);
  EXPECT_EQ(summary.before.longest_path, 4u);
  EXPECT_EQ(summary.after.longest_path, 2u);
  // Both images moved, and nothing was shared.
  EXPECT_EQ(summary.arena.sum_of_images, 2 * 576u);
  EXPECT_EQ(summary.shared, (SharedCounts{}));
}

TEST(Summary, GroupsDeclinesByReasonMostFrequentFirst) {
  const Graph graph = Parsed(kStep);
  Plan plan;
  plan.declines = {{DeclineReason::kNoProducer, NodeId{0}, {}},
                   {DeclineReason::kNotAProducer, NodeId{2}, NodeId{1}},
                   {DeclineReason::kNotAProducer, NodeId{5}, NodeId{4}}};
  EXPECT_THAT(Summarize(graph, plan).declines,
              ::testing::ElementsAre(DeclineGroup{plan.declines[1], 2},
                                     DeclineGroup{plan.declines[0], 1}));
}

TEST(Summary, OfAGraphWithoutStreamsCountsOne) {
  EXPECT_EQ(CountGraph(Parsed("0: opaque | |\n")),
            (GraphCounts{.nodes = 1,
                         .longest_path = 1,
                         .streams = 1,
                         .opaque = 1,
                         .kernels = 1}));
}

TEST(ReadersOfImages, FindsReadersThatNeedNoPatch) {
  const Graph graph = Parsed(kStep);
  const Plan plan = Planned(graph);
  ASSERT_EQ(plan.images.size(), 2u);
  EXPECT_THAT(
      ReadersOfImages(graph, plan),
      ::testing::UnorderedElementsAre(std::vector<NodeId>{NodeId{1}, NodeId{3}},
                                      std::vector<NodeId>{NodeId{6}}));
}

PlannedImage ImageOf(NodeId writer, std::vector<NodeId> removed) {
  PlannedImage image;
  image.writer = writer;
  image.removed = std::move(removed);
  return image;
}

TEST(Explain, SaysWhoWritesTheImageForWhomAndWhatGoes) {
  const PlannedImage image = ImageOf(NodeId{0}, {NodeId{2}});
  EXPECT_EQ(Explain(Parsed(kStep), image, {NodeId{1}, NodeId{3}}),
            "node 0 (quantize) writes one image, where it always was, for "
            "node 1 (matvec q4_0) and node 3 (matvec q4_0); "
            "node 2 (quantize) goes");
}

TEST(Explain, SaysWhatAProducerWritesItself) {
  PlannedImage image = ImageOf(NodeId{4}, {NodeId{2}, NodeId{5}});
  image.emitted = true;
  image.in_arena = true;
  image.offset = 64;
  image.bytes = 576;
  EXPECT_EQ(Explain(Parsed(kStep), image, {NodeId{1}, NodeId{3}, NodeId{6}}),
            "node 4 (rms_norm mul) writes its image itself, to arena 64+576, "
            "for node 1 (matvec q4_0), node 3 (matvec q4_0) and node 6 "
            "(matvec q4_0); node 2 (quantize) and node 5 (quantize scratch) "
            "go");
}

TEST(ReadersOfImages, LeavesOutReadersThatGo) {
  const Graph graph = Parsed(R"(chain
view x = 0x1000:f32:64
view q = 0x3000:q8_1:16
0: quantize scratch | x -> q |
1: matvec q4_0 | q -> 0x4000:f32:32 | pure
2: quantize scratch | x -> q |
3: matvec q4_0 | q -> 0x4000:f32:32 | pure
)");
  EXPECT_THAT(ReadersOfImages(graph, Planned(graph)),
              ::testing::ElementsAre(std::vector<NodeId>{NodeId{1}}));
}

struct KeptOrder {
  const char* graph;
  const char* sentence;
};

TEST(Explain, SaysWhatKeepsAnOrder) {
  for (const KeptOrder& kept :
       {KeptOrder{"0: memset | -> 0x10:f32:4 |\n"
                  "1: other | 0x10:f32:2 -> 0x80:f32:4 | after 0\n",
                  "node 1 (other) reads 0x10:f32:2, which node 0 (memset) "
                  "writes"},
        KeptOrder{"0: other | 0x10:f32:4 -> |\n"
                  "1: other | -> 0x10:f32:2 | after 0\n",
                  "node 1 (other) overwrites 0x10:f32:2, which node 0 (other) "
                  "reads"},
        KeptOrder{"0: other | -> 0x10:f32:4 |\n"
                  "1: other | -> 0x10:f32:2 | after 0\n",
                  "node 1 (other) overwrites 0x10:f32:2, which node 0 (other) "
                  "writes"},
        KeptOrder{"0: other | |\n1: host | | after 0\n",
                  "node 1 (host) may touch anything"},
        KeptOrder{"0: other | |\n1: other | | after 0\n",
                  "node 0 (other) and node 1 (other) share no memory: one of "
                  "them races with another node, or no more may run at "
                  "once"}}) {
    const Graph graph = Parsed(kept.graph);
    const Rewritten same = Rewrite(graph, Plan(), FreeAddress(graph));
    EXPECT_EQ(Explain(graph, same, graph.edges()[0]), kept.sentence);
  }
}

TEST(LongestPath, CountsNodes) {
  EXPECT_EQ(LongestPath(Graph()), 0u);
  EXPECT_EQ(LongestPath(Parsed("0: empty\n1: empty | | after 0\n2: empty\n"
                               "3: empty | | after 1 ~2\n")),
            3u);
}

TEST(LongestPath, OfACycleIsNone) {
  EXPECT_EQ(LongestPath(Parsed("0: empty | | after 1\n1: empty | | after 0\n")),
            0u);
}

TEST(Explain, SaysWhereAnImageMovesThatServesNobodyElse) {
  PlannedImage image = ImageOf(NodeId{5}, {});
  image.in_arena = true;
  image.bytes = 576;
  EXPECT_EQ(Explain(Parsed(kStep), image, {NodeId{6}}),
            "node 5 (quantize scratch) writes one image, to arena 0+576, for "
            "node 6 (matvec q4_0)");
}

TEST(Explain, SaysWhatARepeatWouldWrite) {
  EXPECT_EQ(Explain(Parsed(kStep), Repeat{NodeId{1}, {NodeId{3}, NodeId{6}}}),
            "node 3 (matvec q4_0) and node 6 (matvec q4_0) would only write "
            "again what node 1 (matvec q4_0) left there, and go");
}

TEST(Explain, SaysWhereAQuantizerMoves) {
  PlannedImage image = ImageOf(NodeId{5}, {NodeId{2}});
  image.moved = true;
  image.ready = {NodeId{4}};
  EXPECT_EQ(Explain(Parsed(kStep), image, {}),
            "node 5 (quantize scratch) writes one image, where it always was, "
            "and runs before the fork, right after node 4 (rms_norm mul); "
            "node 2 (quantize) goes");
}

}  // namespace
}  // namespace reprise::testing
