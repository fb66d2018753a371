// Plans that stand: wherever one is said to hold for a graph whose memory
// moved, planning that graph anew gives the very same.
#include "planner/standing_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "tests/planner/plan_case.h"
#include "tests/planner/random_graph.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr std::uint32_t kPointer = sizeof(std::uint64_t);

// The same graph with a launch for each node: a pointer to each view, but that
// slack hangs on the image's; a pointer that nothing is known of, and a number.
Graph WithLaunches(const Graph& graph) {
  Graph launched;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    std::vector<Access> accesses(graph.accesses(id).begin(),
                                 graph.accesses(id).end());
    KernelLaunch launch;
    launch.symbol = ToText(graph.node(id).op);
    std::uint32_t image_parameter = Access::kNoParameter;
    for (Access& access : accesses) {
      if (access.role == Role::kSlack) {
        access.parameter = image_parameter;
        continue;
      }
      access.parameter = static_cast<std::uint32_t>(launch.bytes.size());
      launch.bytes.resize(launch.bytes.size() + kPointer);
      std::memcpy(launch.bytes.data() + access.parameter, &access.view.address,
                  kPointer);
      if (access.role == Role::kImage) image_parameter = access.parameter;
    }
    launch.bytes.resize(launch.bytes.size() + 2 * kPointer);
    const NodeId added = launched.AddKernel(launch);
    Node node = graph.node(id);
    node.launch = launched.node(added).launch;
    if (node.emitting != Node::kNoIndex) {
      node.emitting = launched.AddEmittingKernels(graph.emitting_kernels(id));
    }
    launched.mutable_node(added) = node;
    launched.SetAccesses(added, accesses);
  }
  for (const Edge& edge : graph.edges()) launched.AddEdge(edge);
  return launched;
}

void MoveAccess(std::uint64_t by, NodeId id, std::size_t i, Graph& graph) {
  Access& access = graph.mutable_accesses(id)[i];
  access.view.address += by;
  if (access.role == Role::kSlack) return;
  if (graph.node(id).launch == Node::kNoIndex) return;
  std::memcpy(graph.mutable_launch(id).bytes.data() + access.parameter,
              &access.view.address, kPointer);
}

// Whole stretches of memory by distances of their own, few enough that some
// come to lie on others.
void MoveStretches(std::mt19937& random, Graph& graph) {
  std::map<std::uint64_t, std::uint64_t> ends;  // by begin; connected ranges
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    for (const Access& access : graph.accesses(NodeId{n})) {
      if (access.view.empty()) continue;
      std::uint64_t begin = access.view.begin();
      std::uint64_t end = access.view.end();
      for (auto at = ends.begin(); at != ends.end();) {
        if (at->first >= end || at->second <= begin) {
          ++at;
          continue;
        }
        begin = std::min(begin, at->first);
        end = std::max(end, at->second);
        at = ends.erase(at);
      }
      ends[begin] = end;
    }
  }
  std::map<std::uint64_t, std::uint64_t> by;  // by end
  for (const auto& [begin, end] : ends) {
    const std::uint64_t far = std::uint64_t{random() % 8} << 24;
    by[end] = random() % 4 == 0   ? 0
              : random() % 8 == 0 ? std::uint64_t{0} - 4 * (random() % 80)
                                  : far + 4 * (random() % 2);
  }
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    for (std::size_t i = 0; i < graph.accesses(id).size(); ++i) {
      const View& view = graph.accesses(id)[i].view;
      if (view.empty()) continue;
      MoveAccess(by.upper_bound(view.begin())->second, id, i, graph);
    }
  }
}

void Change(std::mt19937& random, Graph& graph) {
  const NodeId id{static_cast<std::uint32_t>(random() % graph.num_nodes())};
  const std::size_t accesses = graph.accesses(id).size();
  const std::uint64_t far = std::uint64_t{1 + random() % 4} << 24;
  switch (random() % 8) {
    case 0:  // all the same way
      for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
        for (std::size_t i = 0; i < graph.accesses(NodeId{n}).size(); ++i) {
          MoveAccess(far, NodeId{n}, i, graph);
        }
      }
      break;
    case 1:  // one access
      if (accesses > 0) MoveAccess(far, id, random() % accesses, graph);
      break;
    case 2:  // one node
      for (std::size_t i = 0; i < accesses; ++i) MoveAccess(far, id, i, graph);
      break;
    case 3: {  // a number, or a pointer whose view stays
      std::vector<std::uint8_t>& bytes = graph.mutable_launch(id).bytes;
      ++bytes[random() % (bytes.size() / kPointer) * kPointer];
      break;
    }
    case 4:
      graph.mutable_launch(id).grid.x ^= 1;
      break;
    case 5:
      if (accesses > 0) graph.mutable_accesses(id)[0].view.extents[0] ^= 32;
      break;
    default:
      MoveStretches(random, graph);
      break;
  }
}

