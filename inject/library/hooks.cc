#include "inject/hooks.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "capture/pack.h"
#include "driver/driver.h"
#include "inject/forced_failure.h"
#include "inject/program_graphs.h"
#include "inject/run_report.h"
#include "inject/settings.h"

namespace reprise {
namespace {

// Never destroyed: the program's last calls may come after this library's end.
ProgramGraphs* graphs = nullptr;

constexpr Hooks kHooks = {
    .instantiated =
        [](CUgraphExec exec, CUgraph graph, std::uint64_t flags) {
          graphs->Instantiated(exec, graph, flags);
        },
    .updated = [](CUgraphExec exec, CUgraph graph,
                  CUresult result) { graphs->Updated(exec, graph, result); },
    .kernel_params_set =
        [](CUgraphExec exec, CUgraphNode node,
           const CUDA_KERNEL_NODE_PARAMS* params, CUresult result) {
          graphs->KernelParamsSet(exec, node, *params, result);
        },
    .changed = [](CUgraphExec exec,
                  const char* call) { graphs->Changed(exec, call); },
    .upload = [](CUgraphExec exec,
                 CUstream stream) { graphs->Upload(exec, stream); },
    .launch =
        [](CUgraphExec exec, CUstream stream, CUstream asked,
           CUresult (*original)(CUgraphExec, CUstream)) {
          return graphs->Launch(exec, stream,
                                [&] { return original(exec, asked); });
        },
    .destroyed = [](CUgraphExec exec) { graphs->Destroyed(exec); },
    .stream_ends = [](CUstream stream) { graphs->StreamEnds(stream); },
    .give_up_all = [](const char* why) { graphs->GiveUpAll(why); },
};

// One line, and the program goes on without us.
void Complain(const absl::Status& status) {
  std::fprintf(stderr, "reprise: not in use: %s\n",
               std::string(status.message()).c_str());
}

absl::StatusOr<Settings> ReadSettings() {
  return ParseSettings([](const char* name) { return std::getenv(name); });
}

absl::StatusOr<ProgramGraphs*> MakeGraphs() {
  absl::StatusOr<Settings> settings = ReadSettings();
  if (!settings.ok()) return settings.status();
  if (settings->disabled) return nullptr;
  const absl::StatusOr<const Driver*> driver = LoadDriver();
  if (!driver.ok()) return driver.status();
  absl::StatusOr<Driver> used =
      WithForcedFailure(**driver, std::getenv("REPRISE_FAIL"));
  if (!used.ok()) return used.status();
  absl::StatusOr<std::vector<Pack>> packs = PacksOf(*settings);
  if (!packs.ok()) return packs.status();
  PrepareOptions prepare;
  prepare.packs = *new std::vector<Pack>(*std::move(packs));
  return new ProgramGraphs(*new Driver(*used), *std::move(settings), prepare);
}

const Hooks* Open() {
  const absl::StatusOr<ProgramGraphs*> made = MakeGraphs();
  if (!made.ok()) Complain(made.status());
  graphs = made.ok() ? *made : nullptr;
  return graphs == nullptr ? nullptr : &kHooks;
}

void Report() {
  const absl::StatusOr<Settings> settings = ReadSettings();
  if (!settings.ok() || settings->disabled) return;
  const absl::Status written = WriteReport(
      graphs == nullptr ? RunCounts() : graphs->counts(), *settings);
  if (!written.ok()) Complain(written);
}

}  // namespace
}  // namespace reprise

extern "C" const reprise::Hooks* reprise_open_hooks() {
  return reprise::Open();
}
extern "C" void reprise_report_run() { reprise::Report(); }
