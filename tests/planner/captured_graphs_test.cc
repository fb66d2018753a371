// The planner on graphs that a real engine captured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "capture/annotate.h"
#include "capture/capture_file.h"
#include "graph/text.h"
#include "planner/order.h"
#include "planner/planner.h"
#include "planner/rewrite.h"
#include "planner/summary.h"
#include "tests/planner/reachability.h"
#include "tests/planner/unrelaxed.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

// What a plan leaves.
struct Left {
  bool relax;
  std::uint32_t width;
  std::uint32_t nodes;
  std::uint32_t edges;
  std::uint32_t longest_path;  // nodes

  friend bool operator==(const Left&, const Left&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Left& left) {
    return out << left.relax << ", " << left.width << ", " << left.nodes << ", "
               << left.edges << ", " << left.longest_path;
  }
};

struct Capture {
  const char* file;
  // Quantizers as captured, with images shared, and with emission too.
  std::uint32_t captured;
  std::uint32_t shared;
  std::uint32_t emitted;
  std::uint32_t dropped;   // float stores of emitting producers, where asked
  std::vector<Left> left;  // with every pass, by width
  std::uint32_t opaque = 0;

  friend std::ostream& operator<<(std::ostream& out, const Capture& c) {
    return out << c.file;
  }
};

// The counts of sharing were measured by dropping quantizers in the live engine
// (the last row: counted). With emission there stay those of attention and,
// where the engine makes the GLU in a matrix kernel, those of its output: two
// or one for each of 28, 16 or 24 layers.
const Capture kDecodes[] = {
    {"ggml_qwen7b_q4_0_T1.json",
     169,
     113,
     56,
     56,
     {{false, 0, 534, 533, 534},
      {true, 0, 534, 617, 422},
      {true, 2, 534, 589, 450}}},
    {"ggml_llama1b_q4_k_T1.json",
     97,
     65,
     32,
     32,
     {{false, 0, 306, 305, 306},
      {true, 0, 306, 353, 242},
      {true, 2, 306, 337, 258}}},
    {"ggml_llama1b_q4_0_T1_nopdl.json",
     97,
     65,
     32,
     32,
     {{false, 0, 306, 305, 306},
      {true, 0, 306, 353, 242},
      {true, 2, 306, 337, 258}}},
    {"ggml_llama1b_q4_0_T8.json",
     113,
     65,
     16,
     48,
     {{false, 0, 354, 353, 354},
      {true, 0, 354, 417, 274},
      {true, 2, 354, 401, 290}}},
    {"ggml_moe_q4_0_T1.json",
     145,
     97,
     48,
     24,
     {{false, 0, 770, 769, 770},
      {true, 0, 770, 865, 626},
      {true, 2, 770, 841, 674}}},
    {"ggml_moe_q4_0_T4.json.gz",
     169,
     97,
     24,
     48,
     {{false, 0, 818, 817, 818},
      {true, 0, 818, 937, 650},
      {true, 2, 818, 913, 698}}},
    {"ggml25_moe_q4_k_T4.json.gz",
     19,
     13,
     6,
     3,
     {{false, 0, 70, 69, 70}, {true, 0, 70, 75, 64}, {true, 2, 70, 78, 64}}},
};

Graph Load(const std::string& file) {
  absl::StatusOr<Graph> graph =
      ReadCapture(REPRISE_TEST_DATA "/captures/" + file);
  EXPECT_OK(graph);
  if (!graph.ok()) return {};
  Annotate(BuiltInPacks(), *graph);
  return *std::move(graph);
}

class CapturedGraph : public ::testing::TestWithParam<Capture> {};

TEST_P(CapturedGraph, LosesEveryRepeatedQuantizer) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.emission = false});
  ASSERT_OK(plan);
  const Summary summary = Summarize(graph, *plan);
  EXPECT_EQ(summary.before.opaque, 0u);
  EXPECT_EQ(summary.before.quantizers, GetParam().captured);
  EXPECT_EQ(summary.after.quantizers, GetParam().shared);
}

