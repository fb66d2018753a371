// A DeviceExecutable whose driver fails it: something right is always launched,
// or nothing; what failed is named; nothing is left behind.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "replay/device_executable.h"
#include "tests/driver/scripted_state.h"
#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr CUresult kFailure = CUDA_ERROR_LAUNCH_FAILED;

// What launches of an executable run.
struct Launches {
  explicit Launches(ScriptedLoop& loop, DeviceExecutable& executable)
      : rewritten(loop.Launch(executable)),
        original(loop.LaunchOriginal(executable)) {}

  // The executable runs one of them, as it says, and names why not the other.
  void ExpectOf(ScriptedLoop& loop, DeviceExecutable& executable) const {
    const Outcome& outcome = executable.outcome();
    EXPECT_EQ(loop.Launch(executable),
              outcome.rewritten ? rewritten : original);
    EXPECT_EQ(loop.LaunchOriginal(executable), original);
    if (outcome.rewritten || rewritten == original) return;
    EXPECT_THAT(outcome.declined, HasText("CUDA_ERROR_LAUNCH_FAILED"));
  }

  std::string rewritten;
  std::string original;
};

Launches LaunchesOf(const LoopShape& shape) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create(shape);
  EXPECT_OK(executable);
  return Launches(loop, *executable);
}

// A capture mode that the driver refuses to take back stays.
std::string LeaksOf(const ScriptedLoop& loop) {
  const std::string leaks = loop.driver.Leaks();
  const bool refused = absl::StrContains(
      loop.driver.rows(), "ThreadExchangeStreamCaptureMode fails");
  return refused && leaks == "capture mode" ? "" : leaks;
}

TEST(Create, LaunchesSomethingRightWhicheverCallFails) {
  const Launches sound = LaunchesOf({});
  int originals = 0;
  for (int n = 1;; ++n) {
    SCOPED_TRACE(n);
    ScriptedLoop loop;
    GraphHandle captured = loop.Capture();
    const int before = loop.driver.calls();
    loop.driver.FailCall(n, kFailure);
    {
      absl::StatusOr<DeviceExecutable> executable = DeviceExecutable::Create(
          loop.cuda, std::move(captured), loop.options());
      if (loop.driver.calls() - before < n) break;
      ASSERT_OK(executable);
      sound.ExpectOf(loop, *executable);
      originals += !executable->outcome().rewritten;
    }
    EXPECT_EQ(LeaksOf(loop), "");
  }
  EXPECT_GT(originals, 30);
}

