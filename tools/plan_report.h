// What `reprise plan` says about a plan.
#ifndef REPRISE_TOOLS_PLAN_REPORT_H_
#define REPRISE_TOOLS_PLAN_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "planner/plan.h"
#include "planner/summary.h"

namespace reprise {

// Counts before and after.
std::string PlanTable(const Summary& summary);

// One JSON object, described in docs/command.md.
std::string PlanJson(const Graph& graph, const Plan& plan,
                     const Summary& summary, std::int64_t plan_us);

// Every rewrite and every decline, a sentence each.
std::string PlanSentences(const Graph& graph, const Plan& plan);

// What is repeated, shared, emitted and dropped, and the arena: a line each,
// where there is something to say.
std::string RewriteLines(const Summary& summary);

// A line for each reason that declined something, with an example.
std::string DeclineLines(const Graph& graph, const Summary& summary);

}  // namespace reprise

#endif  // REPRISE_TOOLS_PLAN_REPORT_H_