TEST_P(CapturedGraph, LosesEveryQuantizerBehindANormOrGlu) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_OK(plan);
  const Rewritten rewritten = Rewrite(graph, *plan, FreeAddress(graph));
  absl::flat_hash_set<NodeId> declined;
  for (const Decline& decline : plan->declines) {
    EXPECT_EQ(NameOf(decline.reason), "not_a_producer");
    declined.insert(decline.node);
  }
  std::uint32_t quantizers = 0;
  for (std::uint32_t n = 0; n < rewritten.graph.num_nodes(); ++n) {
    if (!IsQuantizer(rewritten.graph.node(NodeId{n}).op)) continue;
    ++quantizers;
    EXPECT_TRUE(declined.contains(rewritten.origin[n]))
        << Named(rewritten.graph, NodeId{n});
  }
  EXPECT_EQ(quantizers, GetParam().emitted);
}

// One node overwrites each of them all. The last norm's stay, which nobody
// overwrites, and in mixtures of experts those that the router reads.
TEST_P(CapturedGraph, StoresNoFloatsThatNobodyReads) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.dead_stores = true});
  ASSERT_OK(plan);
  EXPECT_EQ(Summarize(graph, *plan).dropped.stores, GetParam().dropped);
  std::uint32_t emitting = 0, outputs = 0, read = 0;
  for (const PlannedImage& image : plan->images) emitting += image.emitted;
  for (const Decline& decline : plan->declines) {
    outputs += decline.reason == DeclineReason::kStoreIsOutput;
    read += decline.reason == DeclineReason::kStoreIsRead;
  }
  EXPECT_EQ(outputs, 1u);
  EXPECT_EQ(emitting, GetParam().dropped + outputs + read);
}

// A pack reads the patched launches, and must find in them what the rewriter
// put there: the same op and the same views.
TEST_P(CapturedGraph, IsReadByThePacksOnceRewritten) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.dead_stores = true});
  ASSERT_OK(plan);
  Graph read = Rewrite(graph, *plan, FreeAddress(graph)).graph;
  const Graph written = read;
  EXPECT_EQ(Annotate(BuiltInPacks(), read).opaque, 0u);
  const auto by_parameter = [](absl::Span<const Access> accesses) {
    std::vector<Access> sorted(accesses.begin(), accesses.end());
    absl::c_stable_sort(sorted, [](const Access& a, const Access& b) {
      return a.parameter < b.parameter;
    });
    return sorted;
  };
  for (std::uint32_t n = 0; n < read.num_nodes(); ++n) {
    const NodeId id{n};
    SCOPED_TRACE(Named(read, id));
    EXPECT_EQ(read.node(id).op.index(), written.node(id).op.index());
    EXPECT_EQ(read.node(id).waits, written.node(id).waits);
    EXPECT_EQ(by_parameter(read.accesses(id)),
              by_parameter(written.accesses(id)));
  }
}

TEST_P(CapturedGraph, ChangesNoMoreOncePlanned) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_OK(plan);
  const Rewritten once = Rewrite(graph, *plan, FreeAddress(graph));
  const absl::StatusOr<Plan> again = MakePlan(once.graph);
  ASSERT_OK(again);
  EXPECT_TRUE(again->empty()) << ToText(*again);
}

// The engine launches programmatically where both sides can; a bridge between
// two such edges must not lose that.
TEST_P(CapturedGraph, KeepsProgrammaticChainsProgrammatic) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph);
  ASSERT_OK(plan);
  bool programmatic = false;
  for (const Edge& edge : graph.edges()) {
    programmatic |= edge.type == EdgeType::kProgrammatic;
  }
  for (const Edge& edge : plan->added_edges) {
    EXPECT_EQ(edge.type == EdgeType::kProgrammatic, programmatic)
        << edge.from.value << " -> " << edge.to.value;
  }
}

TEST_P(CapturedGraph, KeepsTheOrderOfConflictsWhenRelaxed) {
  const Graph graph = Load(GetParam().file);
  for (std::uint32_t width : {0u, 4u}) {
    const absl::StatusOr<Plan> plan =
        MakePlan(graph, {.relax = true, .relax_width = width});
    ASSERT_OK(plan);
    const Graph strict =
        Rewrite(graph, Unrelaxed(graph, *plan), FreeAddress(graph)).graph;
    const absl::StatusOr<Order> before = Order::Of(strict);
    ASSERT_OK(before);
    const Graph relaxed = Rewrite(graph, *plan, FreeAddress(graph)).graph;
    const absl::StatusOr<Order> after = Order::Of(relaxed);
    ASSERT_OK(after);
    for (NodeId b : before->nodes()) {
      for (NodeId a : before->nodes()) {
        if (!before->Before(a, b) || !Conflict(strict, a, b)) continue;
        ASSERT_TRUE(after->Before(a, b)) << a.value << " before " << b.value;
      }
    }
  }
}

