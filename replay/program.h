// A rewritten graph as data, and what leads from it to the driver.
#ifndef REPRISE_REPLAY_PROGRAM_H_
#define REPRISE_REPLAY_PROGRAM_H_

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "capture/import_graph.h"
#include "capture/kernel_code.h"
#include "graph/graph.h"
#include "planner/plan.h"
#include "planner/rewrite.h"

namespace reprise {

// The function of a kernel that is in no captured node, allowed to take that
// much shared memory; replay/emitting_functions.h has Reprise's own.
using FunctionLookup = std::function<absl::StatusOr<CUfunction>(
    absl::string_view symbol, std::uint32_t shared_bytes)>;

struct Program {
  Rewritten rewritten;
  std::vector<KernelCode> code;      // by node; of kernels
  std::vector<CUgraphNode> handles;  // by node; none before it is emitted

  const Graph& graph() const { return rewritten.graph; }
};

// NotFound and the like from the lookup of an emitting kernel.
// REQUIRES: the plan was made for this graph.
absl::StatusOr<Program> MakeProgram(const ImportedGraph& captured,
                                    const Plan& plan,
                                    std::uint64_t arena_address,
                                    const FunctionLookup& functions);

// What a node of the program has to run after it was captured with another
// launch of the same function, while the plan is as it was: that launch with
// the images in the arena, and the emitting kernel where it has one.
struct NodeLaunch {
  KernelLaunch launch;
  KernelCode code;
};

// `to` may hold another one, the memory of which is used again. False where it
// takes another kernel than it ran.
// REQUIRES: the graph is annotated, and `now` is what `captured` is in the
// program.
bool TranslateLaunch(const ImportedGraph& graph, NodeId captured,
                     const Program& program, NodeId now,
                     const Allocation& arena, NodeLaunch& to);

}  // namespace reprise

#endif  // REPRISE_REPLAY_PROGRAM_H_
