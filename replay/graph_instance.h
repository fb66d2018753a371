// An instantiated graph that can be brought to another capture of the same
// program as cheaply as that allows.
//
// It keeps the graph that it was instantiated from, because the driver finds an
// executable's node by that graph's.
// Threads  one caller at a time.
#ifndef REPRISE_REPLAY_GRAPH_INSTANCE_H_
#define REPRISE_REPLAY_GRAPH_INSTANCE_H_

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "replay/changed_launches.h"

namespace reprise {

// How an executable came to another capture, from cheap to dear.
enum class UpdateResult {
  kUnchanged,  // it was the same
  kPatched,    // launches set one by one, 0.2 us each
  kUpdated,    // all nodes compared and set by the driver, 0.3 us each
  kRebuilt,    // instantiated anew, 4 us a node
};

class GraphInstance {
 public:
  // `program` is the graph as data. The error names the node and the reason.
  static absl::StatusOr<GraphInstance> Create(const Driver& driver,
                                              GraphHandle graph,
                                              Program program,
                                              std::uint64_t flags);

  // Makes future launches those of `graph`; never kRebuilt. Launches that are
  // queued or running stay what they were. After an error nothing may be
  // launched, for some nodes may be of one graph and some of the other;
  // `program` then is as it was.
  absl::StatusOr<UpdateResult> Update(CUgraph graph, Program&& program);

  CUgraphExec exec() const { return exec_.get(); }

 private:
  GraphInstance(const Driver& driver, GraphHandle graph, Program program,
                GraphExecHandle exec)
      : driver_(&driver),
        graph_(std::move(graph)),
        program_(std::move(program)),
        exec_(std::move(exec)) {}

  // False where the driver refused one: some are set and some are not.
  bool Patch(const Program& program, const std::vector<NodeId>& nodes);

  const Driver* driver_;
  GraphHandle graph_;
  // What runs. Its handles are those of `graph_`; nothing where its nodes
  // cannot be paired with them.
  std::optional<Program> program_;
  GraphExecHandle exec_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_GRAPH_INSTANCE_H_