// By width: what is left with every pass.
TEST_P(CapturedGraph, IsLeftWithTheseCountsByEveryPass) {
  const Graph graph = Load(GetParam().file);
  for (const Left& left : GetParam().left) {
    const absl::StatusOr<Plan> plan =
        MakePlan(graph, {.relax = left.relax, .relax_width = left.width});
    ASSERT_OK(plan);
    const GraphCounts after = Summarize(graph, *plan).after;
    EXPECT_EQ((Left{left.relax, left.width, after.nodes, after.edges,
                    after.longest_path}),
              left);
  }
}

INSTANTIATE_TEST_SUITE_P(Decode, CapturedGraph, ::testing::ValuesIn(kDecodes),
                         [](const auto& p) {
                           std::string name(p.param.file);
                           return name.substr(0, name.find('.'));
                         });

// Graphs with library kernels that no pack describes: these may touch anything,
// and what they leave in order is counted from the nodes. Newer ones run the
// last layer behind attention, and the output, for one token alone. The last
// attends by a kernel of the engine's own.
const Capture kPrefills[] = {
    {"ggml_llama1b_q4_0_T512.json.gz", 113, 65, 65, 0, {}, 32},
    {"ggml_moe_q4_k_T512.json.gz", 169, 97, 97, 0, {}, 96},
    {"ggml25_llama1b_q4_0_T512.json.gz", 112, 65, 63, 0, {}, 32},
    {"ggml25_moe_q4_k_T512.json.gz", 21, 13, 11, 0, {}, 8},
    {"ggml25_llama1b_q4_0_T512_fa.json.gz", 21, 13, 11, 0, {}, 0},
};

class CapturedPrefill : public ::testing::TestWithParam<Capture> {};

TEST_P(CapturedPrefill, LosesEveryRepeatedQuantizer) {
  const Graph graph = Load(GetParam().file);
  for (const bool emission : {false, true}) {
    const absl::StatusOr<Plan> plan = MakePlan(graph, {.emission = emission});
    ASSERT_OK(plan);
    const Summary summary = Summarize(graph, *plan);
    EXPECT_EQ(summary.before.opaque, GetParam().opaque);
    EXPECT_EQ(summary.before.quantizers, GetParam().captured);
    EXPECT_EQ(summary.after.quantizers,
              emission ? GetParam().emitted : GetParam().shared);
  }
}

TEST_P(CapturedPrefill, IsReadByThePacksOnceRewritten) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.relax = true});
  ASSERT_OK(plan);
  Graph read = Rewrite(graph, *plan, FreeAddress(graph)).graph;
  const Graph written = read;
  Annotate(BuiltInPacks(), read);
  for (std::uint32_t n = 0; n < read.num_nodes(); ++n) {
    const NodeId id{n};
    SCOPED_TRACE(Named(read, id));
    EXPECT_EQ(read.accesses(id), written.accesses(id));
  }
}

// What a matrix kernel loads behind its image belongs to that image.
TEST_P(CapturedPrefill, LoadsFromTheArenaWhatIsTheImages) {
  const Graph graph = Load(GetParam().file);
  const absl::StatusOr<Plan> plan = MakePlan(graph, {.relax = true});
  ASSERT_OK(plan);
  const std::uint64_t arena = FreeAddress(graph);
  const Rewritten after = Rewrite(graph, *plan, arena);
  for (const PlannedImage& image : plan->images) {
    if (!image.in_arena) continue;
    for (const ImageReader& reader : image.readers) {
      for (const Access& access :
           after.graph.accesses(after.now[reader.node.value])) {
        if (access.role != Role::kImage && access.role != Role::kSlack) {
          continue;
        }
        EXPECT_GE(access.view.begin(), arena + image.offset);
        EXPECT_LE(access.view.end(), arena + image.offset + image.bytes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Prefill, CapturedPrefill,
                         ::testing::ValuesIn(kPrefills), [](const auto& p) {
                           std::string name(p.param.file);
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace reprise::testing
