// The packs of a command line.
#ifndef REPRISE_TOOLS_PACK_FLAGS_H_
#define REPRISE_TOOLS_PACK_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "capture/pack.h"

namespace reprise {

// --pack FILE, as often as wanted.
void AddPack(CLI::App& app, std::vector<std::string>& files);

// Those of the files, in their order, then the built-in ones: of several
// signatures that recognise a launch the first counts.
absl::StatusOr<std::vector<Pack>> LoadPacks(
    absl::Span<const std::string> files);

}  // namespace reprise

#endif  // REPRISE_TOOLS_PACK_FLAGS_H_
