// The passes that can be left out, by the names that people give them.
#ifndef REPRISE_PLANNER_PASS_NAMES_H_
#define REPRISE_PLANNER_PASS_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "planner/planner.h"

namespace reprise {

struct NamedPass {
  absl::string_view name;
  bool PlanOptions::*enabled;
};

// In the order in which they run.
absl::Span<const NamedPass> NamedPasses();

// Null where no pass has that name.
const NamedPass* FindPass(absl::string_view name);

// "sharing, placement, ...": for messages.
std::string PassNames();

}  // namespace reprise

#endif  // REPRISE_PLANNER_PASS_NAMES_H_
