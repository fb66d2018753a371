// From a captured graph to one that can be instantiated: import, meaning, plan,
// arena, emission.
//
// An error anywhere leaves the original to run.
#ifndef REPRISE_REPLAY_PREPARE_GRAPH_H_
#define REPRISE_REPLAY_PREPARE_GRAPH_H_

#include <cuda.h>

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "capture/annotate.h"
#include "capture/import_graph.h"
#include "capture/pack.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "graph/graph.h"
#include "planner/plan.h"
#include "planner/planner.h"
#include "planner/summary.h"
#include "replay/device_arena.h"
#include "replay/emission_probe.h"
#include "replay/graph_emitter.h"
#include "replay/outcome_basis.h"
#include "replay/program.h"

namespace reprise {

struct PrepareOptions {
  absl::Span<const Pack> packs = BuiltInPacks();  // live as long as their user
  PlanOptions plan = {};
  // Empty: Reprise's own kernels (replay/emitting_functions.h).
  FunctionLookup functions = nullptr;
  // Tries the emitting kernels whose pack asks for it; null: one of its own.
  // Whoever shares one tries no kernel twice.
  std::shared_ptr<EmissionProbe> probe = nullptr;
};

// A producer that could emit, were its emitting kernel at hand, or had it been
// seen to leave the same bytes. The planner takes the former as claimed
// (PlanOptions::claimed_producers) and the latter as refuted (EmittingKernel).
struct MissingKernel {
  NodeId producer;
  absl::Status why;
};

// What became of a capture.
struct Outcome {
  // The rewritten graph runs. If not, and `declined` is OK, there was nothing
  // to rewrite.
  bool rewritten = false;
  absl::Status declined;  // why the original runs though a rewrite was tried
  Plan plan;              // with the planner's own declines
  std::vector<MissingKernel> missing;
  // Whoever decides on the same again finds out the same about kernels: no
  // call has failed that may not fail the next time.
  bool settled = true;
  GraphCounts captured;  // all 0 where the graph could not be read
  GraphCounts running;
};

// A rewritten graph that can be instantiated.
struct EmittedGraph {
  GraphHandle graph;
  Program program;
  // For the images, where the arena at hand is too small.
  std::optional<DeviceArena> arena;
};

// The steps from a CUgraph to an EmittedGraph.
// Threads  one caller at a time.
class GraphPreparer {
 public:
  // REQUIRES: the driver's table outlives the preparer.
  GraphPreparer(const Driver& driver, PrepareOptions options);

  // Reads a graph, and gives its nodes their meaning.
  // REQUIRES of all that take a graph: the context of its kernels is current.
  absl::StatusOr<ImportedGraph> Import(CUgraph graph);

  // Gives the nodes their meaning whose launches have changed.
  void Annotate(absl::Span<const NodeId> changed, ImportedGraph& captured);

  // The plan, or why there is none.
  Outcome Decide(ImportedGraph& captured) const;

  // What the outcome rests on that Decide gave for this capture.
  OutcomeBasis BasisOf(const ImportedGraph& captured) const {
    return OutcomeBasis(captured, options_.plan.outputs, options_.probe);
  }

  // What the plan makes of the graph, as data.
  absl::StatusOr<Program> Rewrite(const ImportedGraph& captured,
                                  const Plan& plan,
                                  const Allocation& arena) const;

  // Changes nothing of `original`. Images go to `arena` if they fit. The same
  // capture and arena give the same graph by the same calls.
  // REQUIRES: `captured` was imported from `original`.
  absl::StatusOr<EmittedGraph> Emit(CUgraph original,
                                    const ImportedGraph& captured,
                                    const Plan& plan,
                                    const Allocation& arena) const;

 private:
  void FindMissing(ImportedGraph& captured, Outcome& outcome) const;

  const Driver* driver_;
  PrepareOptions options_;
  Annotator annotator_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_PREPARE_GRAPH_H_
