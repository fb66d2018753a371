// What an executable costs: at a replay, beside the same graph instantiated by
// hand, and when it is made and brought to another capture.
#ifndef REPRISE_BENCHMARKS_EXECUTABLE_COSTS_H_
#define REPRISE_BENCHMARKS_EXECUTABLE_COSTS_H_

#include <benchmark/benchmark.h>

#include <vector>

#include "benchmarks/summary.h"
#include "driver/driver.h"

namespace reprise {

// Registers rows of a small decoder with about 650 nodes, in microseconds:
//   executable/replay             a replay of a graph that the plan leaves as
//   it
//                                 is; overhead_percent over the same by hand
//   executable/create             import, plan, emission and instantiation;
//                                 instantiate_us is the driver's part, by hand
//   executable/update_unchanged   to the same capture once more
//   executable/update_one         to one with another pointer in one launch
//   executable/update_patch       to one with other pointers in all
//   executable/update_driver      to one that only the driver can bring it to
// The host's times are medians of nine; an update is of the rewritten graph
// alone, with ns_per_node of the captured one. Each row that runs adds what it
// found to `costs`, and the first its overhead. REQUIRES: both outlive the run.
void RegisterExecutableCosts(const Driver& driver,
                             std::vector<NamedValue>& costs);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_EXECUTABLE_COSTS_H_
