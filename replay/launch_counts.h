// What a replay launches, before and after a rewrite: what the two graphs hold,
// and beside it what a profiler counted. Pure data and arithmetic.
//
//   LaunchReport report = MakeLaunchReport(graph, rewritten);
//   AddCounts(original, planned, report);
//   for (const std::string& sentence : Mismatches(report)) ...
//
// The two must be equal, count by count. Where they are not, either the graph
// that ran is another one or the count is wrong; the report says so and shows
// both.
#ifndef REPRISE_REPLAY_LAUNCH_COUNTS_H_
#define REPRISE_REPLAY_LAUNCH_COUNTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "planner/rewrite.h"
#include "replay/node_record.h"

namespace reprise {

// What ran, in sums over all replays.
struct LaunchCounts {
  std::uint64_t replays = 0;
  std::map<std::string, std::uint64_t> kernels;  // by symbol
  std::uint64_t copies = 0;
  std::uint64_t fills = 0;
  std::uint64_t outside = 0;  // what no graph launched; in no other count

  friend bool operator==(const LaunchCounts&, const LaunchCounts&) = default;
};

LaunchCounts CountLaunches(absl::Span<const NodeRecord> records,
                           std::uint64_t replays);

struct BeforeAfter {
  std::uint64_t before = 0;
  std::uint64_t after = 0;

  friend bool operator==(const BeforeAfter&, const BeforeAfter&) = default;
};

// A kernel, or a kind of node.
struct LaunchRow {
  std::string name;  // the kernel's symbol; the kind's name
  // Of a kernel: its op's first word ("quantize", "rms_norm", "glu", "matvec",
  // "other"; graph/op.h). Empty for a kernel that neither graph has.
  std::string op = {};
  BeforeAfter nodes = {};
  std::uint64_t removed = 0;  // captured nodes that the rewritten graph lacks
  // Executions over all replays, where they were counted: an event or a host
  // call never is.
  std::optional<BeforeAfter> counted = {};

  friend bool operator==(const LaunchRow&, const LaunchRow&) = default;
};

// Microseconds a replay takes, measured without a profiler.
struct ReplayTime {
  double median_us = 0;
  double spread_us = 0;  // the slowest less the fastest

  friend bool operator==(const ReplayTime&, const ReplayTime&) = default;
};

struct ReplayTimes {
  ReplayTime before;
  ReplayTime after;

  friend bool operator==(const ReplayTimes&, const ReplayTimes&) = default;
};

struct LaunchReport {
  // In the order of the captured graph; a kernel that only the rewritten graph
  // has stands below the one that it replaces.
  std::vector<LaunchRow> kernels;
  // Kinds that one of the graphs has, "kernel" among them.
  std::vector<LaunchRow> kinds;
  std::uint64_t replays = 0;  // that were counted, of each graph
  std::string not_counted;    // why nothing was counted, where it is known
  BeforeAfter outside;        // counted executions that no graph launched
  std::optional<ReplayTimes> times;  // the caller's to fill in

  friend bool operator==(const LaunchReport&, const LaunchReport&) = default;
};

// Nodes only. REQUIRES: `rewritten` was made from `graph`.
LaunchReport MakeLaunchReport(const Graph& graph, const Rewritten& rewritten);

// A counted kernel that neither graph has gets a row of its own, at the end.
// REQUIRES: both are of the same number of replays, at least one.
void AddCounts(const LaunchCounts& original, const LaunchCounts& rewritten,
               LaunchReport& report);

// The sum of the rows' nodes.
BeforeAfter TotalNodes(absl::Span<const LaunchRow> rows);

// A sentence for each count that is not what the graph holds times the replays:
// "original: quantize_q8_1 ran 5 times in 3 replays of a graph with 2".
std::vector<std::string> Mismatches(const LaunchReport& report);

}  // namespace reprise

#endif  // REPRISE_REPLAY_LAUNCH_COUNTS_H_
