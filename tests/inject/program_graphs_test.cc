// What becomes of a program's graphs, by the calls that it makes: the driver
// answers each first, as a preloaded library sees to.
#include "inject/program_graphs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "tests/driver/scripted_state.h"
#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr CUresult kFailure = CUDA_ERROR_LAUNCH_FAILED;

// A program that captures a loop, and ProgramGraphs told of what it does.
class Program {
 public:
  explicit Program(const Settings& settings = {})
      : graphs(loop.cuda, settings, loop.options().prepare) {}
  ~Program() {
    if (exec != nullptr) Destroy();
  }

  void Instantiate(const LoopShape& shape = {}, std::uint64_t flags = 0) {
    graph = loop.Capture(shape);
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
    ASSERT_EQ(loop.cuda.GraphInstantiateWithParams(&exec, graph.get(), &params),
              CUDA_SUCCESS);
    graphs.Instantiated(exec, graph.get(), flags);
  }
  CUresult Update(const LoopShape& shape) {
    graph = loop.Capture(shape);
    CUgraphExecUpdateResultInfo why = {};
    const CUresult result = loop.cuda.GraphExecUpdate(exec, graph.get(), &why);
    graphs.Updated(exec, graph.get(), result);
    return result;
  }
  // Sets the input of the norm that the loop begins with.
  void SetInput(std::uint64_t input) {
    const CUgraphNode norm =
        ToHandle(From<ScriptedGraph>(graph.get())->nodes[0]);
    std::uint64_t words[] = {input, 0x2000, 0};
    void* pointers[] = {&words[0], &words[1], &words[2]};
    CUDA_KERNEL_NODE_PARAMS params = {};
    params.func = From<ScriptedNode>(norm)->kernel.func;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = pointers;
    const CUresult result =
        loop.cuda.GraphExecKernelNodeSetParams(exec, norm, &params);
    graphs.KernelParamsSet(exec, norm, params, result);
  }
  void Destroy() {
    graphs.Destroyed(exec);
    loop.cuda.GraphExecDestroy(exec);
    exec = nullptr;
  }

  // "rewritten" or "original": what a launch ran.
  std::string Launch() { return Launch(loop.stream); }
  std::string Launch(CUstream stream) {
    bool original = false;
    const int before = loop.driver.calls("GraphLaunch");
    const CUresult result = graphs.Launch(exec, stream, [&] {
      original = true;
      return loop.cuda.GraphLaunch(exec, stream);
    });
    EXPECT_EQ(result, CUDA_SUCCESS);
    const int launches = loop.driver.calls("GraphLaunch") - before;
    return launches != 1 ? "not once" : original ? "original" : "rewritten";
  }

  ScriptedLoop loop;
  ProgramGraphs graphs;
  GraphHandle graph;
  CUgraphExec exec = nullptr;
};

TEST(ProgramGraphs, LaunchTheRewrittenExecutable) {
  Program program;
  program.Instantiate();
  EXPECT_EQ(program.Launch(), "rewritten");
  EXPECT_EQ(program.Launch(), "rewritten");
  const ProgramCounts counts = program.graphs.counts();
  EXPECT_EQ(counts.graphs, 1u);
  EXPECT_EQ(counts.rewritten, 1u);
  EXPECT_EQ(counts.quantizers_before, 2u);
  EXPECT_EQ(counts.quantizers_after, 0u);
  EXPECT_EQ(counts.nodes_before, 5u);
  EXPECT_EQ(counts.nodes_after, 3u);
  EXPECT_EQ(counts.rewritten_launches, 2u);
  EXPECT_EQ(counts.original_launches, 0u);
  EXPECT_GT(counts.most_arena_bytes, 0u);
}

TEST(ProgramGraphs, LeaveTheProgramsOwnGraphAndExecutableAsTheyWere) {
  Program program;
  program.Instantiate();
  const std::string graph = program.loop.driver.TextOf(program.graph.get());
  const std::string exec = program.loop.driver.TextOf(program.exec);
  program.Launch();
  program.Update({.input = 0x1100});
  program.Launch();
  EXPECT_EQ(program.loop.driver.TextOf(program.graph.get()),
            graph == "" ? graph : program.loop.driver.TextOf(program.exec));
  EXPECT_NE(program.loop.driver.TextOf(program.exec), exec);
}

