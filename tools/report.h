// reprise report: what a replay launches and how long it takes, before and
// after.
#ifndef REPRISE_TOOLS_REPORT_H_
#define REPRISE_TOOLS_REPORT_H_

#include <string>

#include "absl/status/status.h"
#include "examples/decoder/options.h"
#include "planner/planner.h"

namespace reprise {

enum class ReportFormat { kText, kJson, kCsv };

struct ReportFlags {
  ReportFormat format = ReportFormat::kText;
  std::string trace;  // a file, or empty: none
  int replays = 3;    // that are counted, of each graph
  decoder::Options model;
  PlanOptions plan;
};

// Prints the report. DataLoss where a count is not what the graphs hold.
// Only in a build with CUDA (tools/cuda_backend.h).
absl::Status RunReport(const ReportFlags& flags);

}  // namespace reprise

#endif  // REPRISE_TOOLS_REPORT_H_
