// Times device work by regions: many turns of it inside one pair of events.
//
// A region lasts at least 5 ms, so that neither the events nor the first launch
// count. Of several works one region each is timed in every round, so that a
// drift of the clocks meets all alike; the median of five rounds stands.
#ifndef REPRISE_BENCHMARKS_DEVICE_REGION_TIMER_H_
#define REPRISE_BENCHMARKS_DEVICE_REGION_TIMER_H_

#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <vector>

#include "benchmarks/device/handles.h"

namespace reprise {

struct Timing {
  double us = 0;      // one turn, in the median region
  double spread = 0;  // (longest - shortest) / median of the regions
};

// Enqueues one turn.
using Work = std::function<void(cudaStream_t)>;

// Finding out how many turns make a region is the warm-up.
std::vector<Timing> TimeInRounds(std::span<const Work> works);

// A turn is a replay.
std::vector<Timing> TimeInRounds(std::span<const GraphExec> graphs);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_REGION_TIMER_H_
