// Random recorded programs, planned, rewritten and run on the host before and
// after, byte for byte.
#include "tests/replay/random_program.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>

#include "planner/planner.h"
#include "planner/rewrite.h"
#include "replay/verify.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::MakeRandomProgram;
using ::reprise::testing::RandomProgram;
using ::reprise::testing::RefreshInputs;

constexpr std::uint32_t kPrograms = 500;

// What the plans of all programs did, so that a test which plans nothing fails.
struct Coverage {
  std::size_t emitted = 0;
  std::size_t in_place = 0;
  std::size_t in_arena = 0;
  std::size_t moved = 0;
  std::size_t repeats = 0;
  std::set<DeclineReason> reasons;

  void Add(const Plan& plan) {
    for (const PlannedImage& image : plan.images) {
      emitted += image.emitted;
      in_place += !image.in_arena;
      in_arena += image.in_arena && !image.emitted;
      moved += image.moved;
    }
    for (const Repeat& repeat : plan.repeats) repeats += repeat.removed.size();
    for (const Decline& decline : plan.declines) reasons.insert(decline.reason);
  }
};

class RandomPrograms : public ::testing::TestWithParam<EventBranches> {};

TEST_P(RandomPrograms, LeaveTheSameBytesRewrittenInAnyOrder) {
  PlanOptions plan_options;
  plan_options.event_branches = GetParam();
  Coverage coverage;
  for (std::uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const RandomProgram program = MakeRandomProgram(seed);
    const absl::StatusOr<Plan> plan = MakePlan(program.graph, plan_options);
    ASSERT_OK(plan);
    coverage.Add(*plan);
    for (std::uint32_t order_seed : {0u, seed}) {
      const absl::StatusOr<Verdict> verdict =
          Verify(program.graph, *plan, program.memory,
                 [&](int replay, HostMemory& memory) {
                   RefreshInputs(program, replay, memory);
                 },
                 {.replays = 3,
                  .host_calls = program.host_calls,
                  .order_seed = order_seed});
      ASSERT_OK(verdict);
      ASSERT_TRUE(verdict->equal())
          << ToText(program.graph, *verdict->difference) << "\n"
          << ToText(*plan);
      ASSERT_EQ(verdict->original.replays, 3u);
      ASSERT_EQ(verdict->rewritten.replays, 3u);
    }
  }
  EXPECT_GT(coverage.emitted, kPrograms / 4);
  EXPECT_GT(coverage.in_place, kPrograms / 4);
  EXPECT_GT(coverage.in_arena, kPrograms / 8);
  EXPECT_GT(coverage.moved, kPrograms / 100);
  EXPECT_GT(coverage.repeats, kPrograms / 8);
  EXPECT_GE(coverage.reasons.size(), 8u);
}

// Plans three times, and returns for how many programs the second plan still
// found something. A node that went may have been what spoiled another one's
// place; only such places are left to a second plan, and nothing to a third.
std::size_t PlanUntilAtRest(const PlanOptions& plan_options) {
  std::size_t unfinished = 0;
  for (std::uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const RandomProgram program = MakeRandomProgram(seed);
    const absl::StatusOr<Plan> first = MakePlan(program.graph, plan_options);
    EXPECT_OK(first);
    const Rewritten once =
        Rewrite(program.graph, *first, FreeAddress(program.graph));
    const absl::StatusOr<Plan> second = MakePlan(once.graph, plan_options);
    EXPECT_OK(second);
    if (second->empty()) continue;
    ++unfinished;
    for (const PlannedImage& image : second->images) {
      EXPECT_FALSE(image.in_arena) << ToText(*first) << "then\n"
                                   << ToText(*second);
    }
    const Rewritten twice =
        Rewrite(once.graph, *second, FreeAddress(once.graph));
    const absl::StatusOr<Plan> third = MakePlan(twice.graph, plan_options);
    EXPECT_OK(third);
    EXPECT_TRUE(third->empty()) << ToText(*third);
  }
  return unfinished;
}

TEST_P(RandomPrograms, ComeToRestOnceRewritten) {
  PlanOptions options;
  options.event_branches = GetParam();
  options.pure = false;
  EXPECT_LE(PlanUntilAtRest(options), kPrograms / 100);
}

// Any kernel that went may free the place of a repeat of any other.
TEST_P(RandomPrograms, ComeToRestAfterASecondPlanWhateverKernelsRepeat) {
  PlanOptions options;
  options.event_branches = GetParam();
  EXPECT_LE(PlanUntilAtRest(options), kPrograms / 4);
}

INSTANTIATE_TEST_SUITE_P(Policies, RandomPrograms,
                         ::testing::Values(EventBranches::kOriginal,
                                           EventBranches::kProven),
                         [](const auto& p) {
                           return p.param == EventBranches::kProven
                                      ? "Proven"
                                      : "Original";
                         });

TEST(MakeRandomProgram, UsesWhatProgramsAreMadeOf) {
  std::size_t kinds[16] = {};
  std::size_t streams = 0;
  for (std::uint32_t seed = 1; seed <= kPrograms; ++seed) {
    const RandomProgram program = MakeRandomProgram(seed);
    std::set<StreamId> used;
    for (const Node& node : program.graph.nodes()) {
      ++kinds[static_cast<std::size_t>(node.kind)];
      used.insert(node.stream);
    }
    streams += used.size();
  }
  const auto count = [&](NodeKind kind) {
    return kinds[static_cast<std::size_t>(kind)];
  };
  EXPECT_GT(count(NodeKind::kKernel), kPrograms * 10u);
  EXPECT_GT(count(NodeKind::kCopy), kPrograms / 2);
  EXPECT_GT(count(NodeKind::kFill), kPrograms / 2);
  EXPECT_GT(count(NodeKind::kHostCall), kPrograms / 20);
  EXPECT_GT(count(NodeKind::kEventRecord), kPrograms / 20);
  EXPECT_GT(streams, kPrograms * 3u / 2);
}

}  // namespace
}  // namespace reprise
