// The front door without a device: what a run calls, launches and says.
#include "replay/loop.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tests/driver/scripted_state.h"
#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

class LoopRuns : public ::testing::Test {
 protected:
  LoopOptions Options() {
    LoopOptions options;
    options.executable = scripted_.options();
    options.driver = &scripted_.cuda;
    return options;
  }

  // Records while it is captured; else it counts as run eagerly.
  absl::Status Run() {
    return loop_.Run(scripted_.stream, [this] { Step(); });
  }
  void Step() {
    ++steps_;
    if (scripted_.driver.CapturedBy(scripted_.stream) == nullptr) return;
    scripted_.Record(shape_, scripted_.stream);
  }

  int Launches() { return scripted_.driver.calls("GraphLaunch"); }

  ScriptedLoop scripted_;
  LoopShape shape_;
  int steps_ = 0;
  Loop loop_{"decode", Options()};
};

TEST_F(LoopRuns, CaptureTheStepOnceAndReplayItEachTime) {
  for (int i = 0; i < 3; ++i) ASSERT_OK(Run());
  EXPECT_EQ(steps_, 1);
  EXPECT_EQ(Launches(), 3);
  EXPECT_OK(loop_.status());
  ASSERT_NE(loop_.outcome(), nullptr);
  EXPECT_TRUE(loop_.outcome()->rewritten);
  EXPECT_EQ(loop_.counts(), (LoopCounts{.runs = 3, .captures = 1}));
}

TEST_F(LoopRuns, HaveNoOutcomeBeforeTheFirst) {
  EXPECT_EQ(loop_.outcome(), nullptr);
  EXPECT_OK(loop_.status());
}

TEST_F(LoopRuns, CallTheStepAgainAfterRecapture) {
  ASSERT_OK(Run());
  loop_.Recapture();
  ASSERT_OK(Run());
  shape_.input += 0x40;
  loop_.Recapture();
  ASSERT_OK(Run());
  shape_.products = 3;
  loop_.Recapture();
  ASSERT_OK(Run());
  EXPECT_EQ(steps_, 4);
  EXPECT_EQ(loop_.counts(), (LoopCounts{.runs = 4,
                                        .captures = 4,
                                        .unchanged = 1,
                                        .patched = 1,
                                        .rebuilt = 1}));
}

TEST_F(LoopRuns, ReturnWhatTheStepReturnsAndTryAgain) {
  const absl::Status failed = absl::AbortedError("no more tokens");
  EXPECT_EQ(loop_.Run(scripted_.stream, [&] { return failed; }), failed);
  EXPECT_EQ(Launches(), 0);
  ASSERT_OK(Run());
  EXPECT_EQ(Launches(), 1);
}

TEST_F(LoopRuns, LetAnExceptionOfTheStepThroughWithTheCaptureEnded) {
  EXPECT_THROW(
      loop_.Run(scripted_.stream, [] { throw std::runtime_error("out"); })
          .IgnoreError(),
      std::runtime_error);
  EXPECT_EQ(scripted_.driver.Leaks(), "");
  ASSERT_OK(Run());
}

