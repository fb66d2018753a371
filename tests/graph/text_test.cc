// Graphs as text: each row is read and written again.
#include "graph/text.h"

#include <gtest/gtest.h>

#include <ostream>

#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

struct Case {
  const char* name;
  const char* text;
  const char* written;  // "": the text itself

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name;
  }
};

const Case kCases[] = {
    {"Nothing", "", ""},
    {"AnEmptyNode", "0: empty | -> |\n", ""},
    {"OneNodeOfEveryKind",
     "0: memcpy | -> |\n"
     "1: memset | -> |\n"
     "2: host | -> |\n"
     "3: empty | -> |\n"
     "4: event_wait | -> |\n"
     "5: event_record | -> |\n"
     "6: child_graph | -> |\n"
     "7: mem_alloc | -> |\n"
     "8: mem_free | -> |\n"
     "9: conditional | -> |\n"
     "10: opaque | -> |\n"
     "11: other | -> |\n",
     ""},
    {"AKernelOfWhichNothingIsKnown", "0: kernel | 0x0:f32:4 -> |\n",
     "0: opaque | 0x0:f32:4 -> |\n"},
    {"Allocations", "alloc 0x1000 4096\nalloc 0x8000 1\n0: empty | -> |\n", ""},
    {"RolesThatAreGiven",
     "0: matvec q4_0 | weights:0x10:byte:18 image:0x80:q8_1:1 -> "
     "output:0x100:f32:1 |\n",
     ""},
    {"RolesThatTheOpGives",
     "0: quantize scratch | 0x0:f32:32 -> 0x80:q8_1:16\n"
     "1: routed_matvec q8_0 | 0x80:q8_1:1 ids:0x300:i32:2 -> 0x400:f32:2\n"
     "2: rms_norm mul | 0x400:f32:2 0x500:f32:2 -> 0x600:f32:2\n"
     "3: glu reglu | 0x0:f32:2 0x8:f32:2 -> 0x10:f32:2\n"
     "4: other | 0x0:f32:2 -> 0x10:f32:2\n",
     "0: quantize scratch | source:0x0:f32:32 -> image:0x80:q8_1:16 |\n"
     "1: routed_matvec q8_0 | image:0x80:q8_1:1 ids:0x300:i32:2 -> "
     "output:0x400:f32:2 |\n"
     "2: rms_norm mul | source:0x400:f32:2 0x500:f32:2 -> "
     "output:0x600:f32:2 |\n"
     "3: glu reglu | source:0x0:f32:2 source:0x8:f32:2 -> "
     "output:0x10:f32:2 |\n"
     "4: other | 0x0:f32:2 -> 0x10:f32:2 |\n"},
    {"ViewsOfWhichASubsetIsTouched",
     "0: other | 0x0:f32:4x2/4,32? -> 0x100:f32:4? |\n", ""},
    {"NamesOfViews",
     "view x = 0x10:f32:4\nview x8 = 0x20:f32:4\n0: other | x8? -> x |\n",
     "0: other | 0x20:f32:4? -> 0x10:f32:4 |\n"},
    {"ANameGivenTwiceMeansTheLast",
     "view x = 0x10:f32:4\n0: other | x -> |\nview x = 0x20:f32:4\n"
     "1: other | x -> |\n",
     "0: other | 0x10:f32:4 -> |\n1: other | 0x20:f32:4 -> |\n"},
    {"StreamsWaitsPureAndEmittingKernels",
     "0: rms_norm plain | -> | @3 pure waits emits=rms_emit\n"
     "1: other | -> | @0 waits after ~0\n"
     "2: rms_norm plain | -> | refuted=rms_emit\n",
     ""},
    {"EmittingKernelsByLayout",
     "0: rms_norm plain | -> | emits=k emits=k_t/q8_0_pad40_t "
     "refuted=k_d4/d4\n",
     ""},
    {"Slack",
     "0: quantize ds4 scratch | source:0x1000:f32:64 ids:0x3000:i32:1 -> "
     "image:0x2000:q8_1:16 |\n"
     "1: routed_matvec q4_k ds4 | image:0x2000:q8_1:16 "
     "slack:0x2000:byte:640? -> |\n",
     ""},
    {"TheRestInAnyOrder", "0: rms_norm plain || waits emits=k @1 after\n",
     "0: rms_norm plain | -> | @1 waits emits=k\n"},
    {"EdgesInTheOrderOfTheText",
     "0: empty | -> | after 2\n1: empty | -> |\n2: empty | -> | after 1 ~1 1\n",
     ""},
    {"AChain",
     "0: empty\nchain\n1: empty\n2: empty | | after\n3: empty | | after 0 1\n"
     "4: empty\n",
     "0: empty | -> |\n1: empty | -> | after 0\n2: empty | -> |\n"
     "3: empty | -> | after 0 1\n4: empty | -> | after 3\n"},
    {"CommentsAndBlankLines",
     "# a graph\n\n  0: empty   # nothing\n\t\n1:empty||after 0#",
     "0: empty | -> |\n1: empty | -> | after 0\n"},
};

