// What became of one graph, as a run counts it.
#ifndef REPRISE_INJECT_OUTCOME_COUNTS_H_
#define REPRISE_INJECT_OUTCOME_COUNTS_H_

#include "inject/program_counts.h"
#include "replay/prepare_graph.h"

namespace reprise {

ProgramCounts CountOutcome(const Outcome& outcome);

}  // namespace reprise

#endif  // REPRISE_INJECT_OUTCOME_COUNTS_H_
