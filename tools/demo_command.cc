// reprise demo: records a small decoder, plans it, runs both programs side by
// side and compares every byte that they leave.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/choice.h"
#include "tools/commands.h"
#include "tools/cuda_backend.h"
#include "tools/demo.h"
#include "tools/model_flags.h"
#include "tools/plan_flags.h"

namespace reprise {
namespace {

absl::Status RunDemo(const DemoFlags& flags) {
  if (flags.backend == Backend::kHost) return RunHostDemo(flags);
  if constexpr (kCudaBackend) {
    return RunCudaDemo(flags);
  } else {
    return NoCudaBackend("--backend cuda");
  }
}

}  // namespace

Action AddDemoCommand(CLI::App& app) {
  const auto flags = std::make_shared<DemoFlags>();
  AddChoice<Backend>(app, "--backend",
                     {{"host", Backend::kHost}, {"cuda", Backend::kCuda}},
                     flags->backend, "Where to run [host]");
  AddModelOptions(app, flags->model);
  app.add_option("--replays", flags->replays, "Replays to compare [32]")
      ->type_name("N");
  AddEventBranches(app, flags->plan);
  AddDeadStores(app, flags->plan);
  app.footer("Example: reprise demo --model moe --streams 3");
  return [flags] { return RunDemo(*flags); };
}

}  // namespace reprise
