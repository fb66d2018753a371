// The ways in which a captured step of a model is replayed, timed in turn.
#ifndef REPRISE_BENCHMARKS_STEP_ARMS_H_
#define REPRISE_BENCHMARKS_STEP_ARMS_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>

#include "benchmarks/device/region_timer.h"
#include "driver/driver.h"
#include "examples/decoder/options.h"
#include "planner/planner.h"

namespace reprise {

struct Arm {
  const char* name;
  PlanOptions plan;
  std::uint32_t launches = 0;  // of kernels, a step
  Timing timing = {};
};

// Of an arm that runs as it was captured.
PlanOptions OriginalPlan();

// Times all arms, each a replay of the whole step with programmatic
// dependencies at the last positions of the cache, and sets of each the
// counters NAME_us, NAME_spread and NAME_launches. Where an arm drops stores,
// the outputs are declared. Fails where the arms do not leave the same logits,
// and where these are no numbers. Returns, and sets as quantizers_us, what the
// step's quantizers take in a row with nothing else, timed among the arms.
double MeasureArms(const Driver& driver, const decoder::Options& options,
                   std::span<Arm* const> arms, benchmark::State& state);

// Whether this build has the kernels of all the model's weights.
bool IsBuilt(const decoder::Options& options);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_STEP_ARMS_H_
