// Plans carried out in a scripted driver: the calls as rows, and the graph
// that they leave.
#include "replay/graph_emitter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "planner/planner.h"
#include "tests/driver/scripted_driver.h"
#include "tests/driver/scripted_state.h"
#include "tests/planner/plan_case.h"
#include "tests/planner/random_graph.h"
#include "tests/replay/scripted_program.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr std::uint64_t kArena = 0x100000;

// A graph in a scripted driver, planned.
struct Planned {
  explicit Planned(const Graph& graph, const PlanOptions& options = {})
      : program(driver, graph),
        plan(*MakePlan(program.imported().graph, options)),
        rewritten(*MakeProgram(program.imported(), plan, kArena,
                               program.functions())) {}

  absl::StatusOr<GraphHandle> Emit() { return Emit(driver.table()); }
  absl::StatusOr<GraphHandle> Emit(const Driver& table) {
    return EmitClone(table, program.graph(), program.imported(), plan,
                     rewritten);
  }

  ScriptedDriver driver;
  ScriptedProgram program;
  Plan plan;
  Program rewritten;
};

struct EmitCase {
  const char* name;
  const char* graph;
  const char* rows;  // after the clone

  friend std::ostream& operator<<(std::ostream& out, const EmitCase& c) {
    return out << c.name;
  }
};

Graph Parse(const char* text) {
  return *GraphFromText(std::string(kViews) + text);
}

const EmitCase kCases[] = {
    {"InPlaceTheQuantizerOnlyGoes", R"(chain
0: quantize scratch | y -> A |
1: matvec q4_0 | a w -> o |
2: quantize scratch | y -> A |
3: matvec q4_0 | a w -> p |
)",
     R"(
GraphDestroyNode g1:2
GraphAddDependencies g1: 1->3
)"},
    {"ASharedImageIsOneForAllItsReaders", R"(chain
0: other | x -> y |
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> B |
4: matvec q4_0 | b w -> p |
)",
     R"(
GraphKernelNodeSetParams g1:1 quantize(0x2000 0x100000)
GraphKernelNodeSetParams g1:2 matvec(0x100000 0x6000 0x4000)
GraphKernelNodeSetParams g1:4 matvec(0x100000 0x6000 0x5000)
GraphDestroyNode g1:3
GraphAddDependencies g1: 2->4
)"},
    {"AProducerThatEmitsIsTheSameNodeWithAnotherFunction", R"(chain
0: rms_norm mul | x -> y | emits=rms_emit
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | y -> B |
4: matvec q4_0 | b w -> p |
)",
     R"(
GraphKernelNodeSetParams g1:0 rms_emit(0x1000 0x2000 0x100000)
GraphKernelNodeSetParams g1:2 matvec(0x100000 0x6000 0x4000)
GraphKernelNodeSetParams g1:4 matvec(0x100000 0x6000 0x5000)
GraphDestroyNode g1:1
GraphDestroyNode g1:3
GraphAddDependencies g1: 0->2
GraphAddDependencies g1: 2->4
)"},
    {"AQuantizerThatMovesBeforeAForkLosesItsEdgesFirst", R"(
0: other | x -> y | @0
1: other | x -> z | @0 after 0
2: quantize scratch | y -> A | @0 after 1
3: matvec q4_0 | a w -> o | @0 after 2
4: quantize scratch | y -> B | @1 after 0
5: matvec q4_0 | b w -> p | @1 after 4
)",
     R"(
GraphKernelNodeSetParams g1:2 quantize(0x2000 0x100000)
GraphKernelNodeSetParams g1:3 matvec(0x100000 0x6000 0x4000)
GraphKernelNodeSetParams g1:5 matvec(0x100000 0x6000 0x5000)
GraphRemoveDependencies g1: 1->2
GraphDestroyNode g1:4
GraphAddDependencies g1: 0->2
GraphAddDependencies g1: 1->3
GraphAddDependencies g1: 2->5
)"},
    {"AProgrammaticEdgeIsRemovedAsOne", R"(
0: other | x -> y | @0 waits
1: other | x -> z | @0 waits after ~0
2: quantize scratch | y -> A | @0 waits after ~1
3: matvec q4_0 | a w -> o | @0 waits after ~2
4: quantize scratch | y -> B | @1 waits after 0
5: matvec q4_0 | b w -> p | @1 waits after ~4
)",
     R"(