std::vector<NodeId> ChangedNodes(const Graph& a, const Graph& b) {
  std::vector<NodeId> changed;
  for (std::uint32_t n = 0; n < a.num_nodes(); ++n) {
    const NodeId id{n};
    if (a.launch(id) != b.launch(id) || a.accesses(id) != b.accesses(id)) {
      changed.push_back(id);
    }
  }
  return changed;
}

using Outputs = std::optional<std::vector<View>>;

// Unknown, none, or some floats of the random graphs.
Outputs OutputsOf(std::uint32_t seed) {
  switch (seed % 3) {
    case 0:
      return std::nullopt;
    case 1:
      return std::vector<View>{};
    default:
      return std::vector<View>{
          Packed(0x10000 + seed % 8 * 128, ElementType::kF32, 64), View{}};
  }
}

std::vector<PlanOptions> ManyOptions(const Outputs& outputs) {
  std::vector<PlanOptions> options(8);
  options[1].relax = true;
  options[2].event_branches = EventBranches::kProven;
  options[3].sharing = options[3].storage = false;
  options[4].claimed_producers = {NodeId{0}, NodeId{5}, NodeId{9}};
  options[5].dead_stores = options[6].dead_stores = true;
  options[6].outputs = outputs;
  options[7] = options[6];
  options[7].event_branches = EventBranches::kProven;
  options[7].relax = true;
  return options;
}

// Counts plans that drop floats.
void ExpectSamePlans(const Graph& before, const Graph& after,
                     const Outputs& outputs, int& dropping) {
  for (const PlanOptions& options : ManyOptions(outputs)) {
    const absl::StatusOr<Plan> was = MakePlan(before, options);
    const absl::StatusOr<Plan> is = MakePlan(after, options);
    ASSERT_OK(was);
    ASSERT_OK(is);
    ASSERT_TRUE(*was == *is) << ToText(*was) << "\n" << ToText(*is);
    dropping += absl::c_any_of(was->images, [](const PlannedImage& image) {
      return image.drops_floats;
    });
  }
}

RandomGraphOptions OptionsOf(std::uint32_t seed) {
  RandomGraphOptions options;
  options.pure_percent = 30;
  if (seed % 4 == 0) options = Tame();
  if (seed % 4 == 1) options = Repetitive();
  if (seed / 4 % 2 == 1) options.other_layouts_percent = 40;
  return options;
}

TEST(StandingPlan, IsWhatPlanningAnewGives) {
  int stands = 0;
  int falls = 0;
  int dropping = 0;
  for (std::uint32_t seed = 0; seed < 480; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Graph before = WithLaunches(RandomGraph(seed, OptionsOf(seed)));
    const Outputs outputs = OutputsOf(seed);
    StandingPlan standing(before, outputs);
    for (int i = 0; i < 6; ++i) {
      Graph after = before;
      Change(random, after);
      const std::vector<NodeId> changed = ChangedNodes(before, after);
      if (standing.Follow(changed, after)) {
        ++stands;
        ASSERT_NO_FATAL_FAILURE(
            ExpectSamePlans(before, after, outputs, dropping));
      } else {
        ++falls;
        standing = StandingPlan(after, outputs);
      }
      before = after;
    }
  }
  EXPECT_GT(stands, 800);
  EXPECT_GT(falls, 400);
  EXPECT_GT(dropping, 200);
}

// A norm whose image two products share, x and y apart from all else.
constexpr char kLoop[] = R"(chain
0: rms_norm mul | x w -> y | emits=emit
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> B |
4: matvec q4_0 | b w -> p |
)";

Graph LoopWith(const std::string& views) {
  absl::StatusOr<Graph> graph = GraphFromText(views + kLoop);
  EXPECT_OK(graph);
  return graph.ok() ? WithLaunches(*graph) : Graph();
}

// The views of plan_case.h, these lines in the place of theirs.
std::string Moved(const std::vector<std::string>& lines) {
  std::string views = kViews;
  for (const std::string& line : lines) {
    const std::string name = line.substr(0, line.find('='));
    const std::size_t at = views.find(name);
    views.replace(at, views.find('\n', at) - at, line);
  }
  return views;
}

bool Stands(const Graph& before, Graph after) {
  StandingPlan standing(before);
  return standing.Follow(ChangedNodes(before, after), after);
}

bool Stands(const std::vector<std::string>& moved) {
  return Stands(LoopWith(kViews), LoopWith(Moved(moved)));
}

TEST(StandingPlan, StandsWhereNothingChanged) { EXPECT_TRUE(Stands({})); }

