// What a DeviceExecutable asks of the driver from its capture to its end.
#include "replay/device_executable.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr char kOriginal[] = R"(0: norm(0x1000 0x2000 0x0)
1: quantize(0x2000 0x8000) after 0
2: matvec(0x6000 0x8000 0xa000) after 1
3: quantize(0x2000 0x8000) after 2
4: matvec(0x6000 0x8000 0xa100) after 3
)";

constexpr char kRewritten[] =
    R"(0: norm_emit(0x1000 0x2000 arena+0)
2: matvec(0x6000 arena+0 0xa000) after 0
4: matvec(0x6000 arena+0 0xa100) after 2
)";

TEST(DeviceExecutable, RunsTheRewrittenLoopAndGivesAllBack) {
  ScriptedLoop loop;
  {
    absl::StatusOr<DeviceExecutable> executable = loop.Create();
    ASSERT_OK(executable);
    EXPECT_EQ(loop.Launch(*executable), kRewritten);
    EXPECT_EQ(loop.Rows(), R"(
MemAlloc 640 -> 0x7f0000000000
GraphClone g0 -> g1
GraphKernelNodeSetParams g1:0 norm_emit(0x1000 0x2000 0x7f0000000000)
GraphKernelNodeSetParams g1:2 matvec(0x6000 0x7f0000000000 0xa000)
GraphKernelNodeSetParams g1:4 matvec(0x6000 0x7f0000000000 0xa100)
GraphDestroyNode g1:1
GraphDestroyNode g1:3
GraphAddDependencies g1: 0->2
GraphAddDependencies g1: 2->4
GraphInstantiateWithParams g1 -> e0
GraphLaunch e0 s1
)");
    EXPECT_TRUE(executable->outcome().rewritten);
    EXPECT_OK(executable->outcome().declined);
    EXPECT_EQ(executable->outcome().captured.nodes, 5u);
    EXPECT_EQ(executable->outcome().running.nodes, 3u);
    EXPECT_EQ(executable->arena().bytes, 640u);
  }
  // The memory goes when no launch can use it any more.
  EXPECT_EQ(loop.Rows(), R"(
StreamSynchronize s1
GraphExecDestroy e0
GraphDestroy g1
MemFree 0x7f0000000000
GraphDestroy g0
)");
  EXPECT_EQ(loop.driver.Leaks(), "");
}

// A later launch that needs less may have lowered what the function may take.
TEST(DeviceExecutable, AllowsTheSharedMemoryThatACapturedLaunchHad) {
  ScriptedLoop loop;
  const absl::StatusOr<DeviceExecutable> executable =
      loop.Create({.shared_bytes = 100 * 1024});
  ASSERT_OK(executable);
  EXPECT_OK(executable->outcome().declined);
  EXPECT_TRUE(executable->outcome().rewritten);
  EXPECT_EQ(loop.driver.calls("FuncSetAttribute"), 1);
}

TEST(DeviceExecutable, WaitsForNobodyWhenItWasNeverLaunched) {
  ScriptedLoop loop;
  ASSERT_OK(loop.Create());
  EXPECT_EQ(loop.driver.calls("StreamSynchronize"), 0);
  EXPECT_EQ(loop.driver.Leaks(), "");
}

TEST(DeviceExecutable, ClonesNothingWhereThereIsNothingToRewrite) {
  ScriptedLoop loop;
  LoopShape shape;
  shape.products = 0;
  const absl::StatusOr<DeviceExecutable> executable = loop.Create(shape);
  ASSERT_OK(executable);
  EXPECT_EQ(loop.Rows(), "\nGraphInstantiateWithParams g0 -> e0\n");
  EXPECT_FALSE(executable->outcome().rewritten);
  EXPECT_OK(executable->outcome().declined);
}

TEST(DeviceExecutable, InstantiatesTheOriginalWhenItIsAskedFor) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  loop.Rows();
  EXPECT_EQ(loop.LaunchOriginal(*executable), kOriginal);
  EXPECT_EQ(loop.LaunchOriginal(*executable), kOriginal);
  EXPECT_EQ(loop.Launch(*executable), kRewritten);
  EXPECT_EQ(loop.Rows(), R"(
GraphInstantiateWithParams g0 -> e1
GraphLaunch e1 s1
GraphLaunch e1 s1
GraphLaunch e0 s1
)");
}

TEST(DeviceExecutable, UploadsWhatItWillLaunch) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  loop.Rows();
  ASSERT_OK(executable->Upload(loop.stream));
  EXPECT_EQ(loop.Rows(), "\nGraphUpload e0 s1\n");
}

