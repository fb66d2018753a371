#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "driver/cuda_status.h"
#include "examples/decoder/device_handles.h"
#include "tools/replay_timer.h"

namespace reprise {
namespace {

constexpr int kRounds = 5;
constexpr double kRegionUs = 5000;
// A region that just reached its length may fall short of it next time.
constexpr double kMargin = 1.2;

class RegionTimer {
 public:
  static absl::StatusOr<RegionTimer> Create(CUstream stream) {
    absl::StatusOr<decoder::OwnedEvent> begin =
        decoder::MakeEvent(cudaEventDefault);
    if (!begin.ok()) return begin.status();
    absl::StatusOr<decoder::OwnedEvent> end =
        decoder::MakeEvent(cudaEventDefault);
    if (!end.ok()) return end.status();
    return RegionTimer(stream, *std::move(begin), *std::move(end));
  }

  // Of all `count` replays. One more in front keeps the device busy while the
  // first that counts is enqueued.
  absl::StatusOr<double> RegionUs(const Replay& replay, int count) const {
    if (absl::Status s = replay(); !s.ok()) return s;
    if (absl::Status s = Record(begin_); !s.ok()) return s;
    for (int i = 0; i < count; ++i) {
      if (absl::Status s = replay(); !s.ok()) return s;
    }
    if (absl::Status s = Record(end_); !s.ok()) return s;
    float milliseconds = 0;
    cudaError_t result = cudaEventSynchronize(end_.get());
    if (result == cudaSuccess) {
      result = cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get());
    }
    if (result != cudaSuccess) return CudaStatus(result, "time the replays");
    return 1000.0 * milliseconds;
  }

  // How many replays make a region.
  absl::StatusOr<int> ReplaysOfARegion(const Replay& replay) const {
    int count = 1;
    for (;;) {
      const absl::StatusOr<double> us = RegionUs(replay, count);
      if (!us.ok()) return us.status();
      if (*us >= kMargin * kRegionUs) return count;
      const double wanted = count * kMargin * kMargin * kRegionUs / *us;
      count = static_cast<int>(
          std::ceil(std::clamp(wanted, count + 1.0, count * 100.0)));
    }
  }

 private:
  RegionTimer(CUstream stream, decoder::OwnedEvent begin,
              decoder::OwnedEvent end)
      : stream_(stream), begin_(std::move(begin)), end_(std::move(end)) {}

  absl::Status Record(const decoder::OwnedEvent& event) const {
    return CudaStatus(cudaEventRecord(event.get(), stream_), "record an event");
  }

  CUstream stream_;
  decoder::OwnedEvent begin_;
  decoder::OwnedEvent end_;
};

ReplayTime TimeOf(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  return {us[us.size() / 2], us.back() - us.front()};
}

}  // namespace

absl::StatusOr<std::vector<ReplayTime>> TimeReplays(
    CUstream stream, absl::Span<const Replay> replays) {
  const absl::StatusOr<RegionTimer> timer = RegionTimer::Create(stream);
  if (!timer.ok()) return timer.status();
  std::vector<int> counts;
  for (const Replay& replay : replays) {
    const absl::StatusOr<int> count = timer->ReplaysOfARegion(replay);
    if (!count.ok()) return count.status();
    counts.push_back(*count);
  }
  std::vector<std::vector<double>> times(replays.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < replays.size(); ++i) {
      const absl::StatusOr<double> us = timer->RegionUs(replays[i], counts[i]);
      if (!us.ok()) return us.status();
      times[i].push_back(*us / counts[i]);
    }
  }
  std::vector<ReplayTime> medians;
  for (std::vector<double>& us : times) {
    medians.push_back(TimeOf(std::move(us)));
  }
  return medians;
}

}  // namespace reprise