TEST(StandingPlan, StandsWhereMemoryMovesApart) {
  EXPECT_TRUE(Stands({"view x = 0x21000:f32:64"}));
  EXPECT_TRUE(Stands({"view y = 0x21000:f32:64"}));
  EXPECT_TRUE(Stands({"view A = 0x28000:q8_1:16", "view a = 0x28000:q8_1:2"}));
  // To where another was that goes too, and right behind a third.
  EXPECT_TRUE(Stands({"view x = 0x2000:f32:64", "view y = 0x2100:f32:64"}));
}

TEST(StandingPlan, FallsWhereMemoryMovesOntoOther) {
  EXPECT_FALSE(Stands({"view x = 0x2000:f32:64"}));
  EXPECT_FALSE(Stands({"view x = 0x20fc:f32:64"}));
  EXPECT_FALSE(Stands({"view x = 0x1f04:f32:64"}));
  EXPECT_FALSE(Stands({"view B = 0x8000:q8_1:16", "view b = 0x8000:q8_1:2"}));
}

TEST(StandingPlan, FallsWhereViewsOfOneStretchPart) {
  EXPECT_FALSE(Stands({"view A = 0x28000:q8_1:16"}));
  EXPECT_FALSE(Stands({"view a = 0x8024:q8_1:2"}));
}

TEST(StandingPlan, FallsWhereViewsPartThatShareOneFloat) {
  const std::string meet = Moved({"view z = 0x40fc:f32:64"});
  const std::string nodes = R"(chain
0: other | x -> z |
1: other | y -> o |
2: other | o -> p |
)";
  const auto graph = [&](const std::string& o) {
    return WithLaunches(*GraphFromText(meet + "view q = " + o + ":f32:32\n" +
                                       nodes + "3: other | x -> q |\n"));
  };
  // The last float of q is the first one of z, and then is not.
  EXPECT_FALSE(Stands(graph("0x4080"), graph("0x14080")));
  EXPECT_TRUE(Stands(graph("0x407c"), graph("0x1407c")));
}

