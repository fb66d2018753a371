// Verify can fail: each kind of wrong rewrite is reported, at the node, view
// and byte where it shows first.
#include "replay/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "examples/decoder/random_weights.h"
#include "planner/planner.h"
#include "planner/rewrite.h"
#include "tests/replay/recorded.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::decoder::AddCall;
using ::reprise::decoder::Matrix;
using ::reprise::decoder::MatVecCall;
using ::reprise::decoder::QuantizeCall;
using ::reprise::decoder::RandomBlocks;
using ::reprise::decoder::RandomFloats;
using ::reprise::decoder::RmsNormCall;
using ::reprise::decoder::Rows;
using ::reprise::testing::Finish;
using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;
using ::reprise::testing::Launch;

// Nodes, in their order. Both projections quantize y; between them x + y may be
// written to y.
constexpr NodeId kNorm{0};
constexpr NodeId kQuantize0{1};
constexpr NodeId kMatVec0{2};

struct Program {
  static constexpr std::int64_t kColumns = 64;

  HostMemory memory;
  Graph graph;
  Rows x{memory.Add("x", 256).address, 1, kColumns};
  Rows y{memory.Add("y", 256).address, 1, kColumns};
  std::uint64_t scratch = memory.Add("scratch", 2 * 576).address;
  Matrix weights[2];
  Rows out[2];

  // `step`: bytes between the two images.
  explicit Program(std::uint64_t step, bool rewrite_source = false) {
    std::mt19937 random(3);
    for (int i : {0, 1}) {
      weights[i] = {0, WeightFormat::kQ4_0, 8, kColumns};
      const auto blocks = RandomBlocks(random, weights[i]);
      weights[i].address = memory.Add("weights", blocks.size()).address;
      memory.Write(weights[i].address, blocks).IgnoreError();
      out[i] = {memory.Add("out", 32).address, 1, 8};
    }
    Recorder recorder;
    Launch(recorder, RmsNormCall("", x, {}, {}, 1e-5f, y));
    for (int i : {0, 1}) {
      const std::uint64_t image =
          scratch + static_cast<std::uint64_t>(i) * step;
      Launch(recorder, QuantizeCall(y, image));
      Launch(recorder, MatVecCall(weights[i], image, out[i]));
      if (i == 0 && rewrite_source) Launch(recorder, AddCall(x, y, y));
    }
    graph = *Finish(recorder, memory);
  }

  void Refresh(int replay, HostMemory& m) const {
    std::mt19937 random(static_cast<std::uint32_t>(replay) + 1);
    m.Write(x.address, RandomFloats(random, kColumns, -1, 1)).IgnoreError();
  }

  View OutView(int i) const {
    return Packed(out[i].address, ElementType::kF32, 8);
  }
};

// Emission and placement off, so that images are shared by quantizers.
Plan SharingPlan(const Graph& graph) {
  PlanOptions options;
  options.emission = false;
  return *MakePlan(graph, options);
}

Allocation ArenaOf(const Program& program, const Plan& plan) {
  return {FreeAddress(program.graph), plan.arena.bytes};
}

Verdict Check(const Program& program, const Rewritten& rewritten,
              const Allocation& arena, int replays = 3) {
  return *VerifyRewritten(
      program.graph, rewritten, arena, program.memory,
      [&](int replay, HostMemory& memory) { program.Refresh(replay, memory); },
      {.replays = replays});
}

void SetImagePointer(Graph& graph, NodeId node, std::uint64_t address) {
  for (const Access& access : graph.accesses(node)) {
    if (access.role != Role::kImage) continue;
    std::memcpy(&graph.mutable_launch(node).bytes[access.parameter], &address,
                sizeof(address));
  }
}