TEST(ProgramGraphs, LaunchTheOriginalWhereThereIsNothingToDo) {
  Program program;
  program.loop.emitting_kernels = false;
  program.Instantiate({.products = 1});
  EXPECT_EQ(program.Launch(), "original");
  EXPECT_EQ(program.graphs.counts().nothing_to_do, 1u);
}

TEST(ProgramGraphs, MayGoRightAfterTheyWereInstantiated) {
  Program program;
  program.Instantiate();
  program.graph = GraphHandle();
  EXPECT_EQ(program.Launch(), "rewritten");
}

TEST(ProgramGraphs, FollowAnUpdate) {
  Program program;
  program.Instantiate();
  program.Launch();
  EXPECT_EQ(program.Update({}), CUDA_SUCCESS);
  EXPECT_EQ(program.Launch(), "rewritten");
  EXPECT_EQ(program.Update({.input = 0x1100}), CUDA_SUCCESS);
  EXPECT_EQ(program.Launch(), "rewritten");
  const ProgramCounts counts = program.graphs.counts();
  EXPECT_EQ(counts.unchanged, 1u);
  EXPECT_EQ(counts.patched, 1u);
}

TEST(ProgramGraphs, PlanOnceForParametersThatAreSetInARow) {
  Program program;
  program.Instantiate();
  const int before = program.loop.driver.calls("GraphExecKernelNodeSetParams");
  program.SetInput(0x1100);
  program.SetInput(0x1200);
  program.SetInput(0x1300);
  EXPECT_EQ(program.Launch(), "rewritten");
  EXPECT_EQ(program.Launch(), "rewritten");
  // The program's three and ours.
  EXPECT_EQ(program.loop.driver.calls("GraphExecKernelNodeSetParams") - before,
            4);
  const ProgramCounts counts = program.graphs.counts();
  EXPECT_EQ(counts.patched, 1u);
  EXPECT_GT(counts.seconds, 0);
}

TEST(ProgramGraphs, CountParametersThatAreSetAndTheUpdateBehindThemAsOne) {
  Program program;
  program.Instantiate();
  program.SetInput(0x1100);
  EXPECT_EQ(program.Update({.input = 0x1100}), CUDA_SUCCESS);
  EXPECT_EQ(program.graphs.counts().patched, 1u);
  EXPECT_EQ(program.Launch(), "rewritten");
  EXPECT_EQ(program.graphs.counts().patched, 1u);
}

TEST(ProgramGraphs, FollowParametersThatAreSetBeforeAnUpload) {
  Program program;
  program.Instantiate();
  program.SetInput(0x1200);
  program.graphs.Upload(program.exec, program.loop.stream);
  EXPECT_EQ(program.graphs.counts().patched, 1u);
  program.SetInput(0x1200);
  EXPECT_EQ(program.Launch(), "rewritten");
  EXPECT_EQ(program.graphs.counts().unchanged, 1u);
}

TEST(ProgramGraphs, LaunchTheOriginalWhereParametersThatWereSetDoNotFollow) {
  Program program;
  program.Instantiate();
  // A norm that overlaps its own output does not emit.
  program.SetInput(0x2004);
  EXPECT_EQ(program.Launch(), "original");
  ASSERT_EQ(program.graphs.counts().fallbacks.size(), 1u);
  EXPECT_TRUE(absl::StrContains(
      program.graphs.counts().fallbacks.begin()->first, "no patch"));
  program.SetInput(0x1100);
  EXPECT_EQ(program.Launch(), "original");
  EXPECT_EQ(program.Update({.input = 0x1100}), CUDA_SUCCESS);
  EXPECT_EQ(program.Launch(), "rewritten");
}

TEST(ProgramGraphs, MayBeDestroyedWithParametersThatNobodyLaunched) {
  Program program;
  program.Instantiate();
  program.SetInput(0x1100);
  program.graphs.CodeUnloads();
  program.Destroy();
  program.graph = GraphHandle();
  EXPECT_EQ(program.loop.driver.Leaks(), "");
}

TEST(ProgramGraphs, GoBackToTheOriginalWhereAnUpdateIsRefusedUntilOneIsNot) {
  Program program;
  program.Instantiate();
  program.Launch();
  EXPECT_NE(program.Update({.products = 3}), CUDA_SUCCESS);
  EXPECT_EQ(program.Launch(), "original");
  EXPECT_EQ(program.graphs.counts().fallbacks,
            (Reasons{{"an update was refused", 1}}));
  EXPECT_EQ(program.Update({.input = 0x1100}), CUDA_SUCCESS);
  EXPECT_EQ(program.Launch(), "rewritten");
}

