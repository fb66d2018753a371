// Waits until the launches of an executable have ended.
#ifndef REPRISE_REPLAY_LAST_LAUNCH_H_
#define REPRISE_REPLAY_LAST_LAUNCH_H_

#include <cuda.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"

namespace reprise {

// Launches of one executable run one after the other, on whatever streams: who
// waits for the stream of the last waits for all. No event is recorded as long
// as the stream stays, so that a launch costs nothing more.
class LastLaunch {
 public:
  explicit LastLaunch(const Driver& driver) : driver_(&driver) {}
  LastLaunch(LastLaunch&& other) noexcept
      : driver_(other.driver_),
        stream_(std::exchange(other.stream_, std::nullopt)),
        event_(std::move(other.event_)) {}
  LastLaunch& operator=(LastLaunch&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(stream_, other.stream_);
    event_ = std::move(other.event_);
    return *this;
  }

  // The last launch went to `stream`.
  void Set(CUstream stream);

  // From now on nobody may wait for `stream`, because it is about to be
  // destroyed or captured: an event that is recorded on it takes its place.
  // Does nothing where the last launch went elsewhere.
  // REQUIRES: the stream lives and is not being captured yet.
  absl::Status Leave(CUstream stream);

  // Whether it has ended, or there was none; false also where the driver does
  // not tell. REQUIRES: as Wait.
  bool Ended() const;

  // FailedPrecondition while the stream is being captured.
  // REQUIRES: the stream lives unless it was left.
  absl::Status Wait();

 private:
  const Driver* driver_;
  std::optional<CUstream> stream_;
  EventHandle event_;  // in the place of the stream
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_LAST_LAUNCH_H_