TEST(Create, FailsWithBothReasonsWhenTheOriginalCannotRunEither) {
  ScriptedLoop loop;
  loop.driver.FailCall("GraphInstantiateWithParams", 1,
                       CUDA_ERROR_OUT_OF_MEMORY);
  loop.driver.FailCall("GraphInstantiateWithParams", 2, kFailure);
  const absl::Status status = loop.Create().status();
  EXPECT_EQ(status.message(),
            "instantiate the graph: failed: CUDA_ERROR_LAUNCH_FAILED; not "
            "rewritten because: instantiate the graph: failed: "
            "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(loop.driver.Leaks(), "");
}

TEST(Create, RunsTheOriginalWithoutMemoryForTheArena) {
  ScriptedLoop loop;
  loop.driver.FailCall("MemAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY);
  const absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  EXPECT_FALSE(executable->outcome().rewritten);
  EXPECT_THAT(executable->outcome().declined,
              HasCode(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(executable->outcome().declined,
              HasText("allocate an arena of 640 bytes"));
  EXPECT_EQ(executable->outcome().running.nodes, 5u);
}

struct Step {
  const char* name;
  LoopShape before;
  LoopShape after;
};

const Step kSteps[] = {
    {"Patched", {}, {.input = 0x1800, .new_functions = true}},
    {"Updated", {.fill = 0xc000}, {.fill = 0xd000}},
    {"Rebuilt", {}, {.products = 3}},
    {"RebuiltInALargerArena", {}, {.second_norm = true}},
    {"RebuiltFromTheOriginal", {}, {.products = 0}},
};

class UpdateTo : public ::testing::TestWithParam<Step> {
 protected:
  // False when the update makes fewer calls than `n`.
  static bool FailsOn(int n, const Launches& sound) {
    ScriptedLoop loop;
    {
      absl::StatusOr<DeviceExecutable> executable =
          loop.Create(GetParam().before);
      loop.Launch(*executable);
      GraphHandle recaptured = loop.Capture(GetParam().after);
      const int before = loop.driver.calls();
      loop.driver.FailCall(n, kFailure);
      const auto result = executable->Update(std::move(recaptured));
      if (loop.driver.calls() - before < n) return false;
      if (!result.ok()) RecoversFrom(result.status(), loop, *executable);
      sound.ExpectOf(loop, *executable);
    }
    EXPECT_EQ(LeaksOf(loop), "");
    return true;
  }

  static void RecoversFrom(const absl::Status& error, ScriptedLoop& loop,
                           DeviceExecutable& executable) {
    EXPECT_THAT(error, HasText("CUDA_ERROR_LAUNCH_FAILED"));
    EXPECT_THAT(executable.Launch(loop.stream),
                HasCode(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(executable.LaunchOriginal(loop.stream),
                HasText("nothing to launch"));
    EXPECT_EQ(*executable.Update(loop.Capture(GetParam().after)),
              UpdateResult::kRebuilt);
  }
};

TEST_P(UpdateTo, LaunchesSomethingRightOrNothingWhicheverCallFails) {
  const Launches sound = LaunchesOf(GetParam().after);
  int n = 1;
  while (FailsOn(n, sound)) {
    SCOPED_TRACE(n);
    if (HasFailure()) break;
    ++n;
  }
  EXPECT_GT(n, 10);
}

INSTANTIATE_TEST_SUITE_P(A, UpdateTo, ::testing::ValuesIn(kSteps),
                         [](const auto& step) { return step.param.name; });

TEST(Update, ThatCannotWaitForTheLastLaunchLeavesNothingToLaunch) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  loop.Launch(*executable);
  GraphHandle recaptured = loop.Capture({.products = 3});
  loop.driver.FailCall("StreamSynchronize", 1, kFailure);
  loop.driver.FailCall("StreamSynchronize", 2, kFailure);
  EXPECT_THAT(executable->Update(std::move(recaptured)),
              HasText("wait for the last launch: CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_THAT(executable->Launch(loop.stream), HasText("nothing to launch"));
  EXPECT_THAT(executable->Upload(loop.stream), HasText("nothing to launch"));
}

TEST(Update, LeavesNoLaunchHalfPatched) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  GraphHandle recaptured = loop.Capture({.new_functions = true});
  loop.driver.FailCall("GraphExecKernelNodeSetParams", 2, kFailure);
  EXPECT_EQ(*executable->Update(std::move(recaptured)), UpdateResult::kUpdated);
  EXPECT_EQ(loop.driver.calls("GraphExecUpdate"), 1);
}

TEST(Update, SaysWhyItHadToInstantiateAnew) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  ASSERT_OK(executable->Update(loop.Capture({.products = 3})));
  EXPECT_EQ(executable->rebuilt_because().message(),
            "the rewritten graph has other nodes or edges");
  ASSERT_OK(executable->Update(loop.Capture({.products = 3})));
  EXPECT_OK(executable->rebuilt_because());
}

TEST(Update, RunsTheNewOriginalWhenTheRewrittenCannotBeInstantiated) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  GraphHandle recaptured = loop.Capture({.products = 3});
  loop.driver.FailCall("GraphInstantiateWithParams", 1, kFailure);
  EXPECT_EQ(*executable->Update(std::move(recaptured)), UpdateResult::kRebuilt);
  EXPECT_FALSE(executable->outcome().rewritten);
  EXPECT_THAT(executable->outcome().declined, HasText("instantiate the graph"));
  EXPECT_EQ(executable->outcome().running.nodes, 7u);

  // And the rewritten one again as soon as that can be.
  EXPECT_EQ(*executable->Update(loop.Capture({.products = 3})),
            UpdateResult::kRebuilt);
  EXPECT_TRUE(executable->outcome().rewritten);
  EXPECT_EQ(executable->outcome().running.nodes, 4u);
}

// Refuses every graph for its last node.
CUresult RefuseLast(CUgraphExec*, CUgraph graph,
                    CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  params->result_out = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  params->hErrNode_out = ToHandle(From<ScriptedGraph>(graph)->nodes.back());
  return CUDA_ERROR_INVALID_VALUE;
}

TEST(Create, NamesTheNodeThatTheDriverWillNotInstantiate) {
  ScriptedLoop loop;
  Driver refusing = loop.driver.table();
  refusing.GraphInstantiateWithParams = &RefuseLast;
  const auto executable =
      DeviceExecutable::Create(refusing, loop.Capture(), loop.options());
  EXPECT_THAT(executable,
              HasText("not rewritten because: instantiate the graph: invalid "
                      "structure at node 2 (matvec): "
                      "CUDA_ERROR_INVALID_VALUE"));
}

}  // namespace
}  // namespace reprise::testing
