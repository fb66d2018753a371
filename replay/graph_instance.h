// An instantiated graph that can be brought to another capture of the same
// program as cheaply as that allows.
//
// It keeps the graph that it was instantiated from, because the driver finds an
// executable's node by that graph's. Launches that are queued or running stay
// what they were, whatever is set.
// Threads  one caller at a time.
#ifndef REPRISE_REPLAY_GRAPH_INSTANCE_H_
#define REPRISE_REPLAY_GRAPH_INSTANCE_H_

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "replay/program.h"

namespace reprise {

// How an executable came to another capture, from cheap to dear.
enum class UpdateResult {
  kUnchanged,  // it was the same
  kPatched,    // launches set one by one, 0.2 us each
  kUpdated,    // all nodes compared and set by the driver, 0.3 us each
  kRebuilt,    // instantiated anew, 4 us a node
};

// Adds one to the count of that name.
template <typename Counts>
void CountUpdate(UpdateResult result, Counts& counts) {
  switch (result) {
    case UpdateResult::kUnchanged:
      ++counts.unchanged;
      break;
    case UpdateResult::kPatched:
      ++counts.patched;
      break;
    case UpdateResult::kUpdated:
      ++counts.updated;
      break;
    case UpdateResult::kRebuilt:
      ++counts.rebuilt;
      break;
  }
}

class GraphInstance {
 public:
  // `program` is the graph as data. The error names the node and the reason.
  static absl::StatusOr<GraphInstance> Create(const Driver& driver,
                                              GraphHandle graph,
                                              Program program,
                                              std::uint64_t flags);

  // What a launch runs; its handles are those of the graph that was
  // instantiated. Once nodes were set one by one, their accesses are as before.
  const Program& program() const { return program_; }
  CUgraphExec exec() const { return exec_.get(); }

  // Sets one node; `launch` gets what it ran. After an error it runs that
  // still.
  absl::Status Set(NodeId node, NodeLaunch& launch);

  // Sets the launches by which `program` differs. Nothing where it differs in
  // more, or where the driver refused one: then some are set and some are not,
  // nothing may be launched before an Update, and `program` is as it was.
  // REQUIRES of this and the next: it has the shape of program().
  std::optional<UpdateResult> Patch(Program&& program);

  // Sets all to those of `graph`, which is `program`. After an error it is as
  // before.
  absl::Status Update(CUgraph graph, Program&& program);

 private:
  GraphInstance(const Driver& driver, GraphHandle graph, Program program,
                GraphExecHandle exec)
      : driver_(&driver),
        graph_(std::move(graph)),
        program_(std::move(program)),
        exec_(std::move(exec)) {}

  void Adopt(Program&& program);

  const Driver* driver_;
  GraphHandle graph_;
  Program program_;
  GraphExecHandle exec_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_GRAPH_INSTANCE_H_
