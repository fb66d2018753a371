// reprise report: captures a step of the decoder on a GPU, rewrites it, times
// both graphs, and counts what they launch.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/commands.h"
#include "tools/cuda_backend.h"
#include "tools/model_flags.h"
#include "tools/plan_flags.h"
#include "tools/report.h"

namespace reprise {
namespace {

absl::Status Report(const ReportFlags& flags) {
  if constexpr (kCudaBackend) {
    return RunReport(flags);
  } else {
    return NoCudaBackend("a GPU is needed");
  }
}

}  // namespace

Action AddReportCommand(CLI::App& app) {
  const auto flags = std::make_shared<ReportFlags>();
  AddModelOptions(app, flags->model);
  app.add_option("--replays", flags->replays, "Replays to count [3]")
      ->type_name("N");
  AddEventBranches(app, flags->plan);
  AddDeadStores(app, flags->plan);
  CLI::Option* json = app.add_flag_callback(
      "--json", [flags] { flags->format = ReportFormat::kJson; },
      "Print one JSON object");
  app.add_flag_callback(
         "--csv", [flags] { flags->format = ReportFormat::kCsv; },
         "Print a line a kernel")
      ->excludes(json);
  app.add_option("--trace", flags->trace,
                 "Write a replay's time line, for Perfetto")
      ->type_name("FILE");
  app.footer("Example: reprise report --layers 24 --trace replay.json");
  return [flags] { return Report(*flags); };
}

}  // namespace reprise
