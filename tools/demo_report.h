// What `reprise demo` says about a run.
#ifndef REPRISE_TOOLS_DEMO_REPORT_H_
#define REPRISE_TOOLS_DEMO_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "examples/decoder/options.h"
#include "graph/graph.h"
#include "planner/rewrite.h"
#include "planner/summary.h"
#include "replay/verdict.h"

namespace reprise {

// "dense q4_0 decoder on the host: 2 layers, ..." and an empty line.
std::string Headline(const decoder::Options& model, absl::string_view place,
                     const GraphCounts& counts);

// Launches of one replay by kernel, before and after, in the order in which
// the kernels first appear; an emitting kernel under the one that it replaces.
std::string LaunchTable(const Graph& graph, const Rewritten& rewritten);

// One line: identical in how much, or different where.
std::string VerdictText(const Graph& graph, const Verdict& verdict);

// The same of a loop that compared so many replays.
std::string LoopVerdictText(const Graph& graph, std::uint64_t replays,
                            const std::optional<Difference>& difference);

// One line on a greedy run with and without Reprise.
std::string GreedyText(int tokens, bool agree);

// What the command fails with where bytes differ.
absl::Status OtherBytes();

}  // namespace reprise

#endif  // REPRISE_TOOLS_DEMO_REPORT_H_
