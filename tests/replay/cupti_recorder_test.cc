#include "replay/cupti_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "replay/cupti_status.h"
#include "tests/replay/scripted_cupti.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class CuptiRecorder : public ::testing::Test {
 protected:
  CuptiRecorder() { Script() = CuptiScript(); }

  // A run of one kernel.
  absl::StatusOr<std::vector<NodeRecord>> RecordAKernel() {
    return RecordWithCupti(cupti_, [] {
      Happen(KernelActivity("add", 7));
      return absl::OkStatus();
    });
  }

  void ExpectNothingLeftBehind() {
    EXPECT_FALSE(Script().subscribed);
    EXPECT_THAT(Script().enabled, IsEmpty());
    Script() = CuptiScript();
    const auto records = RecordAKernel();
    ASSERT_OK(records);
    EXPECT_EQ(records->size(), 1u);
  }

  const CuptiCalls cupti_ = ScriptedCupti();
};

TEST_F(CuptiRecorder, ReadsWhatARecordSaysOfEachKind) {
  CUpti_ActivityKernel10 kernel = KernelActivity("add", 0x100000001);
  kernel.gridX = 4;
  kernel.gridY = 3;
  kernel.gridZ = 2;
  kernel.streamId = 14;
  kernel.start = 1000;
  kernel.end = 1600;
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.streamId = 15;
  copy.start = 1700;
  copy.end = 1800;
  copy.graphNodeId = 0x100000002;
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.start = 1900;
  fill.end = 1950;
  const auto records = RecordWithCupti(cupti_, [&] {
    Happen(kernel);
    Happen(copy);
    Happen(fill);
    return absl::OkStatus();
  });
  ASSERT_OK(records);
  EXPECT_THAT(
      *records,
      ElementsAre(
          NodeRecord{
              NodeKind::kKernel, "add", {4, 3, 2}, 14, 1000, 1600, 0x100000001},
          NodeRecord{NodeKind::kCopy, "", {}, 15, 1700, 1800, 0x100000002},
          NodeRecord{NodeKind::kFill, "", {}, 0, 1900, 1950, 0}));
}

TEST_F(CuptiRecorder, KnowsTheDriversOwnKernelsThatCopyAndFill) {
  const auto records = RecordWithCupti(cupti_, [&] {
    for (const char* symbol :
         {"memcpy32_post", "memset32", "memset", "memsets", "my_memset32"}) {
      Happen(KernelActivity(symbol, 0x100000001));
    }
    return absl::OkStatus();
  });
  ASSERT_OK(records);
  std::vector<NodeKind> kinds;
  for (const NodeRecord& record : *records) kinds.push_back(record.kind);
  EXPECT_THAT(kinds,
              ElementsAre(NodeKind::kCopy, NodeKind::kFill, NodeKind::kKernel,
                          NodeKind::kKernel, NodeKind::kKernel));
  EXPECT_EQ((*records)[0].symbol, "");
}

TEST_F(CuptiRecorder, SubscribesBeforeItTakesBuffersAndFlushesBeforeItEnds) {
  ASSERT_OK(RecordWithCupti(cupti_, [] { return absl::OkStatus(); }));
  EXPECT_THAT(
      Script().calls,
      ElementsAre("Subscribe_v2", "ActivityRegisterCallbacks", "ActivityEnable",
                  "ActivityEnable", "ActivityEnable", "ActivityFlushAll",
                  "ActivityDisable", "ActivityDisable", "ActivityDisable",
                  "ActivityGetNumDroppedRecords", "Unsubscribe"));
}

TEST_F(CuptiRecorder, RecordsOneRunAfterAnother) {
  for (int session = 0; session < 3; ++session) {
    const auto records = RecordAKernel();
    ASSERT_OK(records);
    EXPECT_EQ(records->size(), 1u);
  }
}

