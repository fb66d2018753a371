// Text packed as gzip, and back.
#ifndef REPRISE_CAPTURE_GZIP_H_
#define REPRISE_CAPTURE_GZIP_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace reprise {

// By the first bytes, whatever the file is called.
bool IsGzip(absl::string_view bytes);

// The same text gives the same bytes: no time and no name is stored.
// REQUIRES: less than 4 GiB, as for UnpackGzip.
absl::StatusOr<std::string> PackGzip(absl::string_view text);

// One or more gzip members, as `cat a.gz b.gz` makes them.
//
// Errors
//   InvalidArgument    damaged, cut short, or something else follows
//   ResourceExhausted  more than max_bytes come out; no more than that, and
//                      as much again while growing, is ever held
absl::StatusOr<std::string> UnpackGzip(absl::string_view bytes,
                                       std::size_t max_bytes);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_GZIP_H_
