// The rewritten form of a graph that somebody else owns.
#include "replay/rewritten_executable.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "replay/emission_probe.h"
#include "tests/driver/scripted_state.h"
#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

class RewrittenLoop : public ::testing::Test {
 protected:
  RewrittenExecutable Make(const LoopShape& shape = {}) {
    const GraphHandle captured = loop_.Capture(shape);
    return RewrittenExecutable::Create(loop_.cuda, captured.get(),
                                       loop_.options());
  }

  ScriptedLoop loop_;
};

TEST_F(RewrittenLoop, OutlivesTheOriginal) {
  {
    RewrittenExecutable executable = Make();
    ASSERT_TRUE(executable.runs());
    EXPECT_OK(executable.Launch(loop_.stream));
    const GraphHandle recaptured = loop_.Capture({.input = 0x1800});
    EXPECT_EQ(executable.Update(recaptured.get()), UpdateResult::kPatched);
    EXPECT_EQ(loop_.driver.calls("GraphClone"), 1);
  }
  EXPECT_EQ(loop_.driver.Leaks(), "");
}

TEST_F(RewrittenLoop, DoesNotRunWhereThereIsNothingToRewrite) {
  const RewrittenExecutable executable = Make({.products = 0});
  EXPECT_FALSE(executable.runs());
  EXPECT_OK(executable.outcome().declined);
  EXPECT_EQ(executable.captured(), nullptr);
}

TEST_F(RewrittenLoop, SaysWhyItDoesNotRun) {
  loop_.driver.FailCall("GraphGetEdges", 1, CUDA_ERROR_OUT_OF_MEMORY);
  const RewrittenExecutable executable = Make();
  EXPECT_FALSE(executable.runs());
  EXPECT_THAT(executable.outcome().declined, HasText("cuGraphGetEdges"));
}

TEST_F(RewrittenLoop, GivesItsMemoryBackWhenItIsDropped) {
  RewrittenExecutable executable = Make();
  ASSERT_OK(executable.Launch(loop_.stream));
  loop_.Rows();
  executable.Drop(absl::AbortedError("enough"));
  EXPECT_EQ(loop_.Rows(), R"(
StreamSynchronize s1
GraphExecDestroy e0
GraphDestroy g1
MemFree 0x7f0000000000
)");
  EXPECT_FALSE(executable.runs());
  EXPECT_THAT(executable.outcome().declined, HasText("enough"));
  EXPECT_EQ(executable.outcome().running.nodes, 5u);
}

TEST_F(RewrittenLoop, WaitsForAnEventWhereTheStreamWasLeft) {
  {
    RewrittenExecutable executable = Make();
    const CUstream other = loop_.driver.NewStream();
    ASSERT_OK(executable.Launch(loop_.stream));
    loop_.Rows();
    ASSERT_OK(executable.LeaveStream(other));
    EXPECT_EQ(loop_.Rows(), "\n");
    ASSERT_OK(executable.LeaveStream(loop_.stream));
    EXPECT_EQ(loop_.Rows(), "\nEventCreate v0\nEventRecord v0 s1\n");
    ASSERT_OK(executable.Wait());
    EXPECT_EQ(loop_.Rows(), "\nEventSynchronize v0\nEventDestroy v0\n");
    ASSERT_OK(executable.Wait());
    EXPECT_EQ(loop_.Rows(), "\n");
    ASSERT_OK(executable.Launch(loop_.stream));
    ASSERT_OK(executable.LeaveStream(loop_.stream));
    ASSERT_OK(executable.Launch(other));
    loop_.Rows();
    ASSERT_OK(executable.Wait());
    EXPECT_EQ(loop_.Rows(), "\nStreamSynchronize s3\n");
  }
  EXPECT_EQ(loop_.driver.Leaks(), "");
}

TEST_F(RewrittenLoop, LeavesTheStreamOfAThreadAtOnce) {
  RewrittenExecutable executable = Make();
  loop_.Rows();
  ASSERT_OK(executable.Launch(CU_STREAM_PER_THREAD));
  EXPECT_EQ(loop_.Rows(),
            "\nGraphLaunch e0 s0\nEventCreate v0\nEventRecord v0 s0\n");
}