TEST_F(CuptiRecorder, NamesTheToolThatHoldsCupti) {
  Script().holder = "CUPTI for a profiler";
  const auto records = RecordAKernel();
  EXPECT_THAT(records, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(records, HasText("subscribe to CUPTI, which CUPTI for a profiler "
                               "holds: CUPTI_ERROR_39"));
  EXPECT_THAT(Script().calls, ElementsAre("Subscribe_v2"))
      << "the other tool's buffers stay its own";
  ExpectNothingLeftBehind();
}

TEST_F(CuptiRecorder, TakesDroppedRecordsForAnError) {
  Script().drops = 2;
  const auto records = RecordAKernel();
  EXPECT_THAT(records, HasCode(absl::StatusCode::kDataLoss));
  EXPECT_THAT(records, HasText("dropped 2 records"));
  ExpectNothingLeftBehind();
}

TEST_F(CuptiRecorder, TakesAnIncompleteRecordForAnError) {
  Script().fails = "ActivityGetNextRecord";
  Script().result = CUPTI_ERROR_INVALID_KIND;
  EXPECT_THAT(RecordAKernel(), HasText("read CUPTI's records"));
  ExpectNothingLeftBehind();
}

TEST_F(CuptiRecorder, ReturnsTheErrorOfTheRunAndStillEnds) {
  const auto records = RecordWithCupti(
      cupti_, [] { return absl::AbortedError("the replay broke"); });
  EXPECT_THAT(records, HasCode(absl::StatusCode::kAborted));
  EXPECT_THAT(records, HasText("the replay broke"));
  ExpectNothingLeftBehind();
}

TEST_F(CuptiRecorder, RefusesARunInsideARun) {
  absl::Status inner;
  const auto records = RecordWithCupti(cupti_, [&] {
    inner = RecordAKernel().status();
    Happen(KernelActivity("outer", 1));
    return absl::OkStatus();
  });
  EXPECT_THAT(inner, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(inner, HasText("counted already"));
  ASSERT_OK(records);
  EXPECT_EQ(records->size(), 1u) << "the outer run lost its records";
}

TEST_F(CuptiRecorder, FreesABufferThatComesAfterTheEnd) {
  ASSERT_OK(RecordAKernel());
  const CUpti_ActivityKernel10 late = KernelActivity("late", 1);
  Script().pending.assign(
      reinterpret_cast<const std::uint8_t*>(&late),
      reinterpret_cast<const std::uint8_t*>(&late) + sizeof late);
  Deliver();
  const auto records = RecordAKernel();
  ASSERT_OK(records);
  EXPECT_EQ(records->size(), 1u) << "a late record counts for nobody";
}

struct Failure {
  std::string call;
  std::string says;
  std::optional<CUpti_ActivityKind> kind = {};
};

class EachCall : public CuptiRecorder,
                 public ::testing::WithParamInterface<Failure> {};

TEST_P(EachCall, ThatFailsIsNamedAndLeavesNothingBehind) {
  Script().fails = GetParam().call;
  Script().fails_for = GetParam().kind;
  const auto records = RecordAKernel();
  EXPECT_THAT(records, HasCode(absl::StatusCode::kInternal));
  EXPECT_THAT(records, HasText(GetParam().says + ": CUPTI_ERROR_999"));
  EXPECT_THAT(Script().calls, Contains(GetParam().call));
  ExpectNothingLeftBehind();
}

INSTANTIATE_TEST_SUITE_P(
    Fails, EachCall,
    ::testing::Values(
        Failure{"Subscribe_v2", "subscribe to CUPTI"},
        Failure{"ActivityRegisterCallbacks", "hand buffers to CUPTI"},
        Failure{"ActivityEnable", "start CUPTI's recording",
                CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
        Failure{"ActivityEnable", "start CUPTI's recording",
                CUPTI_ACTIVITY_KIND_MEMCPY},
        Failure{"ActivityEnable", "start CUPTI's recording",
                CUPTI_ACTIVITY_KIND_MEMSET},
        Failure{"ActivityFlushAll", "flush CUPTI's records"},
        Failure{"ActivityGetNextRecord", "read CUPTI's records"},
        Failure{"ActivityDisable", "end CUPTI's recording",
                CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
        Failure{"ActivityDisable", "end CUPTI's recording",
                CUPTI_ACTIVITY_KIND_MEMSET},
        Failure{"ActivityGetNumDroppedRecords", "ask what CUPTI dropped"},
        Failure{"Unsubscribe", "unsubscribe from CUPTI"}),
    [](const auto& p) {
      return p.param.call +
             std::to_string(p.param.kind.value_or(CUPTI_ACTIVITY_KIND_INVALID));
    });

TEST(CuptiStatus, TellsWhatKindOfErrorItIs) {
  const CuptiCalls cupti = ScriptedCupti();
  const auto code = [&](CUptiResult result) {
    return CuptiStatus(cupti, result, "try").code();
  };
  EXPECT_EQ(code(CUPTI_SUCCESS), absl::StatusCode::kOk);
  EXPECT_EQ(code(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code(CUPTI_ERROR_NOT_INITIALIZED), absl::StatusCode::kUnavailable);
  EXPECT_EQ(code(CUPTI_ERROR_NOT_SUPPORTED), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(code(CUPTI_ERROR_OUT_OF_MEMORY),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(CUPTI_ERROR_UNKNOWN), absl::StatusCode::kInternal);
}

TEST(CuptiStatus, SaysSoWhereCuptiHasNoName) {
  CuptiCalls cupti = ScriptedCupti();
  cupti.GetResultString = [](CUptiResult, const char**) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  };
  EXPECT_THAT(CuptiStatus(cupti, CUPTI_ERROR_UNKNOWN, "try"),
              HasText("try: an error that CUPTI has no name for"));
}

}  // namespace
}  // namespace reprise::testing
