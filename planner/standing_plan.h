// Whether a plan holds for its graph after launches of that changed, found out
// without planning anew.
//
// Method   Of addresses, planning sees how views lie to each other and nothing
//          else: which are the same, share bytes or contain each other, and how
//          far apart these start. So the views are split into stretches of
//          memory that no view crosses. Where each stretch moves as one piece,
//          and the moved ones share no byte, all of that stays. The outputs
//          that the planner was told of are views that never move; a reader's
//          slack moves as its image does, for it comes along. All else that
//          planning looks at must be what it was, to the bit; where a pure
//          kernel has other parameters, the kinds of pure kernels are found
//          anew and must be the same (planner/pure_kernels.h).
// Cost     0.1 us a changed node, and as much for every node where kinds are
//          found anew; to make one 0.2 us a node.
#ifndef REPRISE_PLANNER_STANDING_PLAN_H_
#define REPRISE_PLANNER_STANDING_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "graph/view.h"
#include "planner/pure_kernels.h"

namespace reprise {

class StandingPlan {
 public:
  // Of the graph that the plan was made of, and PlanOptions::outputs.
  explicit StandingPlan(const Graph& graph,
                        const std::optional<std::vector<View>>& outputs = {});

  // Whether MakePlan, with any one set of options that has these outputs or
  // none, says of `graph` what it said of the graph before. What was found out
  // there about emitting kernels (EmittingKernel::refuted, cannot_drop) is
  // taken over. After true, `graph` is the one before; after false this is of
  // no use.
  //
  // REQUIRES: `changed` are the nodes in which the two graphs differ, each
  // once, and they differ in nothing but the shape and the parameter bytes of a
  // launch and in what that means: in effects, op and emitting kernel.
  bool Follow(absl::Span<const NodeId> changed, Graph& graph);

 private:
  // What was seen of a node.
  struct Seen {
    Node node;
    std::uint32_t first_access = 0;
    std::uint32_t num_accesses = 0;
    // Of launches that planning looks into.
    Dim3 grid, block;
    std::uint32_t shared_bytes = 0;
    std::uint32_t first_byte = 0;
    std::uint32_t num_bytes = 0;
  };
  // The smallest range around views that are connected by shared bytes.
  struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t views = 0;
    // In the round of that number: how far, modulo 2^64, how many views moved.
    std::uint32_t round = 0;
    std::uint32_t moved = 0;
    std::uint64_t by = 0;
  };

  void Look(const Graph& graph, NodeId id);
  void KeepLaunch(const Graph& graph, NodeId id);
  void FindStretches(const std::optional<std::vector<View>>& outputs);
  bool SameButPlaces(const Graph& graph, NodeId id);
  bool SameLaunch(const Graph& graph, NodeId id);
  bool LaunchesAgree(const Graph& graph, NodeId id);
  bool MoveViews(const Graph& graph, NodeId id);
  bool StretchesStayWhole() const;
  bool StretchesStayApart();

  PureKernels kinds_;
  std::vector<Seen> nodes_;
  std::vector<Access> accesses_;  // of all nodes, one after the other
  // An empty view is in no stretch, and where it lies may still count. Nothing
  // that annotates makes one.
  bool has_empty_views_ = false;
  std::vector<std::uint32_t> stretch_of_;  // by access
  std::vector<std::uint8_t> bytes_;        // of launches, pointers left out
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> by_address_;  // stretches in order

  std::uint32_t round_ = 0;
  bool kinds_may_differ_ = false;       // this round
  std::vector<std::uint32_t> touched_;  // stretches, this round
  std::vector<std::uint8_t> scratch_;
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_STANDING_PLAN_H_
