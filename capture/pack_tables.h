// What a pack says about template arguments: the sizes of C++ types and the
// weight formats behind an engine's own numbers.
#ifndef REPRISE_CAPTURE_PACK_TABLES_H_
#define REPRISE_CAPTURE_PACK_TABLES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace reprise {

struct BlockFormat {
  std::string name;  // of a weight format, or of an element type
  std::int64_t values = 1;
  std::int64_t bytes = 0;
};

struct PackTables {
  absl::flat_hash_map<std::string, std::int64_t> type_bytes;
  absl::flat_hash_map<std::string, BlockFormat> formats;

  // A template argument may also name a weight format as it is.
  std::optional<BlockFormat> FindFormat(absl::string_view argument) const;
};

// A weight format of graph/weight_format.h or an element type, which counts as
// blocks of one value.
std::optional<BlockFormat> FindBlockFormat(absl::string_view name);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_PACK_TABLES_H_
