// The packs of a command line.
#ifndef REPRISE_TOOLS_PACK_FLAGS_H_
#define REPRISE_TOOLS_PACK_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace reprise {

// --pack FILE, as often as wanted.
void AddPack(CLI::App& app, std::vector<std::string>& files);

}  // namespace reprise

#endif  // REPRISE_TOOLS_PACK_FLAGS_H_
