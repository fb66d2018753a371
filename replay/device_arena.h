// Device memory for the images of one executable.
//
// Allocated and freed also while others capture: the calling thread's capture
// mode is relaxed around both.
// Threads  as the executable that owns it. Freeing waits for nobody: the owner
//          must know that no launch uses the memory any more.
#ifndef REPRISE_REPLAY_DEVICE_ARENA_H_
#define REPRISE_REPLAY_DEVICE_ARENA_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "graph/graph.h"

namespace reprise {

class DeviceArena {
 public:
  DeviceArena() = default;  // has no memory
  // In the current context, at a multiple of 256 bytes, as the driver allocates
  // all memory. ResourceExhausted when there is not as much; no memory for 0
  // bytes.
  static absl::StatusOr<DeviceArena> Create(const Driver& driver,
                                            std::uint64_t bytes);
  DeviceArena(DeviceArena&& other) noexcept;
  DeviceArena& operator=(DeviceArena&& other) noexcept;
  ~DeviceArena();

  const Allocation& allocation() const { return allocation_; }
  // Never frees the memory: a launch may still use it.
  void Abandon() { allocation_ = {}; }

 private:
  DeviceArena(const Driver& driver, const Allocation& allocation)
      : driver_(&driver), allocation_(allocation) {}

  const Driver* driver_ = nullptr;
  Allocation allocation_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_DEVICE_ARENA_H_
