#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "examples/decoder/decoder.h"
#include "planner/planner.h"
#include "planner/rewrite.h"
#include "planner/summary.h"
#include "replay/verify.h"
#include "tools/demo.h"
#include "tools/demo_report.h"
#include "tools/plan_report.h"
#include "tools/progress.h"

namespace reprise {

absl::Status RunHostDemo(const DemoFlags& flags) {
  const absl::StatusOr<decoder::Decoder> built = decoder::Build(flags.model);
  if (!built.ok()) return built.status();
  const Graph& graph = built->graph;
  PlanOptions options = flags.plan;
  options.outputs = decoder::OutputsOf(*built);
  const absl::StatusOr<Plan> plan = MakePlan(graph, options);
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
      absl::StrCat(Headline(flags.model, "the host", summary.before),
                   LaunchTable(graph, rewritten), "\n", RewriteLines(summary),
                   DeclineLines(graph, summary), VerdictText(graph, *verdict));
  std::fputs(report.c_str(), stdout);
  return verdict->equal() ? absl::OkStatus() : OtherBytes();
}

}  // namespace reprise
