// Faults reported in public: stale images, aliasing, reused memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "planner/rewrite.h"
#include "tests/cases/case_program.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using decoder::Address;
using decoder::Rows;

TEST(PublicCase, D01_NewContentsAtTheSameAddressKeepTheSecondQuantizer) {
  CaseProgram p;
  const Rows a = p.Input(1, 64), b = p.Input(1, 64), y = p.Buffer(1, 64);
  const Address image = p.ImagePlace(y);
  p.Add(a, b, y);
  p.Quantize(y, image);
  p.Project(y, image);
  p.Add(a, a, y);
  p.Quantize(y, image);
  p.Project(y, image);
  EXPECT_EQ(RunCase(p).quantizers(), 2u);
}

// The memory starts with the right images of the first replay.
TEST(PublicCase, D02_AnImageThatIsThereAlreadyIsStillWrittenEachReplay) {
  for (bool emission : {false, true}) {
    CaseProgram p;
    const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
    const Address image = p.ImagePlace(y);
    p.Norm(x, y);
    for (int i = 0; i < 2; ++i) {
      p.Quantize(y, image);
      p.Project(y, image);
    }
    const Graph graph = p.Finish();
    p.Refresh(0, p.memory());
    auto warm = HostExecutable::Create(graph, p.memory());
    ASSERT_OK(warm);
    warm->Launch();
    const CaseRun run =
        RunCase(p, p.memory(), graph, {.plan = {.emission = emission}});
    EXPECT_EQ(run.quantizers(), emission ? 0u : 1u);
    EXPECT_EQ(run.emitting(), emission ? 1u : 0u);
  }
}

// y is quantized twice; in between `from` is copied to `to`, which may be y.
CaseRun RunWithCopy(bool to_y, bool other_source) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), other = p.Input(1, 64), y = p.Buffer(1, 64);
  const Rows elsewhere = p.Buffer(1, 64);
  p.Add(x, x, y);
  p.QuantizeAndProject(y);
  EXPECT_OK(p.recorder().CopyBytes(
      p.recorder().origin(), to_y ? y.address : elsewhere.address,
      other_source ? other.address : x.address, 256));
  p.QuantizeAndProject(y);
  p.QuantizeAndProject(elsewhere);
  return RunCase(p);
}

TEST(PublicCase, D03_ACopyRecordedAnewToAnotherTargetIsPlannedAnew) {
  EXPECT_EQ(RunWithCopy(false, false).quantizers(), 2u);
  EXPECT_EQ(RunWithCopy(true, false).quantizers(), 3u);
}

TEST(PublicCase, D04_ACopyRecordedAnewFromAnotherSourceIsPlannedAnew) {
  EXPECT_EQ(RunWithCopy(false, true).quantizers(), 2u);
  EXPECT_EQ(RunWithCopy(true, true).quantizers(), 3u);
}

TEST(PublicCase, D06_AnOutputThatPartlyOverlapsItsInputIsNotEmitted) {
  CaseProgram p;
  const Rows both = p.Input(1, 80);
  const Rows x{both.address, 1, 64}, y{both.address + 64, 1, 64};
  p.Norm(x, y);
  p.QuantizeAndProject(y);
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.emitting(), 0u);
  EXPECT_EQ(run.quantizers(), 1u);
  EXPECT_EQ(run.declined(DeclineReason::kPartialOverlap), 1);
}

TEST(PublicCase, D07_ANormInPlaceEmits) {
  CaseProgram p;
  const Rows x = p.Input(1, 64);
  p.Norm(x, x);
  p.QuantizeAndProject(x);
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.emitting(), 1u);
  EXPECT_EQ(run.quantizers(), 0u);
}

TEST(PublicCase, D07_ANormOfASumInPlaceEmits) {
  CaseProgram p;
  const Rows a = p.Input(1, 64), b = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Add(a, b, b);
  p.Norm(b, y);
  p.QuantizeAndProject(y);
  EXPECT_EQ(RunCase(p).emitting(), 1u);
}

TEST(PublicCase, D09_AWriteInPlaceBetweenTwoReadersMakesTwoImages) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Norm(x, y);
  p.QuantizeAndProject(y);
  p.Add(y, x, y);
  p.QuantizeAndProject(y);
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.emitting(), 1u);
  EXPECT_EQ(run.quantizers(), 1u);
}

