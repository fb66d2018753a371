// What an outcome rests on (prepare_graph.h), and whether it holds after
// launches of its capture changed: then nothing is planned or tried again.
//
// The plan is held by planner/standing_plan.h. Beyond it, what was tried of the
// emitting kernels counts as long as the same functions run, on memory aligned
// as it was, and no code was unloaded since.
#ifndef REPRISE_REPLAY_OUTCOME_BASIS_H_
#define REPRISE_REPLAY_OUTCOME_BASIS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "capture/import_graph.h"
#include "capture/kernel_code.h"
#include "graph/graph.h"
#include "graph/view.h"
#include "planner/standing_plan.h"
#include "replay/emission_probe.h"

namespace reprise {

class OutcomeBasis {
 public:
  // Of the capture that was decided on, with that probe, and the outputs that
  // the planner was told of (PlanOptions::outputs).
  OutcomeBasis(const ImportedGraph& captured,
               const std::optional<std::vector<View>>& outputs,
               std::shared_ptr<const EmissionProbe> probe);

  // Whether the outcome is that of `captured` too, in which those nodes have
  // changed since. After true it is the capture that was decided on; after
  // false this is of no use. REQUIRES: as StandingPlan::Follow.
  bool Follow(absl::Span<const NodeId> changed, ImportedGraph& captured);

 private:
  // Of a node that was, or may have been, tried.
  struct Tried {
    KernelCode code;
    std::vector<std::uint16_t> places;  // of its views, in aligned blocks
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  bool TriedTheSame(NodeId id, const ImportedGraph& captured) const;

  StandingPlan plan_;
  std::vector<std::uint32_t> tried_of_;  // by node
  std::vector<Tried> tried_;
  std::shared_ptr<const EmissionProbe> probe_;
  std::uint64_t forgotten_;  // how often the probe had
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_OUTCOME_BASIS_H_
