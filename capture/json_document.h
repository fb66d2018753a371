// JSON text as a value, for text that nobody vouches for.
//
// Before a value is built, the nesting and the number of keys in one object are
// checked over the whole text: hostile shapes are refused while they still cost
// nothing. An error names the line and the column.
#ifndef REPRISE_CAPTURE_JSON_DOCUMENT_H_
#define REPRISE_CAPTURE_JSON_DOCUMENT_H_

#include <cstddef>
#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace reprise {

// Keeps the keys of an object in their order; a lookup is linear in them.
using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxJsonDepth = 32;
inline constexpr std::size_t kMaxJsonKeys = 256;  // in one object

// InvalidArgument, one line: "line 3, column 7: unexpected end of input".
absl::StatusOr<Json> ParseJson(absl::string_view text);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_JSON_DOCUMENT_H_
