#include "tests/planner/unrelaxed.h"

#include "planner/edges.h"
#include "planner/order.h"
#include "planner/storage.h"

namespace reprise::testing {

Plan Unrelaxed(const Graph& graph, Plan relaxed) {
  const absl::StatusOr<Order> order = Order::Of(graph);
  Plan plan = std::move(relaxed);
  plan.relaxed = false;
  plan.dropped_edges.clear();
  plan.added_edges.clear();
  plan.arena =
      PackImages(*order, /*overlap=*/false, absl::MakeSpan(plan.images));
  RewireEdges(graph, *order, plan);
  return plan;
}

}  // namespace reprise::testing