GraphKernelNodeSetParams g1:2 quantize(0x2000 0x100000)
GraphKernelNodeSetParams g1:3 matvec(0x100000 0x6000 0x4000)
GraphKernelNodeSetParams g1:5 matvec(0x100000 0x6000 0x5000)
GraphRemoveDependencies g1: ~1->2
GraphDestroyNode g1:4
GraphAddDependencies g1: 0->2
GraphAddDependencies g1: ~1->3
GraphAddDependencies g1: 2->5
)"},
    {"ABridgeIsProgrammaticWhereBothSidesWere", R"(
0: quantize scratch | y -> A | waits
1: matvec q4_0 | a w -> o | waits after ~0
2: quantize scratch | y -> A | waits after ~1
3: matvec q4_0 | a w -> p | waits after ~2
)",
     R"(
GraphDestroyNode g1:2
GraphAddDependencies g1: ~1->3
)"},
    {"ABridgeIsFullWhereOneSideWas", R"(
0: quantize scratch | y -> A | waits
1: matvec q4_0 | a w -> o | waits after ~0
2: quantize scratch | y -> A | waits after 1
3: matvec q4_0 | a w -> p | waits after ~2
)",
     R"(
GraphDestroyNode g1:2
GraphAddDependencies g1: 1->3
)"},
};

class EmitRows : public ::testing::TestWithParam<EmitCase> {};

TEST_P(EmitRows, AreTheCallsOfThePlan) {
  Planned planned(Parse(GetParam().graph));
  const std::string before = planned.driver.TextOf(planned.program.graph());
  const auto emitted = planned.Emit();
  ASSERT_OK(emitted);
  EXPECT_EQ(planned.driver.rows(),
            absl::StrCat("GraphClone g0 -> g1", GetParam().rows));
  EXPECT_EQ(planned.driver.TextOf(emitted->get()),
            TextOf(planned.rewritten.rewritten));
  EXPECT_EQ(planned.driver.TextOf(planned.program.graph()), before);
}

INSTANTIATE_TEST_SUITE_P(Of, EmitRows, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

constexpr char kFork[] = R"(
0: rms_norm mul | x -> y | @0 emits=rms_emit
1: other | x -> z | @0 after 0
2: quantize scratch | y -> A | @0 after 1
3: matvec q4_0 | a w -> o | @0 after 2
4: quantize scratch | y -> B | @1 after 0
5: matvec q4_0 | b w -> p | @1 after 4
)";

TEST(EmitClone, TellsTheHandleOfEveryNodeThatIsLeft) {
  Planned planned(Parse(kFork));
  const auto emitted = planned.Emit();
  ASSERT_OK(emitted);
  std::string names;
  for (CUgraphNode handle : planned.rewritten.handles) {
    absl::StrAppend(&names, " ", planned.driver.NameOf(handle));
  }
  EXPECT_EQ(names, " g1:0 g1:1 g1:2 g1:3 g1:5");
}

TEST(EmitClone, MakesTheSameCallsForTheSameCapture) {
  std::string rows[2];
  for (std::string& r : rows) {
    Planned planned(Parse(kFork));
    ASSERT_OK(planned.Emit());
    r = planned.driver.rows();
  }
  EXPECT_EQ(rows[0], rows[1]);
}

