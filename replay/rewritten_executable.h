// The rewritten form of a captured graph, instantiated beside the original:
// whoever owns that launches this one as long as it runs.
//
//   RewrittenExecutable rewritten =
//       RewrittenExecutable::Create(driver, original);
//   rewritten.runs() ? rewritten.Launch(stream) : (launch the original);
//
// Fails open  never an error: where there is nothing to rewrite, or a rewrite
//             fails, runs() is false and outcome() says why.
// Original    is read in a call that takes it, and may go afterwards.
// Arena       images belong to the executable: each has its own memory, so two
//             may run at once, also when made from one capture.
// Threads     one caller at a time for each executable; two executables know
//             nothing of each other. Launches of one run one after the other,
//             on whatever streams.
// Streams     destroying an executable, and what makes it end or start anew,
//             wait for its last launch: the stream of that must live until then
//             and not be in a capture, or have been left (LeaveStream).
// Context     the one of the graph's kernels is current in every call.
#ifndef REPRISE_REPLAY_REWRITTEN_EXECUTABLE_H_
#define REPRISE_REPLAY_REWRITTEN_EXECUTABLE_H_

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capture/import_graph.h"
#include "capture/launch_reader.h"
#include "driver/driver.h"
#include "graph/graph.h"
#include "replay/device_arena.h"
#include "replay/graph_instance.h"
#include "replay/last_launch.h"
#include "replay/outcome_basis.h"
#include "replay/prepare_graph.h"

namespace reprise {

struct DeviceOptions {
  PrepareOptions prepare = {};
  std::uint64_t instantiate_flags = 0;  // CUgraphInstantiate_flags
};

class RewrittenExecutable {
 public:
  // Changes nothing of `original`.
  // REQUIRES: the driver's table outlives the executable.
  static RewrittenExecutable Create(const Driver& driver, CUgraph original,
                                    DeviceOptions options = {});
  RewrittenExecutable(RewrittenExecutable&&) = default;
  RewrittenExecutable& operator=(RewrittenExecutable&&) = default;
  ~RewrittenExecutable();

  // There is a rewritten graph to launch.
  bool runs() const { return running_.has_value(); }

  // REQUIRES: runs(), not unsettled(), and that nobody captures the stream: the
  // capture would keep a copy of the graph that outlives the arena.
  absl::Status Launch(CUstream stream);

  // Sends what a launch needs to the device ahead of the first.
  // REQUIRES: runs(), not unsettled()
  absl::Status Upload(CUstream stream);

  // Brings future launches to another capture, rewritten in the same way, by
  // the cheapest means that the driver takes. outcome() then is that capture's.
  // kRebuilt where nothing of what ran before is left, also when nothing runs
  // afterwards.
  UpdateResult Update(CUgraph recaptured);

  // Brings launches after the next Settle to a capture that has these
  // parameters at `node`, as cuGraphExecKernelNodeSetParams does with those of
  // the original. `node` is a handle of the graph that Create or the last
  // Update took; neither needs to live. Where that cannot be followed, it runs
  // no more.
  void SetKernelParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params);

  // Parameters were set: what runs is not what it should be before a Settle, or
  // an Update.
  bool unsettled() const { return set_ != nullptr; }

  // Plans and patches once for all parameters that were set. Where the
  // rewritten graph would need another shape, it runs no more.
  UpdateResult Settle();

  // Code was unloaded, and a function may have the handle of one that was set.
  void ForgetFunctions() {
    if (unsettled()) set_->ForgetFunctions();
  }

  // Gives the rewrite up, for that reason, and its memory once the last launch
  // has ended. An Update takes it up again.
  void Drop(absl::Status why);

  // Whether the last launch has ended; asks, and does not wait.
  bool Ended() const { return last_launch_.Ended(); }
  // Waits until the last launch has ended.
  absl::Status Wait() { return last_launch_.Wait(); }

  // `stream` is about to be destroyed or captured: nobody waits for it any
  // more. REQUIRES: it lives and is not being captured yet.
  absl::Status LeaveStream(CUstream stream) {
    return last_launch_.Leave(stream);
  }

  const Outcome& outcome() const { return outcome_; }
  // Why the last Update could not do with less than kRebuilt; else OK.
  const absl::Status& rebuilt_because() const { return rebuilt_because_; }
  const Allocation& arena() const { return arena_.allocation(); }
  // The last capture as data, annotated, while its rewritten form runs; else
  // null. Valid until the next Update.
  const Graph* captured() const {
    return captured_ ? &captured_->graph : nullptr;
  }

 private:
  RewrittenExecutable(const Driver& driver, DeviceOptions options);

  using Changed = std::optional<std::vector<NodeId>>;

  // Makes `captured_` that of the graph, and says which nodes differ from what
  // it was; nothing where that was not found out.
  absl::StatusOr<Changed> Read(CUgraph graph);
  // The same where `captured_` can be followed to it; nothing where not.
  absl::StatusOr<Changed> ReadAgain(CUgraph graph);
  // Ends the setting of parameters: which nodes they have changed; nothing
  // where what they were set in is not what it was.
  absl::StatusOr<Changed> TakeSet();

  // Patches what runs to `captured_` where the outcome that is there holds for
  // it. Nothing where it does not, or cannot be seen to.
  std::optional<UpdateResult> Follow(const Changed& changed);

  // Brings what runs to `captured_` by setting nodes one by one. Nothing where
  // that does not do, or was refused on the way.
  std::optional<UpdateResult> Patch(Outcome& outcome, const Changed& changed);
  std::optional<UpdateResult> PatchNodes(const std::vector<NodeId>& changed);

  // Brings it there by a graph that is emitted anew; the original may have to
  // run after all.
  UpdateResult Emit(CUgraph original, Outcome outcome);
  absl::Status Update(EmittedGraph& emitted);
  absl::Status Instantiate(EmittedGraph& emitted);
  void Adopt(Outcome outcome, std::optional<DeviceArena> arena);

  // The original runs from now on, because of `outcome`.
  void Stop(Outcome outcome);

  NodeId Find(CUgraphNode handle);

  const Driver* driver_;
  std::uint64_t instantiate_flags_;
  GraphPreparer preparer_;
  Outcome outcome_;
  absl::Status rebuilt_because_;
  std::unique_ptr<ImportedGraph> captured_;  // null where nothing runs
  // Of `outcome_`, once an update came out with the plan of the one before: a
  // loop whose plan changes each time has no use for it.
  std::optional<OutcomeBasis> basis_;
  absl::flat_hash_map<CUgraphNode, NodeId> ids_;  // of `captured_`, once asked
  // Reads the parameters that are set; null once that is settled.
  std::unique_ptr<LaunchReader> set_;
  DeviceArena arena_;
  std::optional<GraphInstance> running_;
  LastLaunch last_launch_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_REWRITTEN_EXECUTABLE_H_
