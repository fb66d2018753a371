// A captured loop made ready for the GPU: the graph rewritten as planned,
// instantiated, and replayed.
//
//   absl::StatusOr<DeviceExecutable> executable =
//       DeviceExecutable::Create(**driver, std::move(captured));
//   executable->Launch(stream);
//   ...capture the loop again...
//   executable->Update(std::move(recaptured));
//
// Fails open  whatever goes wrong with a rewrite, the original runs in its
//             place, and outcome() says what went wrong.
// Arena       images belong to the executable: each has its own memory, so two
//             may run at once, also when made from one capture.
// Threads     one caller at a time for each executable; two executables know
//             nothing of each other. Launches of one run one after the other,
//             on whatever streams.
// Streams     destroying an executable, and an Update that needs another arena
//             or instantiates anew, wait for the last launch: its stream must
//             live until then and not be in a capture at that moment.
// Context     the one of the graph's kernels is current in every call.
#ifndef REPRISE_REPLAY_DEVICE_EXECUTABLE_H_
#define REPRISE_REPLAY_DEVICE_EXECUTABLE_H_

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "graph/graph.h"
#include "replay/device_arena.h"
#include "replay/graph_instance.h"
#include "replay/last_launch.h"
#include "replay/prepare_graph.h"

namespace reprise {

struct DeviceOptions {
  PrepareOptions prepare = {};
  std::uint64_t instantiate_flags = 0;  // CUgraphInstantiate_flags
};

class DeviceExecutable {
 public:
  // Takes the captured graph over and leaves it as it was. An error only when
  // the original cannot be instantiated either; it names both reasons.
  // REQUIRES: the driver's table outlives the executable.
  static absl::StatusOr<DeviceExecutable> Create(const Driver& driver,
                                                 GraphHandle captured,
                                                 DeviceOptions options = {});
  DeviceExecutable(DeviceExecutable&&) = default;
  DeviceExecutable& operator=(DeviceExecutable&&) = default;

  absl::Status Launch(CUstream stream);
  // Launches the graph as it was captured last; instantiates it at the first
  // such call after a capture. Ordered with other launches by its stream only.
  absl::Status LaunchOriginal(CUstream stream);

  // Sends what a launch needs to the device ahead of the first.
  absl::Status Upload(CUstream stream);

  // Brings future launches to another capture, rewritten in the same way, by
  // the cheapest means that the driver takes. outcome() then is that capture's.
  // After an error there is nothing to launch until an Update succeeds.
  absl::StatusOr<UpdateResult> Update(GraphHandle recaptured);

  const Outcome& outcome() const { return outcome_; }
  // Why the last Update could not do with less than kRebuilt; else OK.
  const absl::Status& rebuilt_because() const { return rebuilt_because_; }
  const Allocation& arena() const { return arena_.allocation(); }
  // The last capture as data, annotated, while its rewritten form runs; else
  // null. Valid until the next Update.
  const Graph* captured() const { return captured_.get(); }

 private:
  DeviceExecutable(const Driver& driver, DeviceOptions options);

  absl::Status Instantiate(GraphHandle original, PreparedGraph prepared);
  void Adopt(GraphHandle original, PreparedGraph prepared);

  const Driver* driver_;
  std::uint64_t instantiate_flags_;
  GraphPreparer preparer_;
  Outcome outcome_;
  absl::Status rebuilt_because_;
  // Held where the rewritten graph runs; else the instance has the original.
  GraphHandle original_;
  std::unique_ptr<const Graph> captured_;
  GraphExecHandle original_exec_;
  DeviceArena arena_;
  std::optional<GraphInstance> running_;
  LastLaunch last_launch_;  // last: goes first, and waits
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_DEVICE_EXECUTABLE_H_
