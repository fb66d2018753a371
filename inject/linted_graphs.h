// The graphs of a program under `reprise lint`: of each executable the first
// launch is made node by node and holds the packs against it
// (replay/graph_lint.h); nothing is rewritten.
//
// Threads   any, one launch at a time: the memory of a graph must be its own
//           while it is looked at.
#ifndef REPRISE_INJECT_LINTED_GRAPHS_H_
#define REPRISE_INJECT_LINTED_GRAPHS_H_

#include <cuda.h>

#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "capture/pack.h"
#include "driver/driver.h"
#include "inject/program_counts.h"
#include "replay/graph_lint.h"

namespace reprise {

class LintedGraphs {
 public:
  // REQUIRES: table and packs outlive the object.
  LintedGraphs(const Driver& driver, absl::Span<const Pack> packs)
      : driver_(driver), packs_(packs) {}

  // As in ProgramGraphs.
  void Instantiated(CUgraphExec exec, CUgraph graph);
  CUresult Launch(CUgraphExec exec, CUstream stream,
                  absl::FunctionRef<CUresult()> original);
  void Destroyed(CUgraphExec exec);
  void ContextEnds(CUcontext context);

  ProgramCounts counts() const;

 private:
  // Until its first launch.
  struct Waiting {
    CUcontext context;
    GraphLint lint;
  };

  const Driver& driver_;
  const absl::Span<const Pack> packs_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<CUgraphExec, Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  ProgramCounts counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace reprise

#endif  // REPRISE_INJECT_LINTED_GRAPHS_H_