TEST(EmitClone, GivesBackTheCloneWhicheverCallFails) {
  const int calls = [] {
    Planned planned(Parse(kFork));
    EXPECT_OK(planned.Emit());
    return planned.driver.calls() - 1;  // the last gives the clone back
  }();
  ASSERT_GT(calls, 14);
  for (int n = 1; n <= calls; ++n) {
    Planned planned(Parse(kFork));
    const std::string before = planned.driver.TextOf(planned.program.graph());
    planned.driver.FailCall(n, CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_THAT(planned.Emit(), HasText("CUDA_ERROR_LAUNCH_FAILED"))
        << "call " << n;
    EXPECT_EQ(planned.driver.Leaks(), "") << "call " << n;
    EXPECT_EQ(planned.driver.TextOf(planned.program.graph()), before);
  }
}

struct ErrorCase {
  const char* call;
  const char* text;
};

TEST(EmitClone, NamesTheCallAndTheNodeThatFailed) {
  const ErrorCase kErrors[] = {
      {"GraphClone", "clone the graph"},
      {"GraphNodeFindInClone", "find node 0 (rms_norm) in the clone"},
      {"GraphKernelNodeSetParams", "patch node 2 (quantize)"},
      {"GraphRemoveDependencies",
       "remove the edge node 1 (other) -> node 2 (quantize)"},
      {"GraphDestroyNode", "destroy node 4 (quantize)"},
      {"GraphAddDependencies",
       "add the edge node 0 (rms_norm) -> node 2 (quantize)"},
  };
  for (const ErrorCase& error : kErrors) {
    Planned planned(Parse(kFork));
    planned.driver.FailCall(error.call, 1, CUDA_ERROR_INVALID_VALUE);
    const absl::Status status = planned.Emit().status();
    EXPECT_EQ(status.message(),
              absl::StrCat(error.text, ": CUDA_ERROR_INVALID_VALUE"));
    EXPECT_THAT(status, HasCode(absl::StatusCode::kInvalidArgument));
  }
}

TEST(MakeProgram, FailsWithoutTheEmittingKernel) {
  ScriptedDriver driver;
  const ScriptedProgram program(driver, Parse(R"(chain
0: rms_norm mul | x -> y | emits=missing
1: quantize scratch | y -> A |
2: matvec q4_0 | a w -> o |
)"));
  const Plan plan = *MakePlan(program.imported().graph);
  EXPECT_THAT(
      MakeProgram(program.imported(), plan, kArena, program.functions()),
      HasText("no kernel missing"));
}

// Kahn's algorithm over what the driver's graph holds.
bool HasCycle(const ScriptedGraph& graph) {
  std::vector<int> open(graph.nodes.size());
  for (const ScriptedEdge& edge : graph.edges) ++open[edge.to];
  std::vector<std::uint32_t> ready;
  for (std::uint32_t n = 0; n < open.size(); ++n) {
    if (open[n] == 0) ready.push_back(n);
  }
  for (std::size_t done = 0; done < ready.size(); ++done) {
    for (const ScriptedEdge& edge : graph.edges) {
      if (edge.from == ready[done] && --open[edge.to] == 0) {
        ready.push_back(edge.to);
      }
    }
  }
  return ready.size() < graph.nodes.size();
}

int cycles_seen = 0;

// The scripted call, and a look at the graph after it.
CUresult AddAndLook(CUgraph graph, const CUgraphNode* from,
                    const CUgraphNode* to, const CUgraphEdgeData* data,
                    std::size_t count) {
  const CUresult result = ScriptedDriver::state().table.GraphAddDependencies(
      graph, from, to, data, count);
  cycles_seen += HasCycle(*From<ScriptedGraph>(graph));
  return result;
}

TEST(EmitClone, LeavesTheRewrittenGraphOfRandomPlansAndNeverACycle) {
  cycles_seen = 0;
  int removed = 0;
  int added = 0;
  int dropped = 0;
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraphOptions options;
    if (seed % 2 == 1) options = Tame();
    options.nodes = 40;
    options.programmatic = seed % 4 < 2;
    PlanOptions plan_options;
    plan_options.event_branches =
        seed % 3 == 0 ? EventBranches::kProven : EventBranches::kOriginal;
    Planned planned(RandomGraph(seed, options), plan_options);
    Driver watched = planned.driver.table();
    watched.GraphAddDependencies = &AddAndLook;
    const auto emitted = planned.Emit(watched);
    ASSERT_OK(emitted);
    ASSERT_EQ(planned.driver.TextOf(emitted->get()),
              TextOf(planned.rewritten.rewritten));
    removed += planned.driver.calls("GraphDestroyNode");
    dropped += planned.driver.calls("GraphRemoveDependencies");
    added += planned.driver.calls("GraphAddDependencies");
  }
  EXPECT_EQ(cycles_seen, 0);
  EXPECT_GT(removed, 600);
  EXPECT_GT(dropped, 60);
  EXPECT_GT(added, 600);
}

}  // namespace
}  // namespace reprise::testing
