// Owners of the driver's graphs, executables, events and streams.
#ifndef REPRISE_DRIVER_GRAPH_HANDLE_H_
#define REPRISE_DRIVER_GRAPH_HANDLE_H_

#include <cuda.h>

#include <utility>

#include "driver/driver.h"

namespace reprise {

// Destroys what it owns through the table that made it. What a destroy returns
// is of no use to anyone: an error of the device shows at the next call.
template <typename Handle, auto Driver::*kDestroy>
class DriverHandle {
 public:
  DriverHandle() = default;
  // Takes `handle` over. REQUIRES: the table outlives the owner.
  DriverHandle(const Driver& driver, Handle handle)
      : driver_(&driver), handle_(handle) {}
  DriverHandle(DriverHandle&& other) noexcept
      : driver_(other.driver_),
        handle_(std::exchange(other.handle_, nullptr)) {}
  DriverHandle& operator=(DriverHandle&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~DriverHandle() {
    if (handle_ != nullptr) (driver_->*kDestroy)(handle_);
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  // Gives it away: the caller destroys it.
  Handle release() { return std::exchange(handle_, nullptr); }

 private:
  const Driver* driver_ = nullptr;
  Handle handle_ = nullptr;
};

using GraphHandle = DriverHandle<CUgraph, &Driver::GraphDestroy>;
using GraphExecHandle = DriverHandle<CUgraphExec, &Driver::GraphExecDestroy>;
using EventHandle = DriverHandle<CUevent, &Driver::EventDestroy>;
using StreamHandle = DriverHandle<CUstream, &Driver::StreamDestroy>;

}  // namespace reprise

#endif  // REPRISE_DRIVER_GRAPH_HANDLE_H_
