// The options of a command line that become PlanOptions.
#ifndef REPRISE_TOOLS_PLAN_FLAGS_H_
#define REPRISE_TOOLS_PLAN_FLAGS_H_

#include <CLI/CLI.hpp>

#include "planner/planner.h"

namespace reprise {

// --event-branches original|proven
void AddEventBranches(CLI::App& app, PlanOptions& options);

// --dead-stores. Before --disable, which may switch it off again.
void AddDeadStores(CLI::App& app, PlanOptions& options);

// --relax --relax-width N. Before --disable, which may switch it off again.
void AddRelax(CLI::App& app, PlanOptions& options);

// --disable PASS,...
void AddDisable(CLI::App& app, PlanOptions& options);

}  // namespace reprise

#endif  // REPRISE_TOOLS_PLAN_FLAGS_H_
