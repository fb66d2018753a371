// What a program must not record, and how the recorder says so.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "capture/recorder.h"
#include "tests/capture/recorder_rig.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;
using ::reprise::testing::Kernel;
using ::reprise::testing::Rig;

struct Mistake {
  const char* name;
  void (*record)(Rig&);
  absl::StatusCode code;
  const char* message;  // E and F stand for the events' numbers
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

constexpr Mistake kMistakes[] = {
    {"EmptyCapture", [](Rig&) {}, kPrecondition, "nothing was recorded"},
    {"OnlyEvents",
     [](Rig& r) {
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
     },
     kPrecondition, "nothing was recorded"},
    {"UnjoinedStream",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Run(r.a);
     },
     kPrecondition,
     "stream 1 is not joined to the origin: node 1 is not waited for"},
    {"StreamJoinedBeforeItsLastNode",
     [](Rig& r) {
       r.Run(r.a);
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Record(r.f, r.b);
       r.Wait(r.a, r.f);
       r.Run(r.b);
       r.Run(r.a);
     },
     kPrecondition,
     "stream 1 is not joined to the origin: node 2 is not waited for"},
    {"EventRecordedAndNotWaitedForJoinsNothing",
     [](Rig& r) {
       r.Record(r.e, r.a);
       r.Wait(r.b, r.e);
       r.Run(r.b);
       r.Record(r.f, r.b);
     },
     kPrecondition,
     "stream 1 is not joined to the origin: node 0 is not waited for"},
    {"LaunchOnAStreamThatTakesNoPart",
     [](Rig& r) {
       r.Run(r.a);
       r.Run(r.b);
     },
     kPrecondition,
     "stream 1 takes no part in the capture: it waited for no event"},
    {"RecordOnAStreamThatTakesNoPart", [](Rig& r) { r.Record(r.e, r.c); },
     kPrecondition,
     "stream 2 takes no part in the capture: it waited for no event"},
    {"ExternalRecordOnAStreamThatTakesNoPart",
     [](Rig& r) { (void)r.recorder.RecordExternalEvent(r.e, r.c); },
     kPrecondition,
     "stream 2 takes no part in the capture: it waited for no event"},
    {"LaunchOnNoStream", [](Rig& r) { r.Run(StreamId{9}); }, kInvalid,
     "stream 9 is not of this capture"},
    {"WaitOnNoStream",
     [](Rig& r) {
       r.Record(r.e, r.a);
       r.Wait(StreamId{3}, r.e);
     },
     kInvalid, "stream 3 is not of this capture"},
    {"WaitForAnEventNeverRecorded",
     [](Rig& r) {
       r.Run(r.a);
       r.Wait(r.b, r.e);
     },
     kPrecondition, "stream 1 waits for event E, which was never recorded"},
    {"WaitForAnEventRecordedLater",
     [](Rig& r) {
       r.Run(r.a);
       r.Wait(r.a, r.f);
       r.Record(r.f, r.a);
     },
     kPrecondition, "stream 0 waits for event F, which was never recorded"},
    {"WaitForAnEventRecordedOnlyForTheOutside",
     [](Rig& r) {
       (void)r.recorder.RecordExternalEvent(r.e, r.a);
       r.Wait(r.b, r.e);
     },
     kPrecondition, "stream 1 waits for event E, which was never recorded"},
    {"WaitForNoEvent", [](Rig& r) { r.Wait(r.a, EventId{}); }, kInvalid,
     "event 4294967295 is not of this capture"},
    {"ParameterOutsideItsBuffer",
     [](Rig& r) {
       KernelLaunch launch = Kernel();
       launch.parameters = {{0, 4}, {4, 0xffffffff}};
       launch.bytes.resize(8);
       (void)r.recorder.Launch(r.a, launch);
     },
     kInvalid, "kernel k: parameter 1 ends beyond the 8 bytes of the buffer"},
    {"TheFirstOfTwoMistakes",
     [](Rig& r) {
       r.Run(r.c);
       r.Wait(r.b, r.e);
     },
     kPrecondition,
     "stream 2 takes no part in the capture: it waited for no event"},
};

class RecorderMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(RecorderMistake, IsNamedByFinish) {
  Rig rig;
  GetParam().record(rig);
  const auto graph = rig.Finish();
  EXPECT_THAT(graph, HasCode(GetParam().code));
  EXPECT_EQ(
      graph.status().message(),
      absl::StrReplaceAll(GetParam().message,
                          {{"event E", absl::StrCat("event ", rig.e.value)},
                           {"event F", absl::StrCat("event ", rig.f.value)}}));
}

INSTANTIATE_TEST_SUITE_P(Rows, RecorderMistake, ::testing::ValuesIn(kMistakes),
                         [](const auto& p) {
                           return std::string(p.param.name);
                         });

TEST(Recorder, NoticesAnEventOfAnotherCapture) {
  Rig other, rig;
  other.Record(other.e, other.a);
  rig.Run(rig.a);
  const absl::Status refused = rig.recorder.WaitEvent(rig.a, other.e);
  EXPECT_THAT(refused, HasCode(kInvalid));
  EXPECT_EQ(refused.message(),
            absl::StrCat("event ", other.e.value, " is not of this capture"));
  EXPECT_EQ(rig.Finish().status(), refused);

  Rig third;
  EXPECT_EQ(third.recorder.RecordEvent(other.e, third.a), refused);
}

TEST(Recorder, ReturnsItsFirstErrorFromEveryLaterCall) {
  Rig rig;
  rig.Run(rig.a);
  Recorder& r = rig.recorder;
  const absl::Status first = r.HostCall(rig.b);
  ASSERT_THAT(first, HasText("stream 1 takes no part"));
  EXPECT_EQ(r.Launch(rig.a, Kernel()), first);
  EXPECT_EQ(r.CopyBytes(rig.a, 1, 2, 3), first);
  EXPECT_EQ(r.FillBytes(rig.a, 1, 2, 3), first);
  EXPECT_EQ(r.HostCall(rig.a), first);
  EXPECT_EQ(r.RecordEvent(rig.e, rig.a), first);
  EXPECT_EQ(r.WaitEvent(rig.b, rig.e), first);
  EXPECT_EQ(r.WaitEvent(StreamId{7}, EventId{}), first);
  EXPECT_EQ(r.RecordExternalEvent(rig.e, rig.a), first);
  EXPECT_EQ(r.WaitExternalEvent(rig.a, rig.e), first);
  EXPECT_EQ(rig.Finish().status(), first);
}

TEST(Recorder, TakesNoCallAfterFinish) {
  Rig rig;
  rig.Run(rig.a);
  ASSERT_OK(rig.Finish());
  EXPECT_THAT(rig.recorder.HostCall(rig.a), HasText("capture is finished"));
  EXPECT_THAT(rig.Finish(), HasText("capture is finished"));
}

}  // namespace
}  // namespace reprise
