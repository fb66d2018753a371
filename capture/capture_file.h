// A captured graph as a file: `cuda-graph-capture` version 1, JSON, plain or
// gzip. What is read can be written back unchanged.
//
// The format is described in docs/capture_file.md. Reading gives nodes with
// their launches, edges and allocations; what kernels mean and touch comes
// afterwards from packs (capture/annotate.h). Unknown keys are ignored.
#ifndef REPRISE_CAPTURE_CAPTURE_FILE_H_
#define REPRISE_CAPTURE_CAPTURE_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/graph.h"

namespace reprise {

// The most that a capture may unpack to; a larger one is refused, so that a
// small hostile file cannot take all memory.
inline constexpr std::size_t kMaxCaptureBytes = std::size_t{1} << 30;

// Errors, each one line with the place ("nodes[12].params[3].bytes: odd number
// of hex digits")
//   NotFound          no such file
//   InvalidArgument   not JSON, wrong types, ids out of range, duplicate or
//                     self edges, a cycle, bad hex, numbers out of range,
//                     nesting deeper than the format needs
//   ResourceExhausted larger than max_bytes, packed or unpacked
// and what the system says when a file cannot be opened or read.
absl::StatusOr<Graph> ReadCapture(const std::string& path,
                                  std::size_t max_bytes = kMaxCaptureBytes);
absl::StatusOr<Graph> ParseCapture(absl::string_view json);

// One node and one edge a line, keys in the format's order.
// REQUIRES: every kernel, copy and fill carries its launch or transfer, and the
// parameters of a launch lie in its buffer.
std::string FormatCapture(const Graph& graph);

// Packs the text when the path ends in ".gz".
absl::Status WriteCapture(const Graph& graph, const std::string& path);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_CAPTURE_FILE_H_
