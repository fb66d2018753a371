// A launch report as text, JSON and CSV.
#ifndef REPRISE_TOOLS_LAUNCH_REPORT_H_
#define REPRISE_TOOLS_LAUNCH_REPORT_H_

#include <string>

#include "absl/types/span.h"
#include "planner/ledger.h"
#include "planner/summary.h"
#include "replay/launch_counts.h"
#include "tools/ledger_report.h"

namespace reprise {

// A table of launches a replay, by kernel function and then by kind of node, as
// they were counted, or else as the graphs hold them; and what is to be said of
// it. A count that is no whole number of launches a replay has two decimals.
std::string LaunchText(const LaunchReport& report);

// One JSON object:
//   replays       counted, of each graph; 0: none
//   not_counted   why, or null
//   kernels       [{kernel, symbol, op, nodes, counted, removed}]
//   kinds         [{kind, nodes, counted, removed}]
//   outside       executions that no graph launched
//   mismatches    sentences
//   replay_us     null, or {before, after} of {median, spread}
//   images        what images cost (tools/ledger_report.h)
// `nodes`, `counted` and `outside` are {before, after}; `counted` and `outside`
// are sums over all replays, and `counted` is null for what nobody counts.
std::string LaunchJson(const LaunchReport& report,
                       absl::Span<const LedgerLine> ledger = {},
                       absl::Span<const MeasuredImages> measured = {});

// A line a kernel and a line for each other kind of node, below a line of
// names. Counts are sums over all replays, and empty where there are none.
std::string LaunchCsv(const LaunchReport& report);

// One line: how many quantizers a replay the plan predicts before and after,
// and whether as many were counted.
std::string PredictionText(const Summary& summary, const LaunchReport& report);

}  // namespace reprise

#endif  // REPRISE_TOOLS_LAUNCH_REPORT_H_
