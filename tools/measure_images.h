// Measures what a plan's ledger predicts, on a GPU. Only in a build with CUDA.
#ifndef REPRISE_TOOLS_MEASURE_IMAGES_H_
#define REPRISE_TOOLS_MEASURE_IMAGES_H_

#include <cuda.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "driver/driver.h"
#include "planner/ledger.h"
#include "planner/plan.h"
#include "tools/gpu.h"
#include "tools/ledger_report.h"

namespace reprise {

// The times, by line: what replays of the captured graph gain when they leave
// the line's quantizers out, and when they leave only those out that the plan
// removes. Readers then find old images, for which they take as long. Leaves no
// bytes that mean anything.
absl::StatusOr<std::vector<MeasuredImages>> TimeImages(
    const Driver& driver, const CapturedStep& step, const Plan& plan,
    absl::Span<const LedgerLine> ledger, CUstream stream);

}  // namespace reprise

#endif  // REPRISE_TOOLS_MEASURE_IMAGES_H_
