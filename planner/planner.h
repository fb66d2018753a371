// Plans the rewrite of a captured graph: start here.
//
// The passes run in this order, each a function from data to data:
//   order, epochs   what is before what; what a view holds when it is read
//   pure            of pure kernels that compute the same, the first
//   sharing         one image for quantizers of one view, layout and epoch
//   placement       one quantizer before the fork for readers behind it
//   emission        the producer writes the image itself
//   storage         images packed into the arena by live interval
//   edges           every kept order, without the nodes that went
//   dead_stores     floats beside an image that nobody reads are not stored;
//                   off unless asked
//   relax           of every order only what memory needs; off unless asked,
//                   else every image that may move is in the arena
//
// Cost     near-linear in nodes and accesses; about 1 us a node.
// Threads  a pure function: any number at once.
#ifndef REPRISE_PLANNER_PLANNER_H_
#define REPRISE_PLANNER_PLANNER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

// May a producer write the image for readers that wait on an event after it?
enum class EventBranches {
  kOriginal,  // no: they keep the original quantizer
  kProven,    // yes, where happens-before proves it
};

struct PlanOptions {
  EventBranches event_branches = EventBranches::kOriginal;
  bool pure = true;  // off: kernels that are no quantizers all stay
  bool sharing = true;
  bool placement = true;
  bool emission = true;
  bool storage = true;            // off: images lie one after the other
  bool dead_stores = false;       // on: planner/dead_stores.h
  bool relax = false;             // on: edges from effects (planner/relax.h)
  std::uint32_t relax_width = 4;  // nodes that may run at once; 0: no limit
  // What the outside may read once the graph has run; nothing: any byte.
  std::optional<std::vector<View>> outputs = std::nullopt;
  // Producers that a fusion of higher priority consumes; they do not emit.
  std::vector<NodeId> claimed_producers = {};

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

// FailedPrecondition when the graph has a cycle.
absl::StatusOr<Plan> MakePlan(const Graph& graph,
                              const PlanOptions& options = {});

}  // namespace reprise

#endif  // REPRISE_PLANNER_PLANNER_H_