TEST_F(LoopRuns, CallTheStepWhereTheFirstCaptureFailsAndCaptureTheSecond) {
  scripted_.driver.FailCall("StreamEndCapture", 1,
                            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_OK(Run());
  EXPECT_EQ(steps_, 2);  // once captured in vain, once run
  EXPECT_EQ(Launches(), 0);
  EXPECT_THAT(loop_.status(), HasText("loop 'decode' runs uncaptured"));
  ASSERT_OK(Run());
  EXPECT_EQ(Launches(), 1);
  EXPECT_OK(loop_.status());
  EXPECT_EQ(loop_.counts(), (LoopCounts{.runs = 2, .captures = 1, .eager = 1}));
}

TEST_F(LoopRuns, CallNothingButTheStepAfterTwoFailedCaptures) {
  for (int i = 0; i < 4; ++i) {
    scripted_.driver.FailCall("StreamBeginCapture", 1,
                              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    ASSERT_OK(Run());
  }
  EXPECT_EQ(steps_, 4);
  EXPECT_EQ(loop_.counts(), (LoopCounts{.runs = 4, .eager = 4}));
  EXPECT_EQ(scripted_.driver.calls("StreamBeginCapture"), 2);
  EXPECT_EQ(scripted_.driver.Leaks(), "");
}

TEST_F(LoopRuns, RunTheOriginalAndSayWhyWhereARewriteFails) {
  scripted_.driver.FailCall("GraphClone", 1, CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_OK(Run());
  EXPECT_EQ(Launches(), 1);
  EXPECT_THAT(loop_.status(), HasText("loop 'decode' is not rewritten"));
  EXPECT_THAT(loop_.status(), HasText("CUDA_ERROR_OUT_OF_MEMORY"));
  EXPECT_EQ(loop_.counts(),
            (LoopCounts{.runs = 1, .captures = 1, .original = 1}));
}

TEST_F(LoopRuns, RunTheOriginalWhereAnAskedForVerificationCannotBe) {
  shape_.last = CU_GRAPH_NODE_TYPE_HOST;
  LoopOptions options = Options();
  options.verify = VerifyMode::kFirstReplay;
  Loop loop("checked", options);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(loop.Run(scripted_.stream, [this] { Step(); }));
  }
  EXPECT_THAT(loop.status(), HasText("cannot be verified: node"));
  EXPECT_EQ(loop.counts(),
            (LoopCounts{.runs = 2, .captures = 1, .original = 2}));
}

constexpr std::uint64_t kFirstOutput = 0xa000;

// Also leaves the number of the graph's nodes in the first output.
CUresult LaunchAndLeave(CUgraphExec exec, CUstream stream) {
  ScriptedDriver::State& state = ScriptedDriver::state();
  const CUresult launched = state.table.GraphLaunch(exec, stream);
  if (launched != CUDA_SUCCESS) return launched;
  *state.Find(kFirstOutput, 1) = static_cast<std::uint8_t>(
      absl::c_count_if(From<ScriptedExec>(exec)->content.nodes,
                       [](const ScriptedNode& node) { return node.alive; }));
  return CUDA_SUCCESS;
}

class VerifiedRun : public LoopRuns {
 protected:
  static constexpr int kOriginalNodes = 5;

  VerifiedRun() {
    scripted_.driver.AddAllocation(0x1000, 0xf000);
    leaving_.GraphLaunch = &LaunchAndLeave;
  }
  LoopOptions Verifying() {
    LoopOptions options = Options();
    options.driver = &leaving_;
    options.verify = VerifyMode::kFirstReplay;
    return options;
  }
  static int Left() { return *ScriptedDriver::state().Find(kFirstOutput, 1); }

  // Of the verification in the first run: that the run does the original's
  // work, and that of the next runs too.
  void ExpectTheOriginalWhenFails(const char* call, int n) {
    SCOPED_TRACE(absl::StrCat(call, " ", n));
    Loop loop("checked", Verifying());
    const auto run = [&] {
      return loop.Run(scripted_.stream, [this] { Step(); });
    };
    scripted_.driver.FailCall(call, n, CUDA_ERROR_OUT_OF_MEMORY);
    for (int i = 0; i < 3; ++i) {
      EXPECT_OK(run());
      EXPECT_EQ(Left(), kOriginalNodes);
      *ScriptedDriver::state().Find(kFirstOutput, 1) = 0;
    }
    EXPECT_THAT(loop.status(), HasText("cannot be verified: "));
    EXPECT_THAT(loop.status(), HasText("CUDA_ERROR_OUT_OF_MEMORY"));
    EXPECT_EQ(loop.counts(),
              (LoopCounts{.runs = 3, .captures = 1, .original = 3}));
  }

  Driver leaving_ = scripted_.cuda;
};

TEST_F(VerifiedRun, DoesTheWorkOfTheOriginalWhicheverOfItsCallsFails) {
  // Four ranges are saved twice and put back.
  for (int n = 1; n <= 12; ++n) {
    ExpectTheOriginalWhenFails("MemcpyDtoDAsync", n);
  }
  ExpectTheOriginalWhenFails("MemsetD8Async", 1);
  ExpectTheOriginalWhenFails("GraphLaunch", 2);
  // The arena, and memory for what is saved.
  ExpectTheOriginalWhenFails("MemAlloc", 2);
}

// The step is half done then, and nobody may go on from there.
TEST_F(VerifiedRun, ReturnsTheErrorOfPuttingBackWhatTheOriginalLeft) {
  Loop loop("checked", Verifying());
  scripted_.driver.FailCall("GraphLaunch", 2, CUDA_ERROR_OUT_OF_MEMORY);
  scripted_.driver.FailCall("MemcpyDtoDAsync", 13, CUDA_ERROR_LAUNCH_FAILED);
  const absl::Status run = loop.Run(scripted_.stream, [this] { Step(); });
  EXPECT_THAT(run, HasText("restore what the graph writes"));
  EXPECT_THAT(run, HasText("CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(VerifiedRun, ReturnsTheErrorOfTheOriginal) {
  Loop loop("checked", Verifying());
  scripted_.driver.FailCall("GraphLaunch", 1, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(loop.Run(scripted_.stream, [this] { Step(); }),
              HasText("CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(LoopRuns, ReturnTheErrorOfALaunch) {
  ASSERT_OK(Run());
  scripted_.driver.FailCall("GraphLaunch", 1, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Run(), HasText("CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(LoopRuns, LeaveNothingBehind) {
  {
    Loop loop("short", Options());
    ASSERT_OK(loop.Run(scripted_.stream, [this] { Step(); }));
    EXPECT_NE(scripted_.driver.Leaks(), "");
  }
  EXPECT_EQ(scripted_.driver.Leaks(), "");
}

}  // namespace
}  // namespace reprise::testing
