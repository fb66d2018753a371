#include "inject/dry_run.h"

#include <utility>

#include "absl/status/statusor.h"
#include "capture/annotate.h"
#include "capture/import_graph.h"
#include "inject/outcome_counts.h"
#include "planner/rewrite.h"
#include "replay/rewritable.h"

namespace reprise {
namespace {

absl::Status PlanGraph(const Driver& driver, CUgraph graph,
                       const PrepareOptions& options, Outcome& outcome) {
  absl::StatusOr<ImportedGraph> imported = GraphImporter(driver).Import(graph);
  if (!imported.ok()) return imported.status();
  Annotate(options.packs, imported->graph);
  outcome.captured = CountGraph(imported->graph);
  absl::StatusOr<Plan> plan = MakePlan(imported->graph, options.plan);
  if (!plan.ok()) return plan.status();
  outcome.plan = *std::move(plan);
  if (outcome.plan.empty()) return absl::OkStatus();
  const absl::Status rewritable = CheckRewritable(driver, *imported);
  if (!rewritable.ok()) return rewritable;
  outcome.running = CountGraph(Rewrite(imported->graph, outcome.plan, 0).graph);
  outcome.rewritten = true;
  return absl::OkStatus();
}

}  // namespace

ProgramCounts DryRun(const Driver& driver, CUgraph graph,
                     const PrepareOptions& options) {
  Outcome outcome;
  outcome.declined = PlanGraph(driver, graph, options, outcome);
  return CountOutcome(outcome);
}

}  // namespace reprise