TEST(PublicCase, D10_PartOfAViewSharesNoImageWithTheWhole) {
  CaseProgram p;
  const Rows x = p.Input(1, 128), y = p.Buffer(1, 128);
  const Rows half{y.address + 256, 1, 64};
  p.Add(x, x, y);
  p.QuantizeAndProject(y);
  p.QuantizeAndProject(half);
  EXPECT_EQ(RunCase(p).quantizers(), 2u);
}

TEST(PublicCase, D10_PartOfAnOutputIsNotEmitted) {
  CaseProgram p;
  const Rows x = p.Input(1, 128), y = p.Buffer(1, 128);
  p.Norm(x, y);
  p.QuantizeAndProject({y.address, 1, 64});
  p.QuantizeAndProject({y.address + 256, 1, 64});
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.emitting(), 0u);
  EXPECT_EQ(run.quantizers(), 2u);
}

// The origin makes and drops two images while the branch still reads its own.
TEST(PublicCase, D11_ABranchKeepsItsImageUntilTheJoin) {
  CaseProgram p;
  const Rows x = p.Input(1, 64);
  const StreamId branch = p.Fork();
  p.On(branch);
  const Rows y = p.Buffer(1, 64);
  p.Norm(x, y);
  p.QuantizeAndProject(y);
  p.On(p.recorder().origin());
  const Rows z = p.Buffer(1, 64);
  const Address scratch = p.ImagePlace(z);
  for (int i = 0; i < 2; ++i) {
    p.Norm(i == 0 ? x : z, z);
    p.Quantize(z, scratch);
    p.Project(z, scratch);
  }
  p.Join(branch);
  p.Norm(p.Input(1, 64), y);
  p.QuantizeAndProject(y);
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.emitting(), 4u);
  // Only the two of the origin, and what comes after the join, share bytes.
  EXPECT_GE(run.plan.arena.bytes, 2u * 576);
  EXPECT_LT(run.plan.arena.bytes, 3u * 576);
}

TEST(PublicCase, D13_EveryReplayWritesEveryImageAnew) {
  CaseProgram p;
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Norm(x, y);
  p.QuantizeAndProject(y);
  p.QuantizeAndProject(x);
  p.QuantizeAndProject(x);
  const Verdict verdict = RunCase(p).verdict;
  EXPECT_EQ(verdict.rewritten.emitting, verdict.rewritten.replays);
  EXPECT_EQ(verdict.rewritten.quantizers, verdict.rewritten.replays);
}

// The program's own scratch holds other bytes before each replay. `shift` more
// bytes lie before everything else.
CaseRun RunWithLostScratch(std::uint64_t shift) {
  CaseProgram p;
  if (shift > 0) p.memory().Add("shift", shift);
  const Rows x = p.Input(1, 64), y = p.Buffer(1, 64);
  p.Norm(x, y);
  const Address places[] = {p.ImagePlace(y), p.ImagePlace(y)};
  for (Address place : places) {
    p.Quantize(y, place);
    p.Project(y, place);
  }
  CaseOptions options;
  options.refresh = [&](int replay, HostMemory& memory) {
    for (Address place : places) {
      EXPECT_OK(memory.Write(
          place, std::vector<std::uint8_t>(
                     576, static_cast<std::uint8_t>(replay * 31 + 1))));
    }
  };
  CaseRun run = RunCase(p, options);
  EXPECT_EQ(run.emitting(), 1u);
  return run;
}

TEST(PublicCase, D14_ImagesLiveInMemoryOfTheExecutable) {
  const CaseRun run = RunWithLostScratch(0);
  EXPECT_EQ(run.plan.arena.sum_of_images, 576u);
  const std::uint64_t arena = FreeAddress(run.graph);
  for (const Allocation& a : run.graph.allocations()) {
    EXPECT_GE(arena, a.end());
  }
}

TEST(PublicCase, D14_OtherAddressesGiveTheSamePlan) {
  const CaseRun here = RunWithLostScratch(0);
  const CaseRun there = RunWithLostScratch(0x5000);
  EXPECT_EQ(here.plan, there.plan);
  EXPECT_NE(here.graph.launch(NodeId{0}).bytes,
            there.graph.launch(NodeId{0}).bytes);
}

}  // namespace
}  // namespace reprise::testing
