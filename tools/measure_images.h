// Measures what a plan's ledger predicts, on a GPU. Only in a build with CUDA.
#ifndef REPRISE_TOOLS_MEASURE_IMAGES_H_
#define REPRISE_TOOLS_MEASURE_IMAGES_H_

#include <cuda.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "driver/driver.h"
#include "graph/graph.h"
#include "planner/ledger.h"
#include "planner/plan.h"
#include "tools/ledger_report.h"

namespace reprise {

// The times, by line: what a line's quantizers take in a row, with nothing else
// between them, and what those of them take that the plan keeps.
absl::StatusOr<std::vector<MeasuredImages>> TimeImages(
    const Driver& driver, const Graph& captured, const Plan& plan,
    absl::Span<const LedgerLine> ledger, CUstream stream);

}  // namespace reprise

#endif  // REPRISE_TOOLS_MEASURE_IMAGES_H_