TEST(DeviceExecutable, CanBeMovedAndEndsOnce) {
  ScriptedLoop loop;
  {
    absl::StatusOr<DeviceExecutable> first = loop.Create();
    absl::StatusOr<DeviceExecutable> second = loop.Create();
    ASSERT_OK(first);
    ASSERT_OK(second);
    DeviceExecutable moved = *std::move(first);
    ASSERT_OK(moved.Launch(loop.stream));
    moved = *std::move(second);
    ASSERT_OK(moved.Launch(loop.stream));
  }
  EXPECT_EQ(loop.driver.calls("GraphExecDestroy"), 2);
  EXPECT_EQ(loop.driver.calls("MemFree"), 2);
  EXPECT_EQ(loop.driver.calls("StreamSynchronize"), 2);
  EXPECT_EQ(loop.driver.Leaks(), "");
}

TEST(DeviceExecutable, HasAnArenaOfItsOwn) {
  ScriptedLoop loop;
  const absl::StatusOr<DeviceExecutable> a = loop.Create();
  const absl::StatusOr<DeviceExecutable> b = loop.Create();
  ASSERT_OK(a);
  ASSERT_OK(b);
  EXPECT_NE(a->arena().address, b->arena().address);
}

TEST(DeviceExecutable, LeavesAProducerAloneWhoseEmittingKernelIsMissing) {
  ScriptedLoop loop;
  loop.emitting_kernels = false;
  absl::StatusOr<DeviceExecutable> executable = loop.Create();
  ASSERT_OK(executable);
  const Outcome& outcome = executable->outcome();
  ASSERT_EQ(outcome.missing.size(), 1u);
  EXPECT_EQ(outcome.missing[0].producer, NodeId{0});
  EXPECT_THAT(outcome.missing[0].why, HasText("no kernel norm_emit"));
  EXPECT_EQ(ToText(outcome.plan),
            "image in place: n1, without n3\n"
            "edge n2 -> n4\n"
            "decline repeat_elsewhere n4: n2\n"
            "decline producer_claimed n1: n0\n");
  EXPECT_TRUE(outcome.rewritten);
  EXPECT_EQ(loop.Launch(*executable), R"(0: norm(0x1000 0x2000 0x0)
1: quantize(0x2000 0x8000) after 0
2: matvec(0x6000 0x8000 0xa000) after 1
4: matvec(0x6000 0x8000 0xa100) after 2
)");
}

struct Unsupported {
  const char* name;
  CUgraphNodeType last;
  bool device_updatable;
  const char* reason;

  friend std::ostream& operator<<(std::ostream& out, const Unsupported& u) {
    return out << u.name;
  }
};

class DeviceExecutableOf : public ::testing::TestWithParam<Unsupported> {};

TEST_P(DeviceExecutableOf, RunsTheOriginalAndSaysWhy) {
  ScriptedLoop loop;
  LoopShape shape;
  shape.last = GetParam().last;
  shape.device_updatable = GetParam().device_updatable;
  absl::StatusOr<DeviceExecutable> executable = loop.Create(shape);
  ASSERT_OK(executable);
  EXPECT_FALSE(executable->outcome().rewritten);
  EXPECT_THAT(executable->outcome().declined, HasText(GetParam().reason));
  EXPECT_FALSE(executable->outcome().plan.empty());
  EXPECT_EQ(loop.Rows(), "\nGraphInstantiateWithParams g0 -> e0\n");
  ASSERT_OK(executable->Launch(loop.stream));
  ASSERT_OK(executable->LaunchOriginal(loop.stream));
  EXPECT_EQ(loop.Rows(), "\nGraphLaunch e0 s1\nGraphLaunch e0 s1\n");
}

INSTANTIATE_TEST_SUITE_P(
    AGraphThatTheDriverTakesNothingFrom, DeviceExecutableOf,
    ::testing::Values(
        Unsupported{"Allocates", CU_GRAPH_NODE_TYPE_MEM_ALLOC, false,
                    "allocates memory: node 5"},
        Unsupported{"Frees", CU_GRAPH_NODE_TYPE_MEM_FREE, false,
                    "frees memory: node 5"},
        Unsupported{"IsConditional", CU_GRAPH_NODE_TYPE_CONDITIONAL, false,
                    "is conditional: node 5"},
        Unsupported{"IsUpdatedFromTheDevice", CU_GRAPH_NODE_TYPE_KERNEL, true,
                    "is updatable from the device: node 4 (matvec)"}),
    [](const auto& u) { return u.param.name; });

}  // namespace
}  // namespace reprise::testing