// The first byte of `view` that differs after the same replays, found by hand.
std::optional<std::uint64_t> FirstDifferentByte(const Program& program,
                                                const Graph& rewritten,
                                                const Allocation& arena,
                                                const View& view, int replays) {
  std::vector<std::uint8_t> bytes[2];
  for (int i : {0, 1}) {
    HostMemory memory = program.memory.Clone();
    auto executable =
        HostExecutable::Create(i == 0 ? program.graph : rewritten, memory,
                               {.arena = i == 0 ? Allocation{} : arena});
    for (int replay = 0; replay < replays; ++replay) {
      program.Refresh(replay, memory);
      executable->Poison(static_cast<std::uint8_t>(0xA5 + 2 * replay));
      executable->Launch();
    }
    bytes[i] = *memory.Read(view.begin(), view.end() - view.begin());
  }
  const auto at =
      std::mismatch(bytes[0].begin(), bytes[0].end(), bytes[1].begin()).first;
  if (at == bytes[0].end()) return std::nullopt;
  return static_cast<std::uint64_t>(at - bytes[0].begin());
}

void ExpectBlame(const Program& program, const Graph& rewritten,
                 const Allocation& arena, const Verdict& verdict, NodeId node,
                 const View& view, int replay) {
  ASSERT_TRUE(verdict.difference.has_value());
  const Difference& found = *verdict.difference;
  EXPECT_EQ(found.node, node) << ToText(program.graph, found);
  EXPECT_EQ(found.view, view);
  EXPECT_EQ(found.replay, replay);
  EXPECT_EQ(found.offset,
            FirstDifferentByte(program, rewritten, arena, view, replay + 1));
  EXPECT_NE(found.expected, found.actual);
}

TEST(Verify, PassesARightPlanAndCountsWhatRan) {
  const Program program(576);
  const absl::StatusOr<Plan> plan = MakePlan(program.graph);
  ASSERT_OK(plan);
  const absl::StatusOr<Verdict> verdict = Verify(
      program.graph, *plan, program.memory,
      [&](int replay, HostMemory& memory) { program.Refresh(replay, memory); },
      {.replays = 5});
  ASSERT_OK(verdict);
  EXPECT_TRUE(verdict->equal());
  EXPECT_EQ(verdict->original, (RunCounts{5, 25, 10, 0}));
  EXPECT_EQ(verdict->rewritten, (RunCounts{5, 15, 0, 5}));
  EXPECT_EQ(verdict->bytes_skipped, 2u * 576);
  EXPECT_EQ(verdict->bytes_compared, 2u * 256 + 2 * 8 * 2 * 18 + 2 * 32);
}

TEST(Verify, RefreshesBothProgramsBeforeEachReplay) {
  const Program program(576);
  std::vector<int> calls;
  const absl::StatusOr<Verdict> verdict =
      Verify(program.graph, *MakePlan(program.graph), program.memory,
             [&](int replay, HostMemory&) { calls.push_back(replay); },
             {.replays = 2});
  ASSERT_OK(verdict);
  EXPECT_EQ(calls, (std::vector<int>{0, 0, 1, 1}));
}

TEST(Verify, BlamesTheReaderThatWasNotPatched) {
  const Program program(576);
  Plan plan = *MakePlan(program.graph);
  ASSERT_EQ(plan.images.size(), 1u);
  ASSERT_EQ(plan.images[0].readers.size(), 2u);
  const NodeId reader = plan.images[0].readers[1].node;
  plan.images[0].readers.pop_back();
  const Allocation arena = ArenaOf(program, plan);
  const Rewritten rewritten = Rewrite(program.graph, plan, arena.address);
  ExpectBlame(program, rewritten.graph, arena, Check(program, rewritten, arena),
              reader, program.OutView(1), 0);
}

TEST(Verify, BlamesTheReaderOfAWrongOffset) {
  const Program program(576);
  const Plan plan = *MakePlan(program.graph);
  const Allocation arena = ArenaOf(program, plan);
  Rewritten rewritten = Rewrite(program.graph, plan, arena.address);
  const NodeId reader = rewritten.now[kMatVec0.value];
  SetImagePointer(rewritten.graph, reader, arena.address + 36);
  ExpectBlame(program, rewritten.graph, arena, Check(program, rewritten, arena),
              kMatVec0, program.OutView(0), 0);
}

