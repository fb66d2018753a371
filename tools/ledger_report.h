// What images cost, as a table and as JSON: what a plan predicts and, where it
// ran, what was measured beside it.
#ifndef REPRISE_TOOLS_LEDGER_REPORT_H_
#define REPRISE_TOOLS_LEDGER_REPORT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "planner/ledger.h"
#include "replay/launch_counts.h"
#include "replay/node_record.h"

namespace reprise {

// Of a line's quantizers.
struct MeasuredImages {
  // Executions over all replays, where a profiler could count them.
  std::optional<BeforeAfter> counted = std::nullopt;
  // What they take in a row in one replay, without a profiler.
  double us_before = 0;
  double us_after = 0;
};

// By layout and width; empty where the graph makes no image.
// REQUIRES: nothing was measured, or each line was.
std::string LedgerTable(absl::Span<const LedgerLine> ledger,
                        absl::Span<const MeasuredImages> measured = {});

// An array of {layout, columns, before, after}, both of {launches, bytes}; and
// where it was measured, {counted, us}: sums over all replays, or null, and the
// time of one.
nlohmann::ordered_json LedgerJson(
    absl::Span<const LedgerLine> ledger,
    absl::Span<const MeasuredImages> measured = {});

// A sentence for each line whose count over that many replays is not what the
// plan predicts.
std::vector<std::string> Mismatches(absl::Span<const LedgerLine> ledger,
                                    absl::Span<const MeasuredImages> measured,
                                    std::uint64_t replays);

// By line: how often its quantizers ran in replays of `graph`. `captured` has,
// by node of it, the node that was captured.
std::vector<std::uint64_t> RanByLine(
    absl::Span<const std::vector<NodeId>> quantizers, const Graph& graph,
    absl::Span<const NodeId> captured, absl::Span<const NodeRecord> records);

}  // namespace reprise

#endif  // REPRISE_TOOLS_LEDGER_REPORT_H_
