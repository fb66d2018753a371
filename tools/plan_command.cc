// reprise plan: what the planner makes of a capture.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "capture/pack_list.h"
#include "planner/ledger.h"
#include "planner/planner.h"
#include "planner/summary.h"
#include "tools/capture_input.h"
#include "tools/commands.h"
#include "tools/ledger_report.h"
#include "tools/node_report.h"
#include "tools/pack_flags.h"
#include "tools/plan_flags.h"
#include "tools/plan_report.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

struct PlanFlags {
  std::string capture;
  std::vector<std::string> packs;
  bool json = false;
  bool explain = false;
  std::optional<std::uint32_t> node;  // explain this one only
  PlanOptions options;
};

struct TimedPlan {
  Plan plan;
  std::int64_t us = 0;
};

absl::StatusOr<TimedPlan> MakeTimedPlan(const Graph& graph,
                                        const PlanOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<Plan> plan = MakePlan(graph, options);
  const auto took = std::chrono::steady_clock::now() - start;
  if (!plan.ok()) return plan.status();
  return TimedPlan{
      *std::move(plan),
      std::chrono::duration_cast<std::chrono::microseconds>(took).count()};
}

// With an empty line behind them, if there are any.
std::string LedgerLines(const Graph& graph, const Plan& plan) {
  const std::string table = LedgerTable(MakeLedger(graph, plan));
  return table.empty() ? table : absl::StrCat(table, "\n");
}

std::string Overview(const Graph& graph, const TimedPlan& timed) {
  const Summary summary = Summarize(graph, timed.plan);
  return absl::StrCat(
      PlanTable(summary), "\n", LedgerLines(graph, timed.plan),
      RewriteLines(summary), DeclineLines(graph, summary),
      Labelled("planned",
               absl::StrCat("in ", timed.us, " us; ",
                            Counted(summary.before.streams, "stream"), ", ",
                            Counted(summary.before.opaque, "opaque node"))));
}

absl::Status RunPlan(const PlanFlags& flags) {
  const absl::StatusOr<std::vector<Pack>> packs = LoadPacks(flags.packs);
  if (!packs.ok()) return packs.status();
  const absl::StatusOr<Graph> graph = LoadCapture(flags.capture, *packs);
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<TimedPlan> timed = MakeTimedPlan(*graph, flags.options);
  if (!timed.ok()) return timed.status();

  std::string out;
  if (flags.node) {
    const absl::StatusOr<NodeId> node = FindNode(*graph, *flags.node);
    if (!node.ok()) return node.status();
    out = NodeReport(*graph, timed->plan, *node);
  } else if (flags.explain) {
    out = PlanSentences(*graph, timed->plan);
  } else if (flags.json) {
    out = PlanJson(*graph, timed->plan, Summarize(*graph, timed->plan),
                   timed->us);
  } else {
    out = Overview(*graph, *timed);
  }
  std::fputs(out.c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

Action AddPlanCommand(CLI::App& app) {
  const auto flags = std::make_shared<PlanFlags>();
  app.add_option("CAPTURE", flags->capture, "A capture file: .json, .json.gz")
      ->type_name("")
      ->required();
  CLI::Option* json =
      app.add_flag("--json", flags->json, "Print one JSON object");
  app.add_option("--explain", flags->node,
                 "Explain every rewrite and decline, or one node")
      ->type_name("[NODE]")
      ->expected(0, 1)
      ->excludes(json);
  AddPack(app, flags->packs);
  AddEventBranches(app, flags->options);
  AddDeadStores(app, flags->options);
  AddRelax(app, flags->options);
  AddDisable(app, flags->options);
  app.footer("Example: reprise plan capture.json.gz --explain 12");
  return [flags, &app] {
    flags->explain = app.count("--explain") > 0;
    return RunPlan(*flags);
  };
}

}  // namespace reprise