TEST(Verify, BlamesTheReaderBehindAWriterOfAWrongOffset) {
  const Program program(576);
  const Plan plan = SharingPlan(program.graph);
  Allocation arena = ArenaOf(program, plan);
  Rewritten rewritten = Rewrite(program.graph, plan, arena.address);
  arena.bytes += 36;
  SetImagePointer(rewritten.graph, rewritten.now[kQuantize0.value],
                  arena.address + 36);
  ExpectBlame(program, rewritten.graph, arena, Check(program, rewritten, arena),
              kMatVec0, program.OutView(0), 0);
}

// y is an output unless the outputs are declared, and not in them.
TEST(Verify, PassesDroppedFloatsAndComparesTheRest) {
  const Program program(576);
  const Plan plan = *MakePlan(
      program.graph, {.dead_stores = true, .outputs = std::vector<View>{}});
  ASSERT_EQ(plan.images.size(), 1u);
  ASSERT_TRUE(plan.images[0].drops_floats);
  const Allocation arena = ArenaOf(program, plan);
  const Rewritten rewritten = Rewrite(program.graph, plan, arena.address);
  const Verdict verdict = Check(program, rewritten, arena);
  EXPECT_TRUE(verdict.equal());
  EXPECT_EQ(verdict.bytes_skipped, 2u * 576 + 256);
}

// The sum reads y, and a plan says that nobody does.
TEST(Verify, BlamesTheReaderOfFloatsThatShouldNotHaveBeenDropped) {
  const Program program(576, /*rewrite_source=*/true);
  const PlanOptions options = {.dead_stores = true,
                               .outputs = std::vector<View>{}};
  Plan plan = *MakePlan(program.graph, options);
  ASSERT_EQ(plan.images.size(), 1u);
  ASSERT_FALSE(plan.images[0].drops_floats);
  plan.images[0].drops_floats = true;
  const Allocation arena = ArenaOf(program, plan);
  const Rewritten rewritten = Rewrite(program.graph, plan, arena.address);
  const Verdict verdict = Check(program, rewritten, arena);
  ASSERT_FALSE(verdict.equal());
  EXPECT_EQ(verdict.difference->node, NodeId{3});
}

// Quantizers 1 and 4 write one place, but y changed in between.
TEST(Verify, BlamesTheReaderOfARemovedQuantizerWhoseSourceChanged) {
  const Program program(0, /*rewrite_source=*/true);
  constexpr NodeId kAdd{3};
  constexpr NodeId kQuantize1{4};
  constexpr NodeId kMatVec1{5};
  EXPECT_EQ(SharingPlan(program.graph).images.size(), 0u);
  Plan plan;
  PlannedImage image;
  image.writer = kQuantize0;
  image.removed = {kQuantize1};
  plan.images = {image};
  for (std::uint32_t e = 0; e < program.graph.edges().size(); ++e) {
    const Edge& edge = program.graph.edges()[e];
    if (edge.from == kQuantize1 || edge.to == kQuantize1) {
      plan.dropped_edges.push_back(e);
    }
  }
  plan.added_edges = {{kAdd, kMatVec1}};
  const Rewritten rewritten = Rewrite(program.graph, plan, 0);
  ExpectBlame(program, rewritten.graph, {}, Check(program, rewritten, {}),
              kMatVec1, program.OutView(1), 0);
}

TEST(Verify, BlamesTheReaderOfAnArenaImageThatNobodyRefreshes) {
  const Program program(576);
  const Plan plan = SharingPlan(program.graph);
  const Allocation arena = ArenaOf(program, plan);
  Rewritten rewritten = Rewrite(program.graph, plan, arena.address);
  rewritten.graph.mutable_node(rewritten.now[kQuantize0.value]).kind =
      NodeKind::kEmpty;
  const Verdict verdict = Check(program, rewritten, arena);
  ExpectBlame(program, rewritten.graph, arena, verdict, kMatVec0,
              program.OutView(0), 0);
  EXPECT_EQ(verdict.rewritten.quantizers, 0u);
}

