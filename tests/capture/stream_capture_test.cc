#include "capture/stream_capture.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/driver/scripted_driver.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;
using ::reprise::testing::IsOk;
using ::reprise::testing::ScriptedDriver;

struct StreamCapture : ::testing::Test {
  // What the captured code does: a node on the stream.
  absl::Status RunOne() {
    driver.AddNode(driver.CapturedBy(stream), CU_GRAPH_NODE_TYPE_HOST);
    return absl::OkStatus();
  }
  absl::StatusOr<GraphHandle> Capture(
      absl::FunctionRef<absl::Status()> record) {
    return CaptureStream(cuda, stream, record);
  }
  // The status of a capture that `result` breaks.
  absl::Status StatusOfBroken(CUresult result) {
    return Capture([&] {
             driver.BreakCapture(stream, result);
             return RunOne();
           })
        .status();
  }
  std::string StreamName() const {
    return absl::StrCat("stream 0x",
                        absl::Hex(reinterpret_cast<std::uintptr_t>(stream)));
  }

  ScriptedDriver driver;
  const Driver& cuda = driver.table();
  const CUstream stream = driver.NewStream();
};

TEST_F(StreamCapture, GivesTheGraphOfWhatWasRecorded) {
  const absl::StatusOr<GraphHandle> graph = Capture([&] { return RunOne(); });
  ASSERT_OK(graph);
  EXPECT_EQ(driver.TextOf(graph->get()), "0: host\n");
  EXPECT_EQ(driver.rows(),
            "StreamBeginCapture s1 mode 1\n"  // thread-local
            "StreamEndCapture s1 -> g0\n");
  EXPECT_EQ(driver.Leaks(), "g0");
}

TEST_F(StreamCapture, OfTheLegacyDefaultStreamIsRefused) {
  for (const CUstream legacy : {CUstream{nullptr}, CU_STREAM_LEGACY}) {
    const auto graph = CaptureStream(cuda, legacy, [&] {
      ADD_FAILURE() << "recorded";
      return absl::OkStatus();
    });
    EXPECT_THAT(graph, HasCode(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(graph, HasText("legacy default stream"));
  }
  EXPECT_EQ(driver.calls(), 0);
}

TEST_F(StreamCapture, InACaptureIsRefusedAndTheOuterOneGoesOn) {
  absl::Status inner;
  const auto outer = Capture([&] {
    inner = Capture([&] { return RunOne(); }).status();
    return RunOne();
  });
  EXPECT_THAT(inner, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(inner, HasText(StreamName() + " is capturing already"));
  EXPECT_OK(outer);
}

TEST_F(StreamCapture, WhoseCodeFailsReturnsThatFailure) {
  const absl::Status own = absl::DataLossError("own");
  EXPECT_EQ(Capture([&] {
              RunOne().IgnoreError();
              return own;
            }).status(),
            own);
  EXPECT_EQ(driver.Leaks(), "");
  EXPECT_EQ(Capture([&] {
              driver.BreakCapture(stream,
                                  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
              return own;
            }).status(),
            own);
  EXPECT_EQ(driver.Leaks(), "");
}

TEST_F(StreamCapture, WhoseCodeThrowsIsEndedAndTheExceptionGoesOn) {
  EXPECT_THROW(Capture([&]() -> absl::Status {
                 RunOne().IgnoreError();
                 throw std::runtime_error("own");
               }).IgnoreError(),
               std::runtime_error);
  EXPECT_EQ(driver.rows(),
            "StreamBeginCapture s1 mode 1\n"
            "StreamEndCapture s1 -> g0\n"
            "GraphDestroy g0\n");
  EXPECT_EQ(driver.Leaks(), "");
  EXPECT_OK(Capture([&] { return RunOne(); }));
}

TEST_F(StreamCapture, OfNothingIsAnError) {
  const auto graph = Capture([] { return absl::OkStatus(); });
  EXPECT_THAT(graph, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(graph, HasText(StreamName() + " captured nothing"));
  EXPECT_EQ(driver.Leaks(), "");
}

TEST_F(StreamCapture, ThatBrokeSaysWhyAndWhatToDo) {
  struct {
    CUresult result;
    const char* words;
  } const rows[] = {
      {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "no capture allows"},
      {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the first error"},
      {CUDA_ERROR_STREAM_CAPTURE_MERGE, "another capture"},
      {CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "end it where it began"},
      {CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "record an event at its end"},
      {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "recorded before it began"},
      {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "use streams that do not block"},
      {CUDA_ERROR_CAPTURED_EVENT, "waited for on the host"},
      {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "another thread"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.words);
    const char* name = nullptr;
    ASSERT_EQ(cuda.GetErrorName(row.result, &name), CUDA_SUCCESS);
    const absl::Status status = StatusOfBroken(row.result);
    EXPECT_THAT(status, HasCode(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(status, HasText("capture of " + StreamName()));
    EXPECT_THAT(status, HasText(row.words));
    EXPECT_THAT(status, HasText(name));
    EXPECT_EQ(driver.Leaks(), "");
  }
}

TEST_F(StreamCapture, LeavesNothingBehindWhicheverCallFails) {
  const char* const kCalls[] = {"StreamIsCapturing", "StreamBeginCapture",
                                "StreamEndCapture", "GraphGetNodes"};
  for (const char* const call : kCalls) {
    SCOPED_TRACE(call);
    driver.FailCall(call, 1, CUDA_ERROR_OUT_OF_MEMORY);
    const auto graph = Capture([&] { return RunOne(); });
    EXPECT_THAT(graph, HasCode(absl::StatusCode::kResourceExhausted));
    EXPECT_THAT(graph, HasText(StreamName()));
    EXPECT_EQ(driver.Leaks(), "");
  }
  EXPECT_EQ(driver.calls("StreamBeginCapture"), 3)
      << "a stream that cannot be asked is left alone";
}

TEST_F(StreamCapture, IsRelaxedForAsLongAsTheGuardLives) {
  {
    const RelaxedCapture outer(cuda);
    { const RelaxedCapture inner(cuda); }
    EXPECT_EQ(driver.Leaks(), "capture mode");
  }
  EXPECT_EQ(driver.rows(),
            "ThreadExchangeStreamCaptureMode 2 was 0\n"
            "ThreadExchangeStreamCaptureMode 2 was 2\n"
            "ThreadExchangeStreamCaptureMode 2 was 2\n"
            "ThreadExchangeStreamCaptureMode 0 was 2\n");
  driver.FailCall(1, CUDA_ERROR_INVALID_VALUE);
  { const RelaxedCapture refused(cuda); }
  EXPECT_EQ(driver.Leaks(), "") << "the mode stayed as it was";
}

}  // namespace
}  // namespace reprise
