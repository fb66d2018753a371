// The options of a command line that say what decoder to build.
#ifndef REPRISE_TOOLS_MODEL_FLAGS_H_
#define REPRISE_TOOLS_MODEL_FLAGS_H_

#include <CLI/CLI.hpp>

#include "examples/decoder/options.h"

namespace reprise {

// --model, --format, --layers, --tokens, --streams. More tokens than the
// context has positions make it as long as they are.
void AddModelOptions(CLI::App& app, decoder::Options& model);

}  // namespace reprise

#endif  // REPRISE_TOOLS_MODEL_FLAGS_H_
