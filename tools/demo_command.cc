// reprise demo: records a small decoder, plans it, runs both programs side by
// side and compares every byte that they leave.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "examples/decoder/decoder.h"
#include "planner/planner.h"
#include "planner/rewrite.h"
#include "planner/summary.h"
#include "replay/verify.h"
#include "tools/choice.h"
#include "tools/commands.h"
#include "tools/demo_report.h"
#include "tools/plan_flags.h"
#include "tools/plan_report.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

enum class Backend { kHost, kCuda };

struct DemoFlags {
  Backend backend = Backend::kHost;
  int replays = 32;
  decoder::Options model;
  PlanOptions plan;
};

// Says once a second how far the replays are.
class Progress {
 public:
  explicit Progress(int replays) : replays_(replays) {}
  ~Progress() {
    if (shown_ && on_terminal_) std::fputs("\r\x1b[K", stderr);
  }

  void At(int replay) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(1);
    std::fprintf(stderr, "%sreplay %d of %d%s", on_terminal_ ? "\r" : "",
                 replay, replays_, on_terminal_ ? "" : "\n");
    shown_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  const int replays_;
  const bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
  bool shown_ = false;
};

std::string Headline(const DemoFlags& flags, const GraphCounts& counts) {
  const decoder::Options& model = flags.model;
  return absl::StrCat(model.model == decoder::Model::kMoe ? "moe " : "dense ",
                      InfoOf(model.format).name,
                      " decoder on the host: ", Counted(model.layers, "layer"),
                      ", ", Counted(model.tokens, "token"), " a step, ",
                      Counted(counts.streams, "stream"), ", ", counts.nodes,
                      " nodes\n\n");
}

absl::Status RunDemo(const DemoFlags& flags) {
  if (flags.backend == Backend::kCuda) {
    return absl::UnimplementedError(
        "--backend cuda: this build has no CUDA support");
  }
  const absl::StatusOr<decoder::Decoder> built = decoder::Build(flags.model);
  if (!built.ok()) return built.status();
  const Graph& graph = built->graph;
  const absl::StatusOr<Plan> plan = MakePlan(graph, flags.plan);
  if (!plan.ok()) return plan.status();
  const Allocation arena = {FreeAddress(graph), plan->arena.bytes};
  const Rewritten rewritten = Rewrite(graph, *plan, arena.address);

  Progress progress(flags.replays);
  const auto refresh = [&](int replay, HostMemory& memory) {
    progress.At(replay);
    decoder::Refresh(*built, replay, memory);
  };
  const absl::StatusOr<Verdict> verdict =
      VerifyRewritten(graph, rewritten, arena, built->memory, refresh,
                      {.replays = flags.replays});
  if (!verdict.ok()) return verdict.status();

  const Summary summary = Summarize(graph, *plan);
  const std::string report =
      absl::StrCat(Headline(flags, summary.before),
                   LaunchTable(graph, rewritten), "\n", RewriteLines(summary),
                   DeclineLines(graph, summary), VerdictText(graph, *verdict));
  std::fputs(report.c_str(), stdout);
  if (verdict->equal()) return absl::OkStatus();
  return absl::DataLossError(
      "the planned program does not leave the bytes of the recorded one");
}

void AddModelOptions(CLI::App& app, decoder::Options& model) {
  AddChoice<decoder::Model>(
      app, "--model",
      {{"dense", decoder::Model::kDense}, {"moe", decoder::Model::kMoe}},
      model.model, "Feed-forward blocks [dense]");
  app.add_option_function<std::string>(
         "--format",
         [&model](const std::string& name) {
           const auto format = FindWeightFormat(name);
           if (!format) {
             throw CLI::ValidationError("no weight format '" + name + "'");
           }
           model.format = *format;
         },
         "Weights: a format such as q4_0, q4_k or iq2_xs [q4_0]")
      ->type_name("NAME");
  app.add_option("--layers", model.layers, "Layers [2]")->type_name("N");
  app.add_option("--tokens", model.tokens, "Tokens a step, 1 to 8 [1]")
      ->type_name("N");
  app.add_option("--streams", model.streams,
                 "1, or 3: K and V on streams of their own [1]")
      ->type_name("N");
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
  app.footer("Example: reprise demo --model moe --streams 3");
  return [flags] { return RunDemo(*flags); };
}

}  // namespace reprise
