// The subcommands, one file each: tools/NAME_command.cc.
//
// To add one, write its function, and a line here and in the table of main.cc.
#ifndef REPRISE_TOOLS_COMMANDS_H_
#define REPRISE_TOOLS_COMMANDS_H_

#include <functional>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace reprise {

// Does the work once the options are read. Prints what was asked for to the
// standard output; an error becomes one line on the standard error.
using Action = std::function<absl::Status()>;

// Each adds its options to `app`, which must outlive the action.
Action AddDemoCommand(CLI::App& app);
Action AddDotCommand(CLI::App& app);
Action AddLintCommand(CLI::App& app);
Action AddPlanCommand(CLI::App& app);
Action AddReportCommand(CLI::App& app);
Action AddRunCommand(CLI::App& app);
Action AddSignaturesCommand(CLI::App& app);

}  // namespace reprise

#endif  // REPRISE_TOOLS_COMMANDS_H_
