// Starts a program with the library of inject/preload/ in front of it.
#ifndef REPRISE_TOOLS_PRELOADED_PROGRAM_H_
#define REPRISE_TOOLS_PRELOADED_PROGRAM_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "inject/settings.h"

namespace reprise {

struct PreloadedProgram {
  Settings settings;
  std::vector<std::string> command;  // a path or a name, and its arguments
};

// PROGRAM and its arguments, behind --.
void AddProgram(CLI::App& app, PreloadedProgram& program);

// Becomes the program: returns only what went wrong.
// Errors, for both: NotFound without the library, those of ReadPack for a pack
// that cannot be read, and what the system says.
absl::Status BecomeProgram(PreloadedProgram program);

// Its exit status, or 128 and the number of the signal that ended it.
absl::StatusOr<int> RunProgram(PreloadedProgram program);

}  // namespace reprise

#endif  // REPRISE_TOOLS_PRELOADED_PROGRAM_H_
