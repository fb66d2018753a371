// Faults reported in public: forks, joins and events.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/cases/case_program.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using decoder::Rows;

TEST(PublicCase, D31_BranchesOfAViewMadeBeforeTheForkShareOneImage) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Add(x, x, y);
  const StreamId first = p.Fork(), second = p.Fork();
  for (StreamId stream : {first, p.recorder().origin(), second}) {
    p.On(stream);
    p.QuantizeAndProject(y);
  }
  p.On(p.recorder().origin());
  p.Join(first);
  p.Join(second);
  EXPECT_EQ(RunCase(p).quantizers(), 1u);
}

// Nobody but the branch may wait for y before the join.
TEST(PublicCase, D31_AViewMadeInsideABranchStaysThereUntilTheJoin) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64), z = p.Buffer(1, 64);
  p.Norm(x, z);
  const StreamId branch = p.Fork();
  p.On(branch);
  p.Add(x, x, y);
  p.QuantizeAndProject(y);
  p.On(p.recorder().origin());
  p.QuantizeAndProject(z);
  p.Join(branch);
  p.QuantizeAndProject(y);
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.quantizers(), 1u);
  EXPECT_EQ(run.emitting(), 1u);
  for (const PlannedImage& image : run.plan.images) EXPECT_FALSE(image.moved);
}

// The view is made on a branch, and forked again there: which stream was
// recorded first must not matter.
TEST(PublicCase, D31_AForkInsideABranchSharesTheImageOfTheBranch) {
  for (bool inner_first : {false, true}) {
    CaseProgram p;
    const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
    p.Add(x, x, p.Buffer(1, 64));
    const StreamId outer = p.Fork();
    p.On(outer);
    p.Add(x, x, y);
    const StreamId inner = p.Fork();
    p.On(inner_first ? inner : outer);
    p.QuantizeAndProject(y);
    p.On(inner_first ? outer : inner);
    p.QuantizeAndProject(y);
    p.On(outer);
    p.Join(inner);
    p.On(p.recorder().origin());
    p.QuantizeAndProject(x);
    p.Join(outer);
    EXPECT_EQ(RunCase(p).quantizers(), 2u) << inner_first;
  }
}

TEST(PublicCase, D35_CapturesThatWaitForEachOtherAreBothRefused) {
  CaseProgram programs[2];
  EventId events[2];
  for (int i : {0, 1}) {
    Recorder& r = programs[i].recorder();
    const Rows x = programs[i].Input(1, 64);
    programs[i].Add(x, x, programs[i].Buffer(1, 64));
    events[i] = r.NewEvent();
    EXPECT_OK(r.RecordEvent(events[i], r.origin()));
  }
  for (int i : {0, 1}) {
    Recorder& r = programs[i].recorder();
    EXPECT_THAT(r.WaitEvent(r.origin(), events[1 - i]),
                HasText("is not of this capture"));
    EXPECT_THAT(std::move(r).Finish(),
                HasCode(absl::StatusCode::kInvalidArgument));
  }
}

TEST(PublicCase, D38_NothingIsSharedAcrossAnEventOfTheOutside) {
  for (bool records : {false, true}) {
    CaseProgram p;
    Recorder& r = p.recorder();
    const Rows x = p.Input(1, 64);
    p.QuantizeAndProject(x);
    const EventId event = r.NewEvent();
    EXPECT_OK(records ? r.RecordExternalEvent(event, r.origin())
                      : r.WaitExternalEvent(r.origin(), event));
    p.QuantizeAndProject(x);
    const CaseRun run = RunCase(p);
    EXPECT_EQ(run.quantizers(), 2u);
    EXPECT_EQ(run.declined(DeclineReason::kOpaqueNode), 1);
  }
}

TEST(PublicCase, D38_AnEventBetweenQuantizerAndReaderKeepsBothWhereTheyAre) {
  CaseProgram p;
  Recorder& r = p.recorder();
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Norm(x, y);
  const auto image = p.ImagePlace(y);
  p.Quantize(y, image);
  EXPECT_OK(r.RecordExternalEvent(r.NewEvent(), r.origin()));
  p.Project(y, image);
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.quantizers(), 1u);
  EXPECT_EQ(run.emitting(), 0u);
}

}  // namespace
}  // namespace reprise::testing
