// The planner against an oracle that runs both programs on symbols: every byte
// outside scratch must come out the same, on graphs no person wrote, under
// random schedules, over replays that follow each other.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "planner/rewrite.h"
#include "tests/planner/random_graph.h"
#include "tests/planner/symbolic_machine.h"
#include "tests/planner/unrelaxed.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

std::set<std::uint64_t> AllCells(const Graph& graph) {
  std::set<std::uint64_t> cells;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    for (const Access& access : graph.accesses(NodeId{n})) {
      for (std::uint64_t cell : CellsOf(access.view)) cells.insert(cell);
    }
  }
  return cells;
}

std::set<std::uint64_t> ScratchCells(const Graph& graph) {
  std::set<std::uint64_t> cells;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const auto* quantize = std::get_if<Quantize>(&graph.node(NodeId{n}).op);
    if (quantize == nullptr || !quantize->scratch) continue;
    const Access* image =
        graph.FindAccess(NodeId{n}, Role::kImage, AccessMode::kWrite);
    for (std::uint64_t cell : CellsOf(image->view)) cells.insert(cell);
  }
  return cells;
}

// Whether all that the reader loads through a patched image pointer, slack
// included, belongs to the image.
bool LoadsItsImageAlone(const Graph& after, NodeId reader, std::uint64_t begin,
                        std::uint64_t bytes) {
  for (const Access& access : after.accesses(reader)) {
    if (access.writes()) continue;
    if (access.role != Role::kImage && access.role != Role::kSlack) continue;
    if (access.view.begin() < begin || access.view.end() > begin + bytes) {
      return false;
    }
  }
  return true;
}

std::string OverreadOf(const Graph& graph, const Plan& plan,
                       const Rewritten& after) {
  for (const PlannedImage& image : plan.images) {
    if (!image.in_arena) continue;
    for (const ImageReader& reader : image.readers) {
      if (!LoadsItsImageAlone(after.graph, after.now[reader.node.value],
                              FreeAddress(graph) + image.offset, image.bytes)) {
        return absl::StrCat("node ", reader.node.value,
                            " reads past its image");
      }
    }
  }
  return "";
}

// Floats that are dropped and no declared output: the outside cannot tell.
std::set<std::uint64_t> ForgottenCells(
    const Graph& graph, const Plan& plan,
    const std::optional<std::vector<View>>& outputs) {
  std::set<std::uint64_t> cells;
  if (!outputs) return cells;
  for (const auto& [producer, emitted] : EmittedImagesOf(graph, plan)) {
    if (!emitted.drops_floats) continue;
    for (std::uint64_t cell : CellsOf(emitted.floats)) cells.insert(cell);
  }
  for (const View& output : *outputs) {
    for (std::uint64_t cell : CellsOf(output)) cells.erase(cell);
  }
  return cells;
}

// Empty when both programs leave the same symbols; else what is wrong. Of a
// relaxed plan, `strict` is the graph that it gives unrelaxed.
std::string Difference(
    const Graph& graph, const Plan& plan, std::uint32_t seed,
    const Graph* strict = nullptr,
    const std::optional<std::vector<View>>& outputs = std::nullopt) {
  const Rewritten after = Rewrite(graph, plan, FreeAddress(graph));
  if (std::string over = OverreadOf(graph, plan, after); !over.empty()) {
    return over;
  }
  const std::set<std::uint64_t> cells = AllCells(graph);
  const std::set<std::uint64_t> scratch = ScratchCells(graph);
  const std::set<std::uint64_t> forgotten =
      ForgottenCells(graph, plan, outputs);
  const std::vector<std::uint64_t> everything(cells.begin(), cells.end());
  std::vector<NodeId> identity;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    identity.push_back(NodeId{n});
  }

  std::mt19937 rng(seed);
  SymbolicMemory original;
  SymbolicMemory rewritten;
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    const std::vector<NodeId> schedule = RandomSchedule(after.graph, rng);
    const std::vector<NodeId> planned =
        strict == nullptr ? schedule
                          : EquivalentSchedule(*strict, schedule, rng);
    if (planned.empty()) return "the relaxed edges lost an order";
    const std::vector<NodeId> captured =
        MatchingSchedule(graph, plan, after, planned, rng);
    if (captured.empty()) return "the rewrite lost an order";
    for (std::uint64_t byte = 0; byte < plan.arena.bytes; byte += 4) {
      rewritten.Store((FreeAddress(graph) + byte) / 4, replay + 0xdead);
    }
    RunReplay(graph, captured, identity, everything, {}, original);
    RunReplay(after.graph, schedule, after.origin, everything,
              EmittedImagesOf(graph, plan), rewritten);
    for (std::uint64_t cell : cells) {
      if (scratch.contains(cell) || forgotten.contains(cell)) continue;
      if (original.Load(cell) == rewritten.Load(cell)) continue;
      return absl::StrCat("replay ", replay, ": the symbol at 0x",
                          absl::Hex(cell * 4), " differs");
    }
  }
  return "";
}

