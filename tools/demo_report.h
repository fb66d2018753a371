// What `reprise demo` says about a run.
#ifndef REPRISE_TOOLS_DEMO_REPORT_H_
#define REPRISE_TOOLS_DEMO_REPORT_H_

#include <string>

#include "graph/graph.h"
#include "planner/rewrite.h"
#include "replay/verdict.h"

namespace reprise {

// Launches of one replay by kernel, before and after, in the order in which
// the kernels first appear; an emitting kernel under the one that it replaces.
std::string LaunchTable(const Graph& graph, const Rewritten& rewritten);

// One line: identical in how much, or different where.
std::string VerdictText(const Graph& graph, const Verdict& verdict);

}  // namespace reprise

#endif  // REPRISE_TOOLS_DEMO_REPORT_H_
