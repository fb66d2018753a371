// What a program is run with: the options of `reprise run`, which reach the
// preloaded library through the environment.
#ifndef REPRISE_INJECT_SETTINGS_H_
#define REPRISE_INJECT_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/planner.h"

namespace reprise {

enum class ReportFormat { kNone, kText, kJson };

struct Settings {
  bool disabled = false;  // every call goes to the driver as it came
  bool dry_run = false;   // plan and report, change nothing
  bool lint = false;      // hold the packs against what kernels do
  PlanOptions plan = {};
  std::vector<std::string> packs = {};  // files, before the built-in ones
  // Launches of each executable that run the original too and compare; 0: none.
  std::uint64_t verify_launches = 0;
  ReportFormat report = ReportFormat::kText;
  std::string report_file = {};        // empty: the standard error
  std::string capture_directory = {};  // empty: no capture files

  friend bool operator==(const Settings&, const Settings&) = default;
};

// One variable of the environment.
struct Variable {
  std::string name;
  std::string value;

  friend bool operator==(const Variable&, const Variable&) = default;
};

// What ParseSettings turns back into the settings; only what differs from the
// defaults.
std::vector<Variable> ToEnvironment(const Settings& settings);

// The value of a variable, or null.
using Environment = std::function<const char*(const char* name)>;

// REPRISE_DISABLE          anything but empty or 0: do nothing
// REPRISE_DRY_RUN          likewise: plan and report, change nothing
// REPRISE_LINT             likewise: hold the packs against the kernels
// REPRISE_DISABLE_PASSES   PASS,...
// REPRISE_EVENT_BRANCHES   original | proven
// REPRISE_DEAD_STORES      0 or 1
// REPRISE_RELAX            0 or 1
// REPRISE_RELAX_WIDTH      nodes at once
// REPRISE_PACKS            FILE:...
// REPRISE_VERIFY           launches of each executable
// REPRISE_REPORT           none | text | json
// REPRISE_REPORT_FILE      FILE
// REPRISE_CAPTURE          DIRECTORY
// InvalidArgument names the variable that cannot be read.
absl::StatusOr<Settings> ParseSettings(const Environment& environment);

}  // namespace reprise

#endif  // REPRISE_INJECT_SETTINGS_H_
