// A file as bytes; an error begins with the file's path.
#ifndef REPRISE_CAPTURE_FILE_BYTES_H_
#define REPRISE_CAPTURE_FILE_BYTES_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace reprise {

// ResourceExhausted when there is more than `max_bytes`, else what the system
// says.
absl::StatusOr<std::string> ReadBytes(const std::string& path,
                                      std::size_t max_bytes);
absl::Status WriteBytes(const std::string& path, absl::string_view bytes);

// The error with the path put in front: "decode.json: line 2, column 31: ...".
absl::Status InFile(const std::string& path, const absl::Status& error);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_FILE_BYTES_H_
