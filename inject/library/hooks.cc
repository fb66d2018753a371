#include "inject/hooks.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "capture/pack_list.h"
#include "driver/driver.h"
#include "inject/forced_failure.h"
#include "inject/linted_graphs.h"
#include "inject/program_graphs.h"
#include "inject/run_report.h"
#include "inject/settings.h"

namespace reprise {
namespace {

// Never destroyed: the program's last calls may come after this library's end.
ProgramGraphs* graphs = nullptr;
LintedGraphs* linted = nullptr;

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
    .code_unloads = [] { graphs->CodeUnloads(); },
    .context_ends = [](CUcontext context) { graphs->ContextEnds(context); },
    .primary_context_released =
        [](CUdevice device) { graphs->PrimaryContextReleased(device); },
};

constexpr Hooks kLintHooks = {
    .instantiated = [](CUgraphExec exec, CUgraph graph,
                       std::uint64_t) { linted->Instantiated(exec, graph); },
    .updated = [](CUgraphExec, CUgraph, CUresult) {},
    .kernel_params_set = [](CUgraphExec, CUgraphNode,
                            const CUDA_KERNEL_NODE_PARAMS*, CUresult) {},
    .changed = [](CUgraphExec, const char*) {},
    .upload = [](CUgraphExec, CUstream) {},
    .launch =
        [](CUgraphExec exec, CUstream stream, CUstream asked,
           CUresult (*original)(CUgraphExec, CUstream)) {
          return linted->Launch(exec, stream,
                                [&] { return original(exec, asked); });
        },
    .destroyed = [](CUgraphExec exec) { linted->Destroyed(exec); },
    .stream_ends = [](CUstream) {},
    .code_unloads = [] {},
    .context_ends = [](CUcontext context) { linted->ContextEnds(context); },
    .primary_context_released = [](CUdevice) {},
};

// One line, and the program goes on without us.
void Complain(const absl::Status& status) {
  std::fprintf(stderr, "reprise: not in use: %s\n",
               std::string(status.message()).c_str());
}

absl::StatusOr<Settings> ReadSettings() {
  return ParseSettings([](const char* name) { return std::getenv(name); });
}

// Null where the environment says that nothing is to be done.
absl::StatusOr<const Hooks*> MakeGraphs() {
  absl::StatusOr<Settings> settings = ReadSettings();
  if (!settings.ok()) return settings.status();
  if (settings->disabled) return nullptr;
  const absl::StatusOr<const Driver*> loaded = LoadDriver();
  if (!loaded.ok()) return loaded.status();
  absl::StatusOr<Driver> used =
      WithForcedFailure(**loaded, std::getenv("REPRISE_FAIL"));
  if (!used.ok()) return used.status();
  const Driver& driver = *new Driver(*used);
  absl::StatusOr<std::vector<Pack>> read = LoadPacks(settings->packs);
  if (!read.ok()) return read.status();
  const std::vector<Pack>& packs = *new std::vector<Pack>(*std::move(read));
  if (settings->lint) {
    linted = new LintedGraphs(driver, packs);
    return &kLintHooks;
  }
  PrepareOptions prepare;
  prepare.packs = packs;
  graphs = new ProgramGraphs(driver, *std::move(settings), prepare);
  return &kHooks;
}

const Hooks* Open() {
  const absl::StatusOr<const Hooks*> hooks = MakeGraphs();
  if (hooks.ok()) return *hooks;
  Complain(hooks.status());
  return nullptr;
}

ProgramCounts Counts() {
  if (linted != nullptr) return linted->counts();
  return graphs == nullptr ? ProgramCounts() : graphs->counts();
}

void Report() {
  const absl::StatusOr<Settings> settings = ReadSettings();
  if (!settings.ok() || settings->disabled) return;
  const absl::Status written = WriteReport(Counts(), *settings);
  if (!written.ok()) Complain(written);
}

}  // namespace
}  // namespace reprise

extern "C" const reprise::Hooks* reprise_open_hooks() {
  return reprise::Open();
}
extern "C" void reprise_report_run() { reprise::Report(); }