struct Tally {
  int in_place = 0;
  int shared = 0;
  int moved = 0;
  int emitted = 0;
  int repeats = 0;  // nodes, of other kernels than quantizers
  int other_layouts = 0;
  int dropped = 0;  // stores

  void Count(const Graph& graph, const Plan& plan) {
    for (const PlannedImage& image : plan.images) {
      const NodeId quantizer =
          image.removed.empty() ? image.writer : image.removed.front();
      other_layouts += LayoutOf(graph.node(quantizer).op) != ImageLayout::kQ8_1;
      dropped += image.drops_floats;
      in_place += !image.in_arena;
      shared += image.in_arena && !image.emitted;
      moved += image.moved;
      emitted += image.emitted;
    }
    for (const Repeat& repeat : plan.repeats) repeats += repeat.removed.size();
  }
};

Tally CheckSeeds(std::uint32_t first, std::uint32_t count,
                 const RandomGraphOptions& shape, const PlanOptions& options) {
  Tally tally;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    const Graph graph = RandomGraph(seed, shape);
    const absl::StatusOr<Plan> plan = MakePlan(graph, options);
    EXPECT_OK(plan) << "seed " << seed;
    if (!plan.ok()) return tally;
    tally.Count(graph, *plan);
    for (std::uint32_t run = 0; run < 3; ++run) {
      const std::string difference =
          Difference(graph, *plan, seed * 3 + run, nullptr, options.outputs);
      EXPECT_EQ(difference, "") << "seed " << seed << "\n"
                                << ToText(graph) << "\n"
                                << ToText(*plan);
      if (!difference.empty()) return tally;
    }
  }
  return tally;
}

TEST(Planner, KeepsEverySymbolOfRandomGraphs) {
  PlanOptions options;
  const Tally tally = CheckSeeds(1, 600, {}, options);
  EXPECT_GT(tally.in_place, 50);
  EXPECT_GT(tally.shared, 50);
  EXPECT_GT(tally.emitted, 50);
}

TEST(Planner, KeepsEverySymbolWhenProvenBranchesMayEmit) {
  PlanOptions options;
  options.event_branches = EventBranches::kProven;
  const Tally tally = CheckSeeds(10001, 400, {}, options);
  EXPECT_GT(tally.emitted, 100);
}

TEST(Planner, KeepsEverySymbolWithoutEmission) {
  PlanOptions options;
  options.emission = false;
  const Tally tally = CheckSeeds(20001, 400, {}, options);
  EXPECT_GT(tally.shared, 100);
  EXPECT_GT(tally.moved, 10);
}

TEST(Planner, KeepsEverySymbolWhenKernelsRepeat) {
  RandomGraphOptions tame = Repetitive();
  tame.race_percent = 0;
  tame.opaque_percent = 0;
  RandomGraphOptions one_stream = Repetitive();
  one_stream.streams = 1;
  std::uint32_t seed = 50001;
  for (const RandomGraphOptions& shape : {Repetitive(), tame, one_stream}) {
    const Tally tally = CheckSeeds(seed, 400, shape, {});
    EXPECT_GT(tally.repeats, 300);
    EXPECT_GT(tally.in_place, 20);
    EXPECT_GT(tally.shared + tally.emitted, 20);
    seed += 400;
  }
}

TEST(Planner, KeepsEverySymbolOfImagesInSeveralLayouts) {
  RandomGraphOptions tame = Tame();
  tame.other_layouts_percent = 50;
  RandomGraphOptions wild;
  wild.other_layouts_percent = 50;
  std::uint32_t seed = 60001;
  for (const RandomGraphOptions& shape : {wild, tame}) {
    const Tally tally = CheckSeeds(seed, 400, shape, {});
    EXPECT_GT(tally.in_place, 20);
    EXPECT_GT(tally.shared, 20);
    EXPECT_GT(tally.emitted, 20);
    EXPECT_GT(tally.other_layouts, 50);
    seed += 400;
  }
}

// The place of dropped floats holds poison once their producer has run.
TEST(Planner, KeepsEverySymbolWhenDeadStoresAreDropped) {
  RandomGraphOptions calm;
  calm.opaque_percent = 0;
  calm.race_percent = 2;
  RandomGraphOptions apart = Tame();
  apart.nodes = 40;
  RandomGraphOptions opaque = apart;
  opaque.opaque_percent = 6;
  RandomGraphOptions layouts = calm;
  layouts.other_layouts_percent = 30;
  std::uint32_t seed = 70001;
  for (const RandomGraphOptions& shape :
       {RandomGraphOptions{}, calm, apart, opaque, layouts, Repetitive()}) {
    PlanOptions options;
    options.dead_stores = true;
    options.event_branches = EventBranches::kProven;
    CheckSeeds(seed, 150, shape, options);
    seed += 150;
  }
  PlanOptions options;
  options.dead_stores = true;
  options.event_branches = EventBranches::kProven;
  EXPECT_GT(CheckSeeds(seed, 200, apart, options).dropped, 50);
}

