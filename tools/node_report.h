// All that is known of one node: what it does, its neighbours, and what the
// plan does with it and why.
#ifndef REPRISE_TOOLS_NODE_REPORT_H_
#define REPRISE_TOOLS_NODE_REPORT_H_

#include <string>

#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

// REQUIRES: the node is one of the graph, which the plan was made for.
std::string NodeReport(const Graph& graph, const Plan& plan, NodeId node);

}  // namespace reprise

#endif  // REPRISE_TOOLS_NODE_REPORT_H_
