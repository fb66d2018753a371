#include "replay/emission_probe.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/driver/scripted_state.h"
#include "tests/replay/scripted_probe.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr NodeId kNorm{0};
constexpr NodeId kQuantizer{1};
// Of two inputs, five kinds of floats each.
constexpr int kRounds = 25;

absl::Status Try(ScriptedProbe& scripted, EmissionProbe& probe,
                 const ImportedGraph& captured) {
  return probe.Try(captured, kNorm, kQuantizer, scripted.replacement);
}

absl::Status TryOnce(ScriptedProbe& scripted, bool in_place = false) {
  EmissionProbe probe(scripted.cuda);
  return Try(scripted, probe, scripted.Import(scripted.Graph(2, in_place)));
}

TEST(EmissionProbe, TakesAKernelThatLeavesTheSameBytes) {
  for (const bool in_place : {false, true}) {
    ScriptedProbe scripted;
    EXPECT_OK(TryOnce(scripted, in_place));
    EXPECT_EQ(scripted.driver.calls("LaunchKernel"), 3 * kRounds);
    EXPECT_EQ(scripted.driver.Leaks(), "");
  }
}

// Many launches on a second stream would slow the program down.
TEST(EmissionProbe, LaunchesAllItsKernelsAsOneGraph) {
  ScriptedProbe scripted;
  EXPECT_OK(TryOnce(scripted));
  EXPECT_EQ(scripted.driver.calls("GraphLaunch"), 1);
}

struct Mismatch {
  Fault fault;
  const char* message;
};

TEST(EmissionProbe, NamesTheFirstByteThatDiffers) {
  const Mismatch rows[] = {
      {Fault::kOutput,
       "probe_mismatch: byte 12 of the output of node 0 (norm)"},
      {Fault::kImage,
       "probe_mismatch: byte 2 of the image of node 0 (norm) is "
       "0x01, not 0x00"},
      {Fault::kPadding,
       "probe_mismatch: byte 540 of the image of node 0 (norm)"
       " is 0xa5, not 0x00"},
      {Fault::kGuard,
       "probe_mismatch: a byte outside the output and the image "
       "of node 0 (norm) is 0x00, not 0xa5"},
      {Fault::kInput,
       "probe_mismatch: a byte outside the output and the image"},
      {Fault::kIdle, "probe_mismatch: byte 0 of the output of node 0 (norm)"},
  };
  for (const Mismatch& row : rows) {
    ScriptedProbe scripted(row.fault);
    const absl::Status status = TryOnce(scripted);
    EXPECT_THAT(status, HasCode(absl::StatusCode::kDataLoss));
    EXPECT_TRUE(absl::StartsWith(status.message(), row.message)) << status;
    EXPECT_EQ(scripted.driver.Leaks(), "");
  }
}

TEST(EmissionProbe, TakesNothingForAnImageThatNobodyWrote) {
  ScriptedProbe scripted(Fault::kIdle);
  scripted.quantizes = false;
  EXPECT_THAT(TryOnce(scripted),
              HasText("the quantizer of node 0 (norm) left no image"));
}

TEST(EmissionProbe, WorksOnItsOwnStreamWhileOthersMayCapture) {
  ScriptedProbe scripted;
  const ImportedGraph captured = scripted.Import(scripted.Graph());
  scripted.driver.ClearRows();
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  scripted.driver.SetBody(scripted.replacement, [&](const auto&) {
    mode = ScriptedDriver::state().mode;
  });
  EmissionProbe probe(scripted.cuda);
  EXPECT_THAT(Try(scripted, probe, captured), HasText("probe_mismatch"));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  const std::string rows = scripted.driver.rows();
  EXPECT_TRUE(absl::StrContains(rows, "\nStreamCreate s1\n"));
  EXPECT_FALSE(absl::StrContains(rows, " s0 "));
}

TEST(EmissionProbe, TriesEachLaunchOfEachFunctionOnce) {
  ScriptedProbe scripted;
  EmissionProbe probe(scripted.cuda);
  const ImportedGraph captured = scripted.Import(scripted.Graph(2));
  const auto launches = [&](const ImportedGraph& graph) {
    const int before = scripted.driver.calls("LaunchKernel");
    EXPECT_OK(Try(scripted, probe, graph));
    return scripted.driver.calls("LaunchKernel") - before;
  };
  EXPECT_EQ(launches(captured), 3 * kRounds);
  EXPECT_EQ(launches(captured), 0);
  EXPECT_EQ(launches(scripted.Import(scripted.Graph(2))), 0);
  EXPECT_EQ(launches(scripted.Import(scripted.Graph(3))), 3 * kRounds);
  EXPECT_EQ(launches(scripted.Import(scripted.Graph(2, /*in_place=*/true))),
            3 * kRounds);
  // Code that was unloaded may have been theirs.
  probe.Forget();
  EXPECT_EQ(launches(captured), 3 * kRounds);
}

TEST(EmissionProbe, RemembersAMismatchButNoFailedCall) {
  ScriptedProbe scripted(Fault::kImage);
  EmissionProbe probe(scripted.cuda);
  const ImportedGraph captured = scripted.Import(scripted.Graph());
  scripted.driver.FailCall("MemAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(Try(scripted, probe, captured),
              HasCode(absl::StatusCode::kResourceExhausted));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Try(scripted, probe, captured),
                HasCode(absl::StatusCode::kDataLoss));
    EXPECT_EQ(scripted.driver.calls("LaunchKernel"), 3 * kRounds);
  }
}

