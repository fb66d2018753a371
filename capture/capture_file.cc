#include "capture/capture_file.h"

#include "absl/strings/match.h"
#include "capture/file_bytes.h"
#include "capture/gzip.h"

namespace reprise {

absl::StatusOr<Graph> ReadCapture(const std::string& path,
                                  std::size_t max_bytes) {
  absl::StatusOr<std::string> bytes = ReadBytes(path, max_bytes);
  if (!bytes.ok()) return bytes.status();
  if (IsGzip(*bytes)) {
    bytes = UnpackGzip(*bytes, max_bytes);
    if (!bytes.ok()) return InFile(path, bytes.status());
  }
  absl::StatusOr<Graph> graph = ParseCapture(*bytes);
  if (!graph.ok()) return InFile(path, graph.status());
  return graph;
}

absl::Status WriteCapture(const Graph& graph, const std::string& path) {
  std::string text = FormatCapture(graph);
  if (!absl::EndsWith(path, ".gz")) return WriteBytes(path, text);
  const absl::StatusOr<std::string> packed = PackGzip(text);
  return packed.ok() ? WriteBytes(path, *packed)
                     : InFile(path, packed.status());
}

}  // namespace reprise
