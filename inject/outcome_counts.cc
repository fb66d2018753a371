#include "inject/outcome_counts.h"

#include <string>

namespace reprise {

ProgramCounts CountOutcome(const Outcome& outcome) {
  ProgramCounts counts;
  counts.graphs = 1;
  counts.nodes_before = outcome.captured.nodes;
  counts.quantizers_before = outcome.captured.quantizers;
  counts.opaque_nodes = outcome.captured.opaque;
  const GraphCounts& after =
      outcome.rewritten ? outcome.running : outcome.captured;
  counts.nodes_after = after.nodes;
  counts.quantizers_after = after.quantizers;
  for (const Decline& decline : outcome.plan.declines) {
    ++counts.declines[std::string(NameOf(decline.reason))];
  }
  for (const MissingKernel& missing : outcome.missing) {
    ++counts.unused_kernels[std::string(missing.why.message())];
  }
  if (outcome.rewritten) {
    counts.rewritten = 1;
  } else if (outcome.declined.ok()) {
    counts.nothing_to_do = 1;
  } else {
    ++counts.declined_graphs[std::string(outcome.declined.message())];
  }
  return counts;
}

}  // namespace reprise