TEST(Planner, KeepsEveryDeclaredOutputWhenDeadStoresAreDropped) {
  RandomGraphOptions calm;
  calm.opaque_percent = 0;
  PlanOptions options;
  options.dead_stores = true;
  options.event_branches = EventBranches::kProven;
  options.outputs = {Packed(0x30000, ElementType::kF32, 64),
                     Packed(0x10040, ElementType::kF32, 64)};
  std::uint32_t seed = 80001;
  for (const RandomGraphOptions& shape : {RandomGraphOptions{}, calm, Tame()}) {
    EXPECT_GT(CheckSeeds(seed, 200, shape, options).dropped, 10);
    seed += 200;
  }
}

TEST(Planner, KeepsEverySymbolWhenItDropsStoresAndRelaxes) {
  RandomGraphOptions calm;
  calm.opaque_percent = 0;
  std::uint32_t seed = 90001;
  for (const RandomGraphOptions& shape : {RandomGraphOptions{}, calm, Tame()}) {
    for (const std::uint32_t last = seed + 200; seed < last; ++seed) {
      const Graph graph = RandomGraph(seed, shape);
      PlanOptions options;
      options.dead_stores = true;
      options.relax = true;
      options.relax_width = seed % 9;
      const absl::StatusOr<Plan> relaxed = MakePlan(graph, options);
      ASSERT_OK(relaxed);
      const Rewritten before =
          Rewrite(graph, Unrelaxed(graph, *relaxed), FreeAddress(graph));
      ASSERT_EQ(Difference(graph, *relaxed, seed, &before.graph), "")
          << "seed " << seed << "\n"
          << ToText(graph) << "\n"
          << ToText(*relaxed);
    }
  }
}

TEST(Planner, KeepsEverySymbolOfLongerWilderGraphs) {
  RandomGraphOptions shape;
  shape.nodes = 60;
  shape.streams = 4;
  shape.buffers = 4;
  shape.race_percent = 2;
  PlanOptions options;
  options.event_branches = EventBranches::kProven;
  CheckSeeds(30001, 100, shape, options);
}

TEST(Planner, KeepsEverySymbolWhenItRelaxes) {
  RandomGraphOptions tame;
  tame.race_percent = 0;
  RandomGraphOptions one_stream;
  one_stream.streams = 1;
  one_stream.buffers = 12;
  std::uint32_t seed = 40001;
  for (const RandomGraphOptions& shape :
       {RandomGraphOptions{}, tame, one_stream, Tame(), Repetitive()}) {
    for (const std::uint32_t last = seed + 200; seed < last; ++seed) {
      const Graph graph = RandomGraph(seed, shape);
      PlanOptions options;
      options.relax = true;
      options.relax_width = seed % 9;
      const absl::StatusOr<Plan> relaxed = MakePlan(graph, options);
      ASSERT_OK(relaxed);
      const Rewritten before =
          Rewrite(graph, Unrelaxed(graph, *relaxed), FreeAddress(graph));
      ASSERT_EQ(Difference(graph, *relaxed, seed, &before.graph), "")
          << "seed " << seed << "\n"
          << ToText(graph) << "\n"
          << ToText(*relaxed);
    }
  }
}

TEST(Planner, ChangesNothingOfItsOwnResult) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    const Graph graph = RandomGraph(seed, Tame());
    const absl::StatusOr<Plan> plan = MakePlan(graph);
    ASSERT_OK(plan);
    const Rewritten once = Rewrite(graph, *plan, FreeAddress(graph));
    const absl::StatusOr<Plan> again = MakePlan(once.graph);
    ASSERT_OK(again);
    EXPECT_TRUE(again->empty()) << "seed " << seed << "\n"
                                << ToText(once.graph) << ToText(*again);
  }
}

// Where images overlap each other's scratch, moving one can free another: a
// second plan may find more, must be as sound, and has to end.
TEST(Planner, ComesToRestOnItsOwnResults) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    Graph graph = RandomGraph(seed);
    int rounds = 0;
    for (;; ++rounds) {
      const absl::StatusOr<Plan> plan = MakePlan(graph);
      ASSERT_OK(plan);
      if (plan->empty()) break;
      ASSERT_EQ(Difference(graph, *plan, seed), "")
          << "seed " << seed << " round " << rounds;
      graph = Rewrite(graph, *plan, FreeAddress(graph)).graph;
    }
    EXPECT_LE(rounds, 3) << "seed " << seed;
  }
}

TEST(Planner, GivesTheSamePlanForTheSameGraph) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const absl::StatusOr<Plan> one = MakePlan(RandomGraph(seed));
    const absl::StatusOr<Plan> two = MakePlan(RandomGraph(seed));
    ASSERT_OK(one);
    ASSERT_OK(two);
    EXPECT_EQ(*one, *two) << "seed " << seed;
  }
}

}  // namespace
}  // namespace reprise::testing