// Ends with a fill at another place each time, which no patch can follow.
void UpdateDearly(Program& program, int time) {
  const LoopShape shape = {.fill = time % 2 == 0 ? 0xc000u : 0xd000u};
  ASSERT_EQ(program.Update(shape), CUDA_SUCCESS);
}

TEST(ProgramGraphs, AreGivenUpWhereUpdatesCostMoreThanLaunchesGain) {
  Program program;
  program.Instantiate({.fill = 0xd000});
  int updates = 0;
  while (program.Launch() == "rewritten" && updates < 1000) {
    UpdateDearly(program, updates++);
  }
  // A launch between two updates buys one more update in 32.
  EXPECT_EQ(updates, ProgramExec::kUpdatesOnTrust + 3);
  EXPECT_EQ(program.graphs.counts().fallbacks,
            (Reasons{{"updated too often for what a launch gains", 1}}));
  UpdateDearly(program, updates);
  EXPECT_EQ(program.Launch(), "original");
}

TEST(ProgramGraphs, AreUpdatedForEverWhereTheyAreLaunchedOftenEnough) {
  Program program;
  program.Instantiate({.fill = 0xd000});
  for (int time = 0; time < 3 * ProgramExec::kUpdatesOnTrust; ++time) {
    UpdateDearly(program, time);
    for (int n = 0; n < ProgramExec::kLaunchesForAnUpdate; ++n) {
      ASSERT_EQ(program.Launch(), "rewritten");
    }
  }
}

TEST(ProgramGraphs, ArePatchedBeforeEveryLaunchForEver) {
  Program program;
  program.Instantiate();
  for (int time = 0; time < 3000; ++time) {
    program.Update({.input = 0x1100 + 0x100 * std::uint64_t(time % 2)});
    ASSERT_EQ(program.Launch(), "rewritten");
  }
}

TEST(ProgramGraphs, GoBackToTheOriginalForGoodAfterAChangeNotFollowed) {
  Program program;
  program.Instantiate();
  program.graphs.Changed(program.exec, "cuGraphNodeSetEnabled");
  EXPECT_EQ(program.Launch(), "original");
  EXPECT_EQ(program.Update({.input = 0x1100}), CUDA_SUCCESS);
  EXPECT_EQ(program.Launch(), "original");
  EXPECT_EQ(program.graphs.counts().fallbacks,
            (Reasons{{"changed by cuGraphNodeSetEnabled", 1}}));
}

