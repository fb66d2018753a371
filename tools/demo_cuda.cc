#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/decoder/device_decoder.h"
#include "examples/decoder/device_handles.h"
#include "examples/decoder/greedy_run.h"
#include "planner/rewrite.h"
#include "planner/summary.h"
#include "replay/loop.h"
#include "tools/demo.h"
#include "tools/demo_report.h"
#include "tools/gpu.h"
#include "tools/plan_report.h"
#include "tools/progress.h"

namespace reprise {
namespace {

using decoder::DeviceDecoder;
using decoder::GreedyStep;

constexpr int kGreedySteps = 32;

Loop MakeLoop(const DemoFlags& flags, const DeviceDecoder& decoder,
              VerifyMode verify) {
  LoopOptions options;
  options.executable.prepare.plan = flags.plan;
  options.executable.prepare.plan.outputs =
      decoder::OutputsOf(decoder.program());
  options.verify = verify;
  options.verify_every = 1;
  return Loop("demo", std::move(options));
}

// A run that rewrote nothing is no proof of anything.
absl::Status CheckRewritten(const Loop& loop) {
  if (!loop.status().ok()) return loop.status();
  if (loop.outcome()->rewritten) return absl::OkStatus();
  return absl::FailedPreconditionError("there was nothing to rewrite");
}

// Each replay by both graphs, from the same bytes.
absl::Status Replay(const DemoFlags& flags, DeviceDecoder& decoder, Loop& loop,
                    CUstream stream) {
  Progress progress(flags.replays);
  for (int replay = 0; replay < flags.replays; ++replay) {
    progress.At(replay);
    if (absl::Status s = decoder.Refresh(replay, stream); !s.ok()) return s;
    const absl::Status ran =
        loop.Run(stream, [&] { return decoder.Step(stream); });
    if (!ran.ok()) return ran;
    if (loop.difference()) return absl::OkStatus();
  }
  return CheckRewritten(loop);
}

// Without Reprise and with it, from the same memory.
absl::StatusOr<bool> GreedyRunsAgree(const DemoFlags& flags,
                                     DeviceDecoder& decoder, CUstream stream) {
  const auto step = [&] { return decoder.Step(stream); };
  const absl::StatusOr<std::vector<GreedyStep>> plain =
      decoder::RunGreedily(decoder, kGreedySteps, stream, step);
  if (!plain.ok()) return plain.status();
  Loop loop = MakeLoop(flags, decoder, VerifyMode::kOff);
  const absl::StatusOr<std::vector<GreedyStep>> replayed = decoder::RunGreedily(
      decoder, kGreedySteps, stream, [&] { return loop.Run(stream, step); });
  if (!replayed.ok()) return replayed.status();
  if (absl::Status s = CheckRewritten(loop); !s.ok()) return s;
  return decoder::SameBytes(*plain, *replayed);
}

}  // namespace

absl::Status RunCudaDemo(const DemoFlags& flags) {
  if (flags.replays < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("replays: ", flags.replays, " is less than 1"));
  }
  const absl::StatusOr<const Driver*> driver = OpenGpu();
  if (!driver.ok()) return driver.status();
  // Declared first: what launches on it waits for it when it goes.
  const absl::StatusOr<decoder::OwnedStream> owned = decoder::MakeStream();
  if (!owned.ok()) return owned.status();
  CUstream stream = owned->get();
  absl::StatusOr<DeviceDecoder> decoder =
      DeviceDecoder::Create(**driver, flags.model);
  if (!decoder.ok()) return decoder.status();
  const absl::StatusOr<CapturedStep> captured =
      CaptureStep(**driver, *decoder, stream);
  if (!captured.ok()) return captured.status();
  const Graph& graph = captured->graph;

  Loop loop = MakeLoop(flags, *decoder, VerifyMode::kEveryN);
  const absl::Status replayed = Replay(flags, *decoder, loop, stream);
  if (!replayed.ok()) return replayed;
  const Plan& plan = loop.outcome()->plan;
  const Summary summary = Summarize(graph, plan);
  std::string report = absl::StrCat(
      Headline(flags.model, "the GPU", summary.before),
      LaunchTable(graph, Rewrite(graph, plan, FreeAddress(graph))), "\n",
      RewriteLines(summary), DeclineLines(graph, summary),
      LoopVerdictText(graph, loop.counts().verified, loop.difference()));
  if (loop.difference()) {
    std::fputs(report.c_str(), stdout);
    return OtherBytes();
  }

  const absl::StatusOr<bool> agree = GreedyRunsAgree(flags, *decoder, stream);
  if (!agree.ok()) return agree.status();
  report += GreedyText(kGreedySteps * flags.model.tokens, *agree);
  std::fputs(report.c_str(), stdout);
  return *agree ? absl::OkStatus() : OtherBytes();
}

}  // namespace reprise
