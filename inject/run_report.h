// The summary that a program's end is followed by.
#ifndef REPRISE_INJECT_RUN_REPORT_H_
#define REPRISE_INJECT_RUN_REPORT_H_

#include <string>

#include "absl/status/status.h"
#include "inject/program_counts.h"
#include "inject/settings.h"

namespace reprise {

// A few lines for people.
std::string TextReport(const ProgramCounts& counts, bool dry_run);
// One object on one line; docs/unmodified-programs.md has the keys.
std::string JsonReport(const ProgramCounts& counts, bool dry_run);

// What stands in every line of a LintReport that tells of a finding.
inline constexpr char kLintFinding[] = "reprise: found: ";

// Of a run under `reprise lint`.
std::string LintReport(const ProgramCounts& counts);

// Where and as the settings say: one more line, or some, behind what is there.
absl::Status WriteReport(const ProgramCounts& counts, const Settings& settings);

}  // namespace reprise

#endif  // REPRISE_INJECT_RUN_REPORT_H_
