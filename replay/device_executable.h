// A captured loop made ready for the GPU: the graph rewritten as planned,
// instantiated, and replayed; or, where that cannot be, the graph as it is.
//
//   absl::StatusOr<DeviceExecutable> executable =
//       DeviceExecutable::Create(**driver, std::move(captured));
//   executable->Launch(stream);
//   ...capture the loop again...
//   executable->Update(std::move(recaptured));
//
// Fails open  whatever goes wrong with a rewrite, the original runs in its
//             place, and outcome() says what went wrong.
// Threads, streams, context, arena   those of its rewritten form
//             (replay/rewritten_executable.h); an Update waits also for a
//             launch of an original that it replaces.
#ifndef REPRISE_REPLAY_DEVICE_EXECUTABLE_H_
#define REPRISE_REPLAY_DEVICE_EXECUTABLE_H_

#include <cuda.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "graph/graph.h"
#include "replay/last_launch.h"
#include "replay/rewritten_executable.h"

namespace reprise {

class DeviceExecutable {
 public:
  // Takes the captured graph over and leaves it as it was. An error only when
  // the original cannot be instantiated either; it names both reasons.
  // REQUIRES: the driver's table outlives the executable.
  static absl::StatusOr<DeviceExecutable> Create(const Driver& driver,
                                                 GraphHandle captured,
                                                 DeviceOptions options = {});

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

  const Outcome& outcome() const { return rewritten_.outcome(); }
  // Why the last Update could not do with less than kRebuilt; else OK.
  const absl::Status& rebuilt_because() const { return rebuilt_because_; }
  const Allocation& arena() const { return rewritten_.arena(); }
  // As RewrittenExecutable::captured.
  const Graph* captured() const { return rewritten_.captured(); }

 private:
  DeviceExecutable(const Driver& driver, RewrittenExecutable rewritten,
                   std::uint64_t instantiate_flags)
      : driver_(&driver),
        instantiate_flags_(instantiate_flags),
        rewritten_(std::move(rewritten)),
        last_original_(driver) {}

  // Takes the graph over, to run it where nothing rewritten runs.
  absl::Status Adopt(GraphHandle original);
  absl::Status InstantiateOriginal();

  const Driver* driver_;
  std::uint64_t instantiate_flags_;
  absl::Status rebuilt_because_;
  GraphHandle original_;  // none: nothing to launch
  GraphExecHandle original_exec_;
  RewrittenExecutable rewritten_;
  LastLaunch last_original_;  // in the place of a rewritten one
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_DEVICE_EXECUTABLE_H_
