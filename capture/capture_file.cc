#include "capture/capture_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "capture/gzip.h"

namespace reprise {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

absl::Status At(const std::string& path, const absl::Status& error) {
  return absl::Status(error.code(), absl::StrCat(path, ": ", error.message()));
}

absl::StatusOr<std::string> ReadBytes(const std::string& path,
                                      std::size_t max_bytes) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, path);
  std::string bytes;
  char part[1 << 16];
  while (const std::size_t read =
             std::fread(part, 1, sizeof(part), file.get())) {
    bytes.append(part, read);
    if (bytes.size() > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": larger than ", max_bytes, " bytes"));
    }
  }
  if (std::ferror(file.get())) return absl::ErrnoToStatus(errno, path);
  return bytes;
}

absl::Status WriteBytes(const std::string& path, const std::string& bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, path);
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  // Closing flushes: only then is a full disk known.
  const bool closed = std::fclose(file.release()) == 0;
  return written && closed ? absl::OkStatus()
                           : absl::ErrnoToStatus(errno, path);
}

}  // namespace

absl::StatusOr<Graph> ReadCapture(const std::string& path,
                                  std::size_t max_bytes) {
  absl::StatusOr<std::string> bytes = ReadBytes(path, max_bytes);
  if (!bytes.ok()) return bytes.status();
  if (IsGzip(*bytes)) {
    bytes = UnpackGzip(*bytes, max_bytes);
    if (!bytes.ok()) return At(path, bytes.status());
  }
  absl::StatusOr<Graph> graph = ParseCapture(*bytes);
  if (!graph.ok()) return At(path, graph.status());
  return graph;
}

absl::Status WriteCapture(const Graph& graph, const std::string& path) {
  std::string text = FormatCapture(graph);
  if (!absl::EndsWith(path, ".gz")) return WriteBytes(path, text);
  const absl::StatusOr<std::string> packed = PackGzip(text);
  return packed.ok() ? WriteBytes(path, *packed) : At(path, packed.status());
}

}  // namespace reprise
