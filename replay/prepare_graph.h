// From a captured graph to one that can be instantiated: import, meaning, plan,
// arena, emission.
//
// Fails open: what cannot be read, planned or emitted leaves the original to
// run, and the outcome says what failed.
#ifndef REPRISE_REPLAY_PREPARE_GRAPH_H_
#define REPRISE_REPLAY_PREPARE_GRAPH_H_

#include <cuda.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "capture/import_graph.h"
#include "capture/pack.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "graph/graph.h"
#include "planner/plan.h"
#include "planner/planner.h"
#include "planner/summary.h"
#include "replay/changed_launches.h"
#include "replay/device_arena.h"
#include "replay/emission_probe.h"
#include "replay/graph_emitter.h"

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
  GraphCounts captured;  // all 0 where the graph could not be read
  GraphCounts running;
};

struct PreparedGraph {
  // A rewritten clone; empty: the original is to run.
  GraphHandle rewritten;
  // The clone as data; nothing where the original is to run.
  std::optional<Program> program;
  // The original, annotated; null where it is to run.
  std::unique_ptr<const Graph> captured;
  // For the images, where the arena at hand is too small.
  std::optional<DeviceArena> arena;
  Outcome outcome;
};

// Threads  one caller at a time.
class GraphPreparer {
 public:
  // REQUIRES: the driver's table outlives the preparer.
  GraphPreparer(const Driver& driver, PrepareOptions options);

  // Reads `original` and changes nothing of it. Images go to `arena` if they
  // fit. The same capture and arena give the same graph by the same calls.
  // REQUIRES: the context of the graph's kernels is current.
  PreparedGraph Prepare(CUgraph original, const Allocation& arena) const;

 private:
  std::vector<MissingKernel> FindMissing(ImportedGraph& captured) const;
  absl::Status Rewrite(CUgraph original, const Allocation& arena,
                       ImportedGraph& captured, PreparedGraph& prepared) const;

  const Driver* driver_;
  PrepareOptions options_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_PREPARE_GRAPH_H_