// Those that give back say nothing about the bytes.
bool IsHarmless(const std::string& rows) {
  for (const char* call : {"ThreadExchangeStreamCaptureMode", "StreamDestroy",
                           "MemFree", "GraphDestroy", "GraphExecDestroy"}) {
    if (absl::StrContains(rows, absl::StrCat(call, " fails"))) return true;
  }
  return false;
}

TEST(EmissionProbe, TakesNothingForGrantedWhicheverCallFails) {
  int failures = 0;
  for (int n = 1;; ++n) {
    SCOPED_TRACE(n);
    ScriptedProbe scripted;
    const ImportedGraph captured = scripted.Import(scripted.Graph());
    const int before = scripted.driver.calls();
    scripted.driver.FailCall(n, CUDA_ERROR_LAUNCH_FAILED);
    EmissionProbe probe(scripted.cuda);
    const absl::Status status = Try(scripted, probe, captured);
    if (scripted.driver.calls() - before < n) break;
    if (IsHarmless(scripted.driver.rows())) {
      EXPECT_OK(status);
      continue;
    }
    EXPECT_THAT(status, HasText("CUDA_ERROR_LAUNCH_FAILED"));
    EXPECT_EQ(scripted.driver.Leaks(), "");
    ++failures;
  }
  EXPECT_GT(failures, 7 * kRounds);
}

struct Prepared {
  Outcome outcome;
  EmittedGraph emitted;  // empty where there is nothing to rewrite
};

Prepared Prepare(ScriptedProbe& scripted, CUgraph graph,
                 const PrepareOptions& options) {
  GraphPreparer preparer(scripted.cuda, options);
  absl::StatusOr<ImportedGraph> captured = preparer.Import(graph);
  EXPECT_OK(captured);
  Prepared prepared = {preparer.Decide(*captured), {}};
  if (prepared.outcome.plan.empty()) return prepared;
  absl::StatusOr<EmittedGraph> emitted =
      preparer.Emit(graph, *captured, prepared.outcome.plan, {});
  EXPECT_OK(emitted);
  prepared.emitted = *std::move(emitted);
  return prepared;
}

Prepared Prepare(ScriptedProbe& scripted) {
  return Prepare(scripted, scripted.Graph(), scripted.options());
}

TEST(GraphPreparer, UsesAReplacementThatLeavesTheSameBytes) {
  ScriptedProbe scripted;
  const Prepared prepared = Prepare(scripted);
  EXPECT_TRUE(prepared.outcome.missing.empty());
  const std::string arena = absl::StrCat(
      "0x", absl::Hex(prepared.emitted.arena->allocation().address));
  EXPECT_EQ(scripted.driver.TextOf(prepared.emitted.graph.get()),
            "0: norm_emit(40bytes)\n2: matvec(0x6000 " + arena +
                " 0xa000) after 0\n");
}

TEST(GraphPreparer, LeavesAProducerAloneWhoseReplacementLeavesOtherBytes) {
  ScriptedProbe scripted(Fault::kPadding);
  const Prepared prepared = Prepare(scripted);
  EXPECT_EQ(ToText(prepared.outcome.plan), "decline probe_mismatch n1: n0\n");
  ASSERT_EQ(prepared.outcome.missing.size(), 1u);
  EXPECT_EQ(prepared.outcome.missing[0].producer, kNorm);
  EXPECT_THAT(prepared.outcome.missing[0].why,
              HasText("byte 540 of the image"));
  EXPECT_FALSE(prepared.emitted.graph);
}

TEST(GraphPreparer, LeavesTheOriginalWhicheverCallOfAProbeFails) {
  for (const char* call :
       {"StreamCreate", "StreamBeginCapture", "LaunchKernel",
        "StreamEndCapture", "GraphInstantiateWithParams", "MemcpyHtoDAsync",
        "GraphLaunch", "MemcpyDtoHAsync", "StreamSynchronize"}) {
    SCOPED_TRACE(call);
    ScriptedProbe scripted;
    scripted.driver.FailCall(call, 1, CUDA_ERROR_NOT_SUPPORTED);
    const Prepared prepared = Prepare(scripted);
    EXPECT_EQ(ToText(prepared.outcome.plan), "decline probe_mismatch n1: n0\n");
    ASSERT_EQ(prepared.outcome.missing.size(), 1u);
    EXPECT_THAT(prepared.outcome.missing[0].why,
                HasText("CUDA_ERROR_NOT_SUPPORTED"));
    EXPECT_FALSE(prepared.emitted.graph);
  }
}

TEST(GraphPreparer, TriesNothingWhereNobodyIsToEmit) {
  ScriptedProbe scripted;
  PrepareOptions options = scripted.options();
  options.plan.emission = false;
  const Prepared prepared = Prepare(scripted, scripted.Graph(), options);
  EXPECT_TRUE(prepared.outcome.missing.empty());
  EXPECT_EQ(scripted.driver.calls("StreamCreate"), 0);
}

TEST(GraphPreparer, SharesWhatAProbeFoundOut) {
  ScriptedProbe scripted;
  PrepareOptions options = scripted.options();
  options.probe = std::make_shared<EmissionProbe>(scripted.cuda);
  const CUgraph graph = scripted.Graph();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Prepare(scripted, graph, options).emitted.graph);
  }
  EXPECT_EQ(scripted.driver.calls("LaunchKernel"), 3 * kRounds);
}

}  // namespace
}  // namespace reprise::testing