TEST_F(RewrittenLoop,
       NeverWaitsForAStreamThatIsBeingCapturedNorFreesWhatItUses) {
  {
    RewrittenExecutable executable = Make();
    ASSERT_OK(executable.Launch(loop_.stream));
    loop_.cuda.StreamBeginCapture(loop_.stream,
                                  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    EXPECT_THAT(executable.Wait(), HasText("is being captured"));
    executable.Drop(absl::AbortedError("enough"));
    EXPECT_EQ(loop_.driver.calls("StreamSynchronize"), 0);
    EXPECT_EQ(loop_.driver.calls("MemFree"), 0);
  }
  EXPECT_EQ(loop_.driver.calls("MemFree"), 0);
  CUgraph captured = nullptr;
  loop_.cuda.StreamEndCapture(loop_.stream, &captured);
  const GraphHandle owner(loop_.cuda, captured);
}

TEST_F(RewrittenLoop, IsNotUpdatedWhileNobodyCanWait) {
  RewrittenExecutable executable = Make();
  ASSERT_OK(executable.Launch(loop_.stream));
  const GraphHandle longer = loop_.Capture({.products = 3});
  loop_.driver.FailCall("StreamSynchronize", 1, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(executable.Update(longer.get()), UpdateResult::kRebuilt);
  EXPECT_FALSE(executable.runs());
  EXPECT_THAT(executable.outcome().declined,
              HasText("wait for the last launch"));
  EXPECT_EQ(executable.Update(longer.get()), UpdateResult::kRebuilt);
  EXPECT_TRUE(executable.runs());
}

// Of the loop's first norm, reading another input.
CUDA_KERNEL_NODE_PARAMS ParamsOf(CUgraphNode node,
                                 std::vector<std::uint64_t>& words,
                                 std::vector<void*>& pointers) {
  for (std::uint64_t& word : words) pointers.push_back(&word);
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = From<ScriptedNode>(node)->kernel.func;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = pointers.data();
  return params;
}

TEST_F(RewrittenLoop, FollowsAKernelNodeThatIsSetAfterTheOriginalHasGone) {
  GraphHandle captured = loop_.Capture();
  RewrittenExecutable executable =
      RewrittenExecutable::Create(loop_.cuda, captured.get(), loop_.options());
  const CUgraphNode norm =
      ToHandle(From<ScriptedGraph>(captured.get())->nodes[0]);
  captured = GraphHandle();
  loop_.Rows();
  std::vector<std::uint64_t> words = {0x1800, 0x2000, 0};
  std::vector<void*> pointers;
  const CUDA_KERNEL_NODE_PARAMS params = ParamsOf(norm, words, pointers);
  executable.SetKernelParams(norm, params);
  EXPECT_EQ(executable.Settle(), UpdateResult::kPatched);
  executable.SetKernelParams(norm, params);
  EXPECT_EQ(executable.Settle(), UpdateResult::kUnchanged);
  EXPECT_EQ(loop_.Rows(), R"(
GraphExecKernelNodeSetParams e0 g1:0 norm_emit(0x1800 0x2000 0x7f0000000000)
)");
  // The next capture is compared with what was set.
  const GraphHandle same = loop_.Capture({.input = 0x1800});
  EXPECT_EQ(executable.Update(same.get()), UpdateResult::kUnchanged);
}

TEST_F(RewrittenLoop, IsDroppedWhenANodeIsSetThatItDoesNotKnow) {
  RewrittenExecutable executable = Make();
  const GraphHandle other = loop_.Capture();
  const CUgraphNode stranger =
      ToHandle(From<ScriptedGraph>(other.get())->nodes[0]);
  executable.SetKernelParams(stranger, {});
  EXPECT_FALSE(executable.runs());
  EXPECT_THAT(executable.outcome().declined, HasText("no kernel of the"));
}

TEST_F(RewrittenLoop, AsksOnceForEachFunctionAndAllocationOfAnUpdate) {
  loop_.driver.AddAllocation(0x1'0000'0000, 0x1000);
  RewrittenExecutable executable = Make({.input = 0x1'0000'0000});
  const GraphHandle same = loop_.Capture({.input = 0x1'0000'0000});
  const int names = loop_.driver.calls("FuncGetName");
  const int ranges = loop_.driver.calls("MemGetAddressRange");
  EXPECT_EQ(executable.Update(same.get()), UpdateResult::kUnchanged);
  EXPECT_EQ(loop_.driver.calls("FuncGetName") - names, 3);
  EXPECT_EQ(loop_.driver.calls("MemGetAddressRange") - ranges, 1);
}

// Executables that tell how often they decided what to rewrite: each time the
// kernels that emit are looked up.
class StandingLoop : public RewrittenLoop {
 protected:
  explicit StandingLoop(PlanOptions plan = {})
      : probe_(std::make_shared<EmissionProbe>(loop_.cuda)) {
    DeviceOptions options = loop_.options();
    options.prepare.plan = std::move(plan);
    options.prepare.probe = probe_;
    options.prepare.functions = [this, find = options.prepare.functions](
                                    absl::string_view symbol,
                                    std::uint32_t shared_bytes) {
      ++decisions_;
      return find(symbol, shared_bytes);
    };
    const GraphHandle captured = loop_.Capture({});
    executable_.emplace(RewrittenExecutable::Create(loop_.cuda, captured.get(),
                                                    std::move(options)));
  }

  // How often an update with that input decides.
  int DecisionsOf(std::uint64_t input, bool new_functions = false) {
    const GraphHandle captured =
        loop_.Capture({.input = input, .new_functions = new_functions});
    const int before = decisions_;
    EXPECT_EQ(executable_->Update(captured.get()), UpdateResult::kPatched);
    loop_.Rows();
    EXPECT_OK(executable_->Launch(loop_.stream));
    return decisions_ - before;
  }

  std::shared_ptr<EmissionProbe> probe_;
  int decisions_ = 0;
  std::optional<RewrittenExecutable> executable_;
};

TEST_F(StandingLoop, DecidesNothingOnceItsPlanStoodThroughAnUpdate) {
  EXPECT_EQ(DecisionsOf(0x1100), 1);
  EXPECT_EQ(DecisionsOf(0x1200), 0);
  EXPECT_EQ(DecisionsOf(0x1300), 0);
  EXPECT_EQ(executable_->outcome().running.nodes, 3u);
  EXPECT_OK(executable_->rebuilt_because());
}

class StandingLoopWithoutFloats : public StandingLoop {
 protected:
  StandingLoopWithoutFloats()
      : StandingLoop({.dead_stores = true, .outputs = std::vector<View>{}}) {}
};

TEST_F(StandingLoopWithoutFloats, DropsThemWithoutDecidingAnew) {
  EXPECT_EQ(DecisionsOf(0x1100), 1);
  const GraphHandle captured = loop_.Capture({.input = 0x1200});
  const int before = decisions_;
  EXPECT_EQ(executable_->Update(captured.get()), UpdateResult::kPatched);
  EXPECT_EQ(decisions_, before);
  EXPECT_TRUE(absl::StrContains(loop_.Rows(), "norm_emit(0x1200 0x0 0x7f"));
}

TEST_F(StandingLoop, DecidesAnewWhereCodeWasUnloaded) {
  DecisionsOf(0x1100);
  probe_->Forget();
  EXPECT_EQ(DecisionsOf(0x1200), 1);
  EXPECT_EQ(DecisionsOf(0x1300), 0);
}

TEST_F(StandingLoop, DecidesAnewWhereOtherFunctionsRun) {
  DecisionsOf(0x1100);
  EXPECT_EQ(DecisionsOf(0x1100, /*new_functions=*/true), 1);
  EXPECT_EQ(DecisionsOf(0x1200, /*new_functions=*/true), 0);
}

TEST_F(StandingLoop, DecidesAnewWhereMemoryIsAlignedOtherwise) {
  DecisionsOf(0x1100);
  EXPECT_EQ(DecisionsOf(0x1110), 1);
}

TEST_F(StandingLoop, DecidesAnewWhereMemoryMeetsOther) {
  DecisionsOf(0x1100);
  EXPECT_EQ(DecisionsOf(0x2000), 1) << "in place";
}

}  // namespace
}  // namespace reprise::testing