// The image is right in the first replay, for the memory starts with it.
TEST(Verify, BlamesAStaleImageInTheReplayWhereItShows) {
  Program program(0);
  program.Refresh(0, program.memory);
  {
    auto original = HostExecutable::Create(program.graph, program.memory);
    original->Launch();
  }
  const Plan plan = SharingPlan(program.graph);
  ASSERT_EQ(plan.images.size(), 1u);
  ASSERT_FALSE(plan.images[0].in_arena);
  Rewritten rewritten = Rewrite(program.graph, plan, 0);
  rewritten.graph.mutable_node(rewritten.now[kQuantize0.value]).kind =
      NodeKind::kEmpty;
  ExpectBlame(program, rewritten.graph, {}, Check(program, rewritten, {}),
              kMatVec0, program.OutView(0), 1);
}

// The norm goes after its reader when the edge between them is lost.
TEST(Verify, SeesALostEdgeInAnotherOrder) {
  const Program program(576);
  const Plan plan = SharingPlan(program.graph);
  const Allocation arena = ArenaOf(program, plan);
  const Rewritten whole = Rewrite(program.graph, plan, arena.address);
  Graph loose;
  Rewritten rewritten = whole;
  rewritten.graph = loose;
  for (std::uint32_t n = 0; n < whole.graph.num_nodes(); ++n) {
    rewritten.graph.CopyNode(whole.graph, NodeId{n});
  }
  int different = 0;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const absl::StatusOr<Verdict> verdict = VerifyRewritten(
        program.graph, rewritten, arena, program.memory,
        [&](int replay, HostMemory& m) { program.Refresh(replay, m); },
        {.replays = 3, .order_seed = seed});
    ASSERT_OK(verdict);
    different += !verdict->equal();
  }
  EXPECT_GT(different, 5);
}

TEST(Verify, NamesNoNodeForBytesThatOnlyAHostCallWrote) {
  HostMemory memory;
  const Allocation a = memory.Add("a", 64);
  Recorder recorder;
  ASSERT_OK(recorder.HostCall(recorder.origin()));
  const absl::StatusOr<Graph> graph = Finish(recorder, memory);
  ASSERT_OK(graph);
  VerifyOptions options;
  std::uint8_t calls = 0;
  options.host_calls[NodeId{0}] = [&](HostMemory& m) {
    m.Write(a.address + 7, {++calls}).IgnoreError();
  };
  const absl::StatusOr<Verdict> verdict = Verify(
      *graph, Plan{}, memory, [](int, HostMemory&) {}, options);
  ASSERT_OK(verdict);
  ASSERT_FALSE(verdict->equal());
  const Difference& found = *verdict->difference;
  EXPECT_FALSE(found.node.valid());
  EXPECT_EQ(found.view, ByteRange(a.address, 64));
  EXPECT_EQ(found.offset, 7u);
  EXPECT_EQ(found.expected, 1);
  EXPECT_EQ(found.actual, 2);
  EXPECT_EQ(ToText(*graph, found),
            "replay 0: no known node left 0x02 instead of 0x01 at byte 7 of "
            "0x1000000000:byte:64");
}

TEST(Verify, SaysWhatCannotRun) {
  const Program program(576);
  const auto refresh = [](int, HostMemory&) {};
  EXPECT_THAT(
      Verify(program.graph, Plan{}, program.memory, refresh, {.replays = 0}),
      HasCode(absl::StatusCode::kInvalidArgument));
  Graph unknown = program.graph;
  unknown.mutable_launch(kNorm).symbol = "other";
  EXPECT_THAT(Verify(unknown, Plan{}, program.memory, refresh),
              HasText("node 0 (other)"));
}

}  // namespace
}  // namespace reprise