TEST(ProgramGraphs, AreTheOriginalsInACapture) {
  Program program;
  program.Instantiate();
  const CUstream stream = program.loop.driver.NewStream();
  program.loop.cuda.StreamBeginCapture(stream,
                                       CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(program.Launch(stream), "original");
  CUgraph captured = nullptr;
  program.loop.cuda.StreamEndCapture(stream, &captured);
  program.loop.cuda.GraphDestroy(captured);
  EXPECT_EQ(program.Launch(stream), "rewritten");
  EXPECT_EQ(program.graphs.counts().fallbacks,
            (Reasons{{"launched into a capture", 1}}));
}

TEST(ProgramGraphs, AreNotReadWhereTheDeviceLaunchesThem) {
  Program program;
  program.Instantiate({}, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
  EXPECT_EQ(program.Launch(), "original");
  EXPECT_EQ(program.graphs.counts().declined_graphs,
            (Reasons{{"launched from the device", 1}}));
}

TEST(ProgramGraphs, AreLeftAloneWithoutAContext) {
  Program program;
  program.loop.cuda.CtxPopCurrent(nullptr);
  program.Instantiate();
  EXPECT_EQ(program.Launch(), "original");
  EXPECT_EQ(program.graphs.counts().declined_graphs,
            (Reasons{{"no context is current", 1}}));
}

TEST(ProgramGraphs, AreOnlyReadInADryRun) {
  Settings settings;
  settings.dry_run = true;
  Program program(settings);
  program.loop.driver.ClearRows();
  program.Instantiate();
  EXPECT_EQ(program.Launch(), "original");
  const ProgramCounts counts = program.graphs.counts();
  EXPECT_EQ(counts.rewritten, 1u);
  EXPECT_EQ(counts.quantizers_after, 0u);
  const std::string rows = program.loop.Rows();
  EXPECT_FALSE(absl::StrContains(rows, "GraphClone")) << rows;
  EXPECT_FALSE(absl::StrContains(rows, "MemAlloc")) << rows;
}

TEST(ProgramGraphs, KeepTheCountsOfWhatWasDestroyed) {
  Program program;
  program.Instantiate();
  program.Launch();
  program.Destroy();
  program.Instantiate({.products = 3});
  program.Launch();
  const ProgramCounts counts = program.graphs.counts();
  EXPECT_EQ(counts.graphs, 2u);
  EXPECT_EQ(counts.rewritten_launches, 2u);
  EXPECT_EQ(counts.quantizers_before, 5u);
}

TEST(ProgramGraphs, GiveAllMemoryBackWithTheirExecutables) {
  Program program;
  program.Instantiate();
  program.Launch();
  program.Update({.input = 0x1100});
  program.Launch();
  program.Destroy();
  program.graph = GraphHandle();
  EXPECT_EQ(program.loop.driver.Leaks(), "");
}

TEST(ProgramGraphs, AreNotWaitedForWhenTheyAreDestroyedWhileTheyRun) {
  Program program;
  program.Instantiate();
  program.Launch();
  program.loop.driver.SetBusy(true);
  program.Destroy();
  program.graph = GraphHandle();
  EXPECT_EQ(program.loop.driver.calls("StreamSynchronize"), 0);
  EXPECT_NE(program.loop.driver.Leaks(), "");
  // Its stream may end before it does.
  program.graphs.StreamEnds(program.loop.stream);
  program.Instantiate();
  program.loop.driver.SetBusy(false);
  program.Destroy();
  program.graph = GraphHandle();
  EXPECT_EQ(program.loop.driver.Leaks(), "");
}

TEST(ProgramGraphs, NeverWaitForAStreamThatIsGone) {
  Program program;
  program.Instantiate();
  program.Launch();
  program.graphs.StreamEnds(program.loop.stream);
  program.Destroy();
  EXPECT_EQ(program.loop.driver.calls("StreamSynchronize"), 0);
}

// The handles of a context that is gone lead nowhere.
TEST(ProgramGraphs, AreNotTouchedOnceTheirContextEnds) {
  Program program;
  program.Instantiate();
  program.Launch();
  CUcontext context = nullptr;
  program.loop.cuda.CtxGetCurrent(&context);
  program.graphs.ContextEnds(context);
  const int before = program.loop.driver.calls();
  program.graphs.StreamEnds(program.loop.stream);
  program.graphs.Destroyed(program.exec);
  EXPECT_EQ(program.loop.driver.calls("GraphExecDestroy"), 0);
  EXPECT_EQ(program.loop.driver.calls("MemFree"), 0);
  EXPECT_LE(program.loop.driver.calls() - before, 2);  // the capture mode
  EXPECT_EQ(program.graphs.counts().rewritten_launches, 1u);
}

TEST(ProgramGraphs, StayWhileAnotherContextEnds) {
  Program program;
  program.Instantiate();
  program.graphs.ContextEnds(reinterpret_cast<CUcontext>(0x2));
  program.graphs.PrimaryContextReleased(0);  // somebody else still holds it
  EXPECT_EQ(program.Launch(), "rewritten");
}

TEST(ProgramGraphs, AreForgottenOnceThePrimaryContextIsInactive) {
  Program program;
  program.Instantiate();
  program.loop.cuda.CtxPopCurrent(nullptr);
  program.graphs.PrimaryContextReleased(0);
  EXPECT_EQ(program.Launch(), "original");
}

// Every call of ours fails once, at every place: the program never notices.
TEST(ProgramGraphs, AlwaysLaunchSomethingWhicheverCallFails) {
  int originals = 0;
  for (int n = 1;; ++n) {
    SCOPED_TRACE(n);
    Program program;
    program.graph = program.loop.Capture({});
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
    ASSERT_EQ(program.loop.cuda.GraphInstantiateWithParams(
                  &program.exec, program.graph.get(), &params),
              CUDA_SUCCESS);
    const int before = program.loop.driver.calls();
    program.loop.driver.FailCall(n, kFailure);
    program.graphs.Instantiated(program.exec, program.graph.get(), 0);
    if (program.loop.driver.calls() - before < n) break;
    originals += program.Launch() == "original";
    program.Destroy();
    program.graph = GraphHandle();
  }
  EXPECT_GT(originals, 30);
}

}  // namespace
}  // namespace reprise::testing
