// The words and tables that people read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "graph/graph.h"
#include "planner/rewrite.h"
#include "replay/verdict.h"
#include "tools/demo_report.h"
#include "tools/text_table.h"

namespace reprise::testing {
namespace {

TEST(TextTable, AlignsNamesLeftAndNumbersRight) {
  EXPECT_EQ(TextTable({{"", "before", "after"}, {"nodes", "12", "3"}}),
            "       before  after\n"
            "nodes      12      3\n");
}

TEST(TextTable, CountsOneAndMany) {
  EXPECT_EQ(Counted(0, "node"), "0 nodes");
  EXPECT_EQ(Counted(1, "node"), "1 node");
  EXPECT_EQ(Counted(2, "node"), "2 nodes");
}

TEST(Labelled, FillsLinesOfEightyColumns) {
  const std::string word(34, 'x');  // two and their blank reach column 81
  EXPECT_EQ(Labelled("arena", "576 bytes"), "arena       576 bytes\n");
  EXPECT_EQ(Labelled("a", word + " " + word.substr(1)),
            "a           " + word + " " + word.substr(1) + "\n");
  EXPECT_EQ(Labelled("a", word + " " + word),
            "a           " + word + "\n            " + word + "\n");
}

TEST(Labelled, LeavesAWordWholeThatFitsNoLine) {
  const std::string word(100, 'x');
  EXPECT_EQ(Labelled("a", word), "a           " + word + "\n");
}

KernelLaunch LaunchOf(const std::string& symbol) {
  KernelLaunch launch;
  launch.symbol = symbol;
  return launch;
}

TEST(LaunchTable, PutsAnEmittingKernelUnderTheOneItReplaces) {
  Graph graph;
  for (const char* symbol : {"norm", "quantize", "matvec", "norm"}) {
    graph.AddKernel(LaunchOf(symbol));
  }
  Rewritten rewritten;
  for (const char* symbol : {"norm_emit", "matvec", "norm"}) {
    rewritten.graph.AddKernel(LaunchOf(symbol));
  }
  rewritten.origin = {NodeId{0}, NodeId{2}, NodeId{3}};
  rewritten.now = {NodeId{0}, NodeId(), NodeId{1}, NodeId{2}};
  EXPECT_EQ(LaunchTable(graph, rewritten),
            "launches a replay  before  after\n"
            "norm                    2      1\n"
            "norm_emit               0      1\n"
            "quantize                1      0\n"
            "matvec                  1      1\n"
            "all kernels             4      3\n");
}

TEST(VerdictText, SaysHowMuchIsIdentical) {
  Verdict verdict;
  verdict.original = {.replays = 2, .kernels = 10};
  verdict.rewritten = {.replays = 2, .kernels = 6};
  verdict.bytes_compared = 4096;
  EXPECT_EQ(VerdictText(Graph(), verdict),
            "identical   2 replays, 4096 bytes each; 10 kernels ran before, 6 "
            "after\n");
}

TEST(VerdictText, SaysWhereTheFirstDifferenceIs) {
  Graph graph;
  graph.AddKernel(LaunchOf("norm"));
  Verdict verdict;
  verdict.difference = Difference{.replay = 1,
                                  .node = NodeId{0},
                                  .view = ByteRange(0x1000, 64),
                                  .offset = 12,
                                  .expected = 1,
                                  .actual = 2};
  const std::string text = VerdictText(graph, verdict);
  EXPECT_THAT(text, ::testing::StartsWith("different   "));
  EXPECT_THAT(text, ::testing::HasSubstr("node 0 (norm)"));
}

TEST(Headline, SaysTheModelAndWhereItRuns) {
  decoder::Options model;
  model.model = decoder::Model::kMoe;
  EXPECT_EQ(Headline(model, "the GPU", {.nodes = 51, .streams = 3}),
            "moe q4_0 decoder on the GPU: 2 layers, 1 token a step, 3 streams, "
            "51 nodes\n\n");
}

TEST(LoopVerdictText, NamesTheFirstDifference) {
  Graph graph;
  graph.AddKernel(LaunchOf("norm"));
  Difference difference;
  difference.replay = 2;
  difference.node = NodeId{0};
  difference.view = Packed(0x1000, ElementType::kF32, 64);
  difference.offset = 12;
  difference.expected = 0x20;
  difference.actual = 0x1f;
  EXPECT_EQ(LoopVerdictText(graph, 3, difference),
            Labelled("different", ToText(graph, difference)));
  EXPECT_THAT(LoopVerdictText(graph, 3, std::nullopt),
              ::testing::StartsWith("identical   3 replays, every byte"));
}

TEST(GreedyText, SaysWhetherTheLogitsAgree) {
  EXPECT_EQ(GreedyText(32, true), "greedy      32 tokens, logits identical\n");
  EXPECT_EQ(GreedyText(1, false), "greedy      1 token, logits different\n");
}

}  // namespace
}  // namespace reprise::testing