// Three of a kind but for a number: the first two are never the same.
TEST(StandingPlan, RemembersWhatPureKernelsWereSetTo) {
  Graph graph = WithLaunches(*GraphFromText(std::string(kViews) + R"(chain
0: other | x -> o | pure
1: other | x -> o | pure
2: other | x -> o | pure
)"));
  const auto set = [&](std::uint32_t node, std::uint8_t number) {
    graph.mutable_launch(NodeId{node}).bytes.back() = number;
  };
  set(1, 1);
  set(2, 2);
  StandingPlan standing(graph);
  set(0, 3);
  EXPECT_TRUE(standing.Follow({NodeId{0}}, graph));
  set(1, 0);
  EXPECT_TRUE(standing.Follow({NodeId{1}}, graph));
  set(0, 0);
  EXPECT_FALSE(standing.Follow({NodeId{0}}, graph));
}

TEST(StandingPlan, FallsWhereAViewHasAnotherShape) {
  EXPECT_FALSE(Stands({"view x = 0x1000:f32:32"}));
}

// Whether an empty view lies inside of another may count.
TEST(StandingPlan, NeverStandsWhereAViewIsEmpty) {
  EXPECT_TRUE(Stands({"view y = 0x21000:f32:64"}));
  Graph before = LoopWith(kViews);
  before.mutable_accesses(NodeId{0})[0].view.extents[0] = 0;
  EXPECT_FALSE(Stands(before, before));
}

TEST(StandingPlan, FallsWhereAnEndWouldWrapAround) {
  EXPECT_FALSE(Stands({"view x = 0xffffffffffffff80:f32:64"}));
}

TEST(StandingPlan, LooksIntoLaunchesThatPlanningComparesAndNoOther) {
  const Graph before = LoopWith(kViews);
  const auto stands_after = [&](NodeId id, auto change) {
    Graph after = before;
    change(after.mutable_launch(id));
    return Stands(before, after);
  };
  const auto number = [](KernelLaunch& launch) { ++launch.bytes.back(); };
  const auto grid = [](KernelLaunch& launch) { ++launch.grid.x; };
  const auto shared = [](KernelLaunch& launch) { launch.shared_bytes = 8; };
  for (const NodeId looked_into : {NodeId{0}, NodeId{1}}) {
    EXPECT_FALSE(stands_after(looked_into, number));
    EXPECT_FALSE(stands_after(looked_into, grid));
    EXPECT_FALSE(stands_after(looked_into, shared));
  }
  EXPECT_TRUE(stands_after(NodeId{2}, number));
  EXPECT_TRUE(stands_after(NodeId{2}, grid));
  EXPECT_TRUE(stands_after(NodeId{2}, shared));
}

TEST(StandingPlan, FallsWhereTheMeaningOfANodeChanged) {
  const Graph before = LoopWith(kViews);
  const auto stands_after = [&](auto change) {
    Graph after = before;
    change(after.mutable_node(NodeId{0}), after);
    StandingPlan standing(before);
    return standing.Follow({NodeId{0}}, after);
  };
  EXPECT_TRUE(stands_after([](Node&, Graph&) {}));
  EXPECT_FALSE(stands_after([](Node& node, Graph&) { node.op = OtherOp{}; }));
  EXPECT_FALSE(stands_after([](Node& node, Graph&) { node.pure = true; }));
  EXPECT_FALSE(stands_after([](Node& node, Graph&) { node.waits = true; }));
  EXPECT_FALSE(
      stands_after([](Node& node, Graph&) { node.effects_complete = false; }));
  EXPECT_FALSE(
      stands_after([](Node& node, Graph&) { node.emitting = Node::kNoIndex; }));
  // Of any kernel, whatever its layout.
  const EmittingKernel known = before.emitting_kernels(NodeId{0}).front();
  const auto stands_with = [&](const std::vector<EmittingKernel>& kernels) {
    return stands_after([&](Node& node, Graph& graph) {
      node.emitting = graph.AddEmittingKernels(kernels);
    });
  };
  EXPECT_TRUE(stands_with({known}));
  EXPECT_FALSE(stands_with({{"other", 0, true}}));
  EXPECT_FALSE(stands_with({known, {"other", 0, true, ImageLayout::kD4}}));
  EmittingKernel dropping = known;
  dropping.takes_no_floats = true;
  EXPECT_FALSE(stands_with({dropping}));
  dropping = known;
  dropping.dropping_symbol = "emit_only";
  EXPECT_FALSE(stands_with({dropping}));
}

TEST(StandingPlan, FallsWhereAnImageHasAnotherLayout) {
  const Graph before = LoopWith(kViews);
  for (const NodeId id : {NodeId{1}, NodeId{2}}) {
    Graph after = before;
    if (id == NodeId{1}) {
      after.mutable_node(id).op = Quantize{.layout = ImageLayout::kD4};
    } else {
      after.mutable_node(id).op = MatVec{.layout = ImageLayout::kD4};
    }
    StandingPlan standing(before);
    EXPECT_FALSE(standing.Follow({id}, after));
  }
}

// How much of the arena a reader loads is measured from its image to its slack.
TEST(StandingPlan, FallsWhereSlackPartsFromItsImage) {
  const auto graph = [](const std::string& image, const std::string& slack) {
    return WithLaunches(
        *GraphFromText(Moved({"view A = " + image + ":q8_1:16",
                              "view a = " + image + ":q8_1:2"}) +
                       "view s = " + slack + R"(:byte:64
chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a slack:s w -> o |
)"));
  };
  const Graph before = graph("0x8000", "0x8800");
  EXPECT_TRUE(Stands(before, graph("0x28000", "0x28800")));
  EXPECT_FALSE(Stands(before, graph("0x8000", "0x8840")));
  EXPECT_FALSE(Stands(before, graph("0x28000", "0x8800")));
}

// They are where they are, whatever memory moves there or away from there.
TEST(StandingPlan, FallsWhereFloatsMoveOntoAnOutputOrOffOne) {
  const auto stands = [](const std::string& y, std::uint64_t output) {
    const Graph before = LoopWith(kViews);
    Graph after = LoopWith(Moved({"view y = " + y + ":f32:64"}));
    StandingPlan standing(
        before, std::vector<View>{Packed(output, ElementType::kF32, 8)});
    return standing.Follow(ChangedNodes(before, after), after);
  };
  EXPECT_TRUE(stands("0x21000", 0x31000));
  EXPECT_FALSE(stands("0x21000", 0x210fc));
  EXPECT_FALSE(stands("0x21000", 0x2000));
  EXPECT_FALSE(stands("0x2100", 0x20fc));
}

// Annotating anew takes the marks away; what was found out is still known.
TEST(StandingPlan, KeepsWhatWasFoundOutOfEmittingKernels) {
  Graph before = LoopWith(kViews);
  const NodeId norm{0};
  std::vector<EmittingKernel> kernels = {{"emit", 0, true},
                                         {"emit_d4", 0, true}};
  kernels[1].layout = ImageLayout::kD4;
  kernels[1].dropping_symbol = "emit_d4_only";
  const std::uint32_t fresh = before.AddEmittingKernels(kernels);
  kernels[0].refuted = true;
  kernels[1].cannot_drop = true;
  before.mutable_node(norm).emitting = before.AddEmittingKernels(kernels);
  StandingPlan standing(before);
  Graph after = before;
  MoveAccess(0x20000, norm, 0, after);
  after.mutable_node(norm).emitting = fresh;
  ASSERT_TRUE(standing.Follow({norm}, after));
  EXPECT_EQ(after.emitting_kernels(norm), absl::MakeConstSpan(kernels));
}

}  // namespace
}  // namespace reprise::testing