class TextOf : public ::testing::TestWithParam<Case> {};

TEST_P(TextOf, IsReadAndWrittenAgain) {
  const Case& c = GetParam();
  const absl::StatusOr<Graph> graph = GraphFromText(c.text);
  ASSERT_OK(graph);
  const std::string written = ToText(*graph);
  EXPECT_EQ(written, *c.written == '\0' ? c.text : c.written);
  const absl::StatusOr<Graph> again = GraphFromText(written);
  ASSERT_OK(again);
  EXPECT_EQ(ToText(*again), written);
}

INSTANTIATE_TEST_SUITE_P(Rows, TextOf, ::testing::ValuesIn(kCases),
                         [](const auto& p) { return p.param.name; });

TEST(GraphFromText, FillsEveryFieldOfANode) {
  const absl::StatusOr<Graph> graph = GraphFromText(
      "alloc 0x1000 64\n"
      "0: rms_norm mul | 0x1000:f32:8 -> 0x1020:f32:8 | @2 waits emits=k\n"
      "1: opaque | 0x1020:f32:8? -> | after ~0\n");
  ASSERT_OK(graph);
  ASSERT_EQ(graph->num_nodes(), 2u);
  const Node& norm = graph->node(NodeId{0});
  EXPECT_EQ(norm.kind, NodeKind::kKernel);
  EXPECT_EQ(norm.op, Op(RmsNorm{RmsForm::kMul}));
  EXPECT_TRUE(norm.effects_complete);
  EXPECT_TRUE(norm.waits);
  EXPECT_EQ(norm.stream, StreamId{2});
  ASSERT_EQ(graph->emitting_kernels(NodeId{0}).size(), 1u);
  EXPECT_EQ(graph->emitting_kernels(NodeId{0})[0].symbol, "k");
  ASSERT_EQ(graph->accesses(NodeId{0}).size(), 2u);
  const Access& output = graph->accesses(NodeId{0})[1];
  EXPECT_EQ(output.view, Packed(0x1020, ElementType::kF32, 8));
  EXPECT_EQ(output.role, Role::kOutput);
  EXPECT_TRUE(output.writes() && output.exact);

  const Node& opaque = graph->node(NodeId{1});
  EXPECT_EQ(opaque.kind, NodeKind::kKernel);
  EXPECT_FALSE(opaque.effects_complete || opaque.waits);
  EXPECT_FALSE(opaque.stream.valid());
  EXPECT_FALSE(graph->accesses(NodeId{1})[0].exact);
  ASSERT_EQ(graph->edges().size(), 1u);
  EXPECT_EQ(graph->edges()[0],
            (Edge{NodeId{0}, NodeId{1}, EdgeType::kProgrammatic, 1, 0}));
  ASSERT_EQ(graph->allocations().size(), 1u);
  EXPECT_EQ(graph->allocations()[0], (Allocation{0x1000, 64}));
}

TEST(GraphFromText, KnowsTheEffectsOfCopiesFillsAndEmptyNodesOnly) {
  for (int k = 1; k < static_cast<int>(NodeKind::kOther); ++k) {
    const auto kind = static_cast<NodeKind>(k);
    const auto graph = GraphFromText("0: " + std::string(NameOf(kind)));
    ASSERT_OK(graph);
    EXPECT_EQ(graph->node(NodeId{0}).kind, kind);
    EXPECT_EQ(graph->node(NodeId{0}).effects_complete,
              kind == NodeKind::kCopy || kind == NodeKind::kFill ||
                  kind == NodeKind::kEmpty)
        << NameOf(kind);
  }
}

TEST(GraphText, OfANodeOfNoKnownKindIsOpaque) {
  Graph graph;
  graph.AddNode(Node());
  EXPECT_EQ(ToText(graph), "0: opaque | -> |\n");
}

}  // namespace
}  // namespace reprise
