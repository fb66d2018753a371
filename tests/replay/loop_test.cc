// The front door without a device: what a run calls, launches and says.
#include "replay/loop.h"

#include <gtest/gtest.h>

#include <stdexcept>

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
