#include "benchmarks/device/region_timer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace reprise {
namespace {

constexpr std::size_t kRounds = 5;
constexpr double kRegionUs = 5000;
// A region that just reached its length may fall short of it next time.
constexpr double kMargin = 1.2;

class RegionTimer {
 public:
  // The time of `turns` turns. One more in front keeps the device busy while
  // the first that counts is enqueued.
  double RegionUs(const Work& work, double turns) const {
    work(stream_.get());
    CheckCuda(cudaEventRecord(begin_.get(), stream_.get()), "begin a region");
    for (double turn = 0; turn < turns; ++turn) work(stream_.get());
    CheckCuda(cudaEventRecord(end_.get(), stream_.get()), "end a region");
    CheckCuda(cudaEventSynchronize(end_.get()), "run a region");
    float milliseconds = 0;
    CheckCuda(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()),
              "time a region");
    return 1000.0 * milliseconds;
  }

  double TurnsOfARegion(const Work& work) const {
    double turns = 1;
    for (;;) {
      const double us = RegionUs(work, turns);
      if (us >= kMargin * kRegionUs) return turns;
      const double wanted = turns * kMargin * kMargin * kRegionUs / us;
      turns = std::ceil(std::clamp(wanted, turns + 1, turns * 100));
    }
  }

 private:
  Stream stream_ = MakeStream();
  Event begin_ = MakeEvent();
  Event end_ = MakeEvent();
};

}  // namespace

std::vector<Timing> TimeInRounds(std::span<const Work> works) {
  const RegionTimer timer;
  std::vector<double> turns;
  for (const Work& work : works) turns.push_back(timer.TurnsOfARegion(work));

  std::vector<std::vector<double>> regions(works.size());
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < works.size(); ++i) {
      regions[i].push_back(timer.RegionUs(works[i], turns[i]) / turns[i]);
    }
  }

  std::vector<Timing> timings;
  for (std::vector<double>& us : regions) {
    std::ranges::sort(us);
    const double median = us[kRounds / 2];
    timings.push_back({median, (us.back() - us.front()) / median});
  }
  return timings;
}

std::vector<Timing> TimeInRounds(std::span<const GraphExec> graphs) {
  std::vector<Work> works;
  for (const GraphExec& graph : graphs) {
    works.push_back([exec = graph.get()](cudaStream_t stream) {
      CheckCuda(cudaGraphLaunch(exec, stream), "replay");
    });
  }
  return TimeInRounds(works);
}

}  // namespace reprise
