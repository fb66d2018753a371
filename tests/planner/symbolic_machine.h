// Runs graphs on symbols instead of numbers: every 4-byte cell of memory holds
// a hash of how it was computed. Two programs leave the same symbols exactly
// when they compute the same things from the same inputs, so a stale image, a
// lost order or a reader sent to the wrong place shows at once.
#ifndef REPRISE_TESTS_PLANNER_SYMBOLIC_MACHINE_H_
#define REPRISE_TESTS_PLANNER_SYMBOLIC_MACHINE_H_

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "graph/graph.h"
#include "planner/plan.h"
#include "planner/rewrite.h"

namespace reprise::testing {

class SymbolicMemory {
 public:
  static constexpr std::uint64_t kCellBytes = 4;

  std::uint64_t Load(std::uint64_t cell) const;
  void Store(std::uint64_t cell, std::uint64_t symbol);
  const std::map<std::uint64_t, std::uint64_t>& stored() const {
    return stored_;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> stored_;
};

// Cells are visited in the order of the view's elements.
std::vector<std::uint64_t> CellsOf(const View& view);

// A schedule that the graph's memory order allows.
std::vector<NodeId> RandomSchedule(const Graph& graph, std::mt19937& rng);

// A schedule of the captured graph in which the nodes that the plan does not
// touch keep their order of `after`, a schedule of the rewritten one; empty
// when there is none, which means that the rewrite lost an order: it could then
// do what the captured graph could not.
std::vector<NodeId> MatchingSchedule(const Graph& graph, const Plan& plan,
                                     const Rewritten& rewritten,
                                     const std::vector<NodeId>& after,
                                     std::mt19937& rng);

// A schedule of the graph in which nodes that conflict keep their order of
// `after`, a schedule of the same nodes under fewer edges; empty when there is
// none, which means that a lost order can be seen.
std::vector<NodeId> EquivalentSchedule(const Graph& graph,
                                       const std::vector<NodeId>& after,
                                       std::mt19937& rng);

// What the rewritten graph does not tell of a producer that emits: the layout
// of its image, and where the floats would lie that it stores or drops.
struct EmittedImage {
  ImageLayout layout;
  View floats;
  bool drops_floats = false;
  bool poisons = false;  // their place, when the producer has run
};

// By captured producer.
using EmittedImages = std::map<NodeId, EmittedImage>;

EmittedImages EmittedImagesOf(const Graph& captured, const Plan& plan);

// Executes the nodes in that order; the place of dropped floats then holds
// poison, unless the plan is relaxed. What a node writes is a function of what
// it reads and of which node it is, a pure one of which kernel. `origin` names
// the captured node that each is; `everything` are the cells that an opaque
// node touches.
void RunReplay(const Graph& graph, const std::vector<NodeId>& schedule,
               const std::vector<NodeId>& origin,
               const std::vector<std::uint64_t>& everything,
               const EmittedImages& emitted, SymbolicMemory& memory);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_PLANNER_SYMBOLIC_MACHINE_H_
