// A relaxed plan as it would be without that: what relaxing is measured by.
#ifndef REPRISE_TESTS_PLANNER_UNRELAXED_H_
#define REPRISE_TESTS_PLANNER_UNRELAXED_H_

#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise::testing {

// The same images, each with bytes of its own, and the captured order.
// REQUIRES: the plan was made for this graph.
Plan Unrelaxed(const Graph& graph, Plan relaxed);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_PLANNER_UNRELAXED_H_
