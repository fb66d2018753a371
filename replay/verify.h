// Runs an original and a rewritten program side by side on the host and
// compares every byte they leave: the proof of a plan on real inputs.
//
//   absl::StatusOr<Plan> plan = MakePlan(graph);
//   absl::StatusOr<Verdict> verdict = Verify(graph, *plan, start, refresh);
//   if (verdict.ok() && !verdict->equal()) ...ToText(graph, *difference)
//
// Both start from the same memory. Before each replay `refresh` writes the new
// inputs into both, and the arena is filled with a pattern of that replay, so
// that an image which is not refreshed is never right by chance; so is the
// place of floats that the plan drops, when their producer has run (a relaxed
// plan may have them overwritten by then: that place is left alone). What is
// compared and what is skipped: replay/comparison.h.
// Threads  a pure function of its arguments, as far as the callbacks are.
#ifndef REPRISE_REPLAY_VERIFY_H_
#define REPRISE_REPLAY_VERIFY_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "planner/plan.h"
#include "planner/rewrite.h"
#include "replay/host_executable.h"
#include "replay/host_memory.h"
#include "replay/verdict.h"

namespace reprise {

using Refresh = absl::FunctionRef<void(int replay, HostMemory& memory)>;

struct VerifyOptions {
  int replays = 4;  // fewer when they differ earlier
  // By captured node. Run by both programs, each on its own memory.
  HostCalls host_calls = {};
  // In which order the rewritten program runs; as ScheduleOf takes it. The
  // original runs in the captured one.
  std::uint32_t order_seed = 0;
};

// The errors of HostExecutable::Create; InvalidArgument without a replay.
// REQUIRES: the graph is annotated, the plan was made for it, and `start` has
// what its nodes touch.
absl::StatusOr<Verdict> Verify(const Graph& graph, const Plan& plan,
                               const HostMemory& start, Refresh refresh,
                               const VerifyOptions& options = {});

// The same for a graph that is rewritten already; `arena` is where.
absl::StatusOr<Verdict> VerifyRewritten(const Graph& graph,
                                        const Rewritten& rewritten,
                                        const Allocation& arena,
                                        const HostMemory& start,
                                        Refresh refresh,
                                        const VerifyOptions& options = {});

}  // namespace reprise

#endif  // REPRISE_REPLAY_VERIFY_H_
