#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "examples/decoder/device_decoder.h"
#include "examples/decoder/device_handles.h"
#include "planner/ledger.h"
#include "planner/rewrite.h"
#include "planner/summary.h"
#include "replay/chrome_trace.h"
#include "replay/device_executable.h"
#include "replay/launch_counter.h"
#include "tools/gpu.h"
#include "tools/launch_report.h"
#include "tools/ledger_report.h"
#include "tools/measure_images.h"
#include "tools/replay_timer.h"
#include "tools/report.h"

namespace reprise {
namespace {

using decoder::DeviceDecoder;

// A launch and the wait for its end, as a count needs it.
absl::Status AndWait(const Driver& driver, absl::Status launched,
                     CUstream stream) {
  if (!launched.ok()) return launched;
  return CudaStatus(driver, driver.StreamSynchronize(stream),
                    "wait for a replay");
}

absl::Status WriteTrace(const std::string& path, const Graph& graph,
                        Workload replay) {
  const absl::StatusOr<std::vector<NodeRecord>> records =
      RecordLaunches(replay);
  if (!records.ok()) {
    return absl::Status(records.status().code(),
                        absl::StrCat("--trace: ", records.status().message()));
  }
  std::ofstream file(path, std::ios::binary);
  file << ChromeTrace(graph, *records);
  file.flush();
  if (file) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("cannot write ", path));
}

// By line of the ledger: what the replays of each graph launched. `records` are
// those of the captured graph and then those of the rewritten one.
void CountImages(const Graph& graph, const Rewritten& rewritten,
                 absl::Span<const LedgerLine> ledger,
                 absl::Span<const std::vector<NodeRecord>> records,
                 std::vector<MeasuredImages>& measured) {
  std::vector<NodeId> as_captured(graph.num_nodes());
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    as_captured[n] = NodeId{n};
  }
  const auto quantizers = QuantizersOf(graph, ledger);
  const auto was = RanByLine(quantizers, graph, as_captured, records[0]);
  const auto is =
      RanByLine(quantizers, rewritten.graph, rewritten.origin, records[1]);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i].counted = BeforeAfter{was[i], is[i]};
  }
}

struct ImageReport {
  std::vector<LedgerLine> ledger;
  std::vector<MeasuredImages> measured;
};

void Print(const ReportFlags& flags, const Summary& summary,
           const LaunchReport& report, const ImageReport& images) {
  std::string text;
  switch (flags.format) {
    case ReportFormat::kText:
      text = LaunchText(report) + PredictionText(summary, report) + "\n" +
             LedgerTable(images.ledger, images.measured);
      break;
    case ReportFormat::kJson:
      text = LaunchJson(report, images.ledger, images.measured);
      break;
    case ReportFormat::kCsv:
      text = LaunchCsv(report);
      break;
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

absl::Status RunReport(const ReportFlags& flags) {
  if (flags.replays < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("replays: ", flags.replays, " is less than 1"));
  }
  const absl::StatusOr<const Driver*> opened = OpenGpu();
  if (!opened.ok()) return opened.status();
  const Driver& driver = **opened;
  // Declared first: an executable waits for it when it goes.
  const absl::StatusOr<decoder::OwnedStream> owned = decoder::MakeStream();
  if (!owned.ok()) return owned.status();
  CUstream stream = owned->get();
  absl::StatusOr<DeviceDecoder> decoder =
      DeviceDecoder::Create(driver, flags.model);
  if (!decoder.ok()) return decoder.status();
  absl::Status refreshed = decoder->Refresh(0, stream);
  if (!refreshed.ok()) return refreshed;
  absl::StatusOr<CapturedStep> captured = CaptureStep(driver, *decoder, stream);
  if (!captured.ok()) return captured.status();
  const Graph& graph = captured->graph;

  DeviceOptions options;
  options.prepare.plan = flags.plan;
  options.prepare.plan.outputs = decoder::OutputsOf(decoder->program());
  absl::StatusOr<DeviceExecutable> executable = DeviceExecutable::Create(
      driver, std::move(captured->handle), std::move(options));
  if (!executable.ok()) return executable.status();
  const Outcome& outcome = executable->outcome();
  if (!outcome.declined.ok()) return outcome.declined;
  const Rewritten rewritten =
      Rewrite(graph, outcome.plan, executable->arena().address);

  const auto original = [&] { return executable->LaunchOriginal(stream); };
  const auto planned = [&] { return executable->Launch(stream); };
  // Timed first, without a profiler.
  const absl::StatusOr<std::vector<ReplayTime>> times =
      TimeReplays(stream, {original, planned});
  if (!times.ok()) return times.status();
  ImageReport images = {MakeLedger(graph, outcome.plan), {}};
  absl::StatusOr<std::vector<MeasuredImages>> measured =
      TimeImages(driver, graph, outcome.plan, images.ledger, stream);
  if (!measured.ok()) return measured.status();
  images.measured = *std::move(measured);

  const auto replay_original = [&] {
    return AndWait(driver, original(), stream);
  };
  const auto replay_planned = [&] {
    return AndWait(driver, planned(), stream);
  };
  std::vector<std::vector<NodeRecord>> records;
  const auto record = [&](Workload run) {
    absl::StatusOr<std::vector<NodeRecord>> ran = RecordLaunches(run);
    if (ran.ok()) records.push_back(*ran);
    return ran;
  };
  absl::StatusOr<LaunchReport> report =
      ReportLaunches(graph, rewritten, replay_original, replay_planned,
                     static_cast<std::uint64_t>(flags.replays), record);
  if (!report.ok()) return report.status();
  report->times = ReplayTimes{(*times)[0], (*times)[1]};
  if (report->replays > 0) {
    CountImages(graph, rewritten, images.ledger, records, images.measured);
  }
  Print(flags, Summarize(graph, outcome.plan), *report, images);

  if (!flags.trace.empty()) {
    absl::Status written =
        WriteTrace(flags.trace, rewritten.graph, replay_planned);
    if (!written.ok()) return written;
  }
  std::vector<std::string> mismatches = Mismatches(*report);
  for (std::string& line :
       Mismatches(images.ledger, images.measured, report->replays)) {
    mismatches.push_back(std::move(line));
  }
  return mismatches.empty() ? absl::OkStatus()
                            : absl::DataLossError(mismatches.front());
}

}  // namespace reprise
