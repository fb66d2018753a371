// All packs that somebody works with.
#ifndef REPRISE_CAPTURE_PACK_LIST_H_
#define REPRISE_CAPTURE_PACK_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "capture/pack.h"

namespace reprise {

// Those of the files, in their order, then the built-in ones: of several
// signatures that recognise a launch the first counts. Errors: those of
// ReadPack.
absl::StatusOr<std::vector<Pack>> LoadPacks(
    absl::Span<const std::string> files);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_PACK_LIST_H_
