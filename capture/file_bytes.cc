#include "capture/file_bytes.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

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

absl::Status WriteBytes(const std::string& path, absl::string_view bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, path);
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  // Closing flushes: only then is a full disk known.
  const bool closed = std::fclose(file.release()) == 0;
  return written && closed ? absl::OkStatus()
                           : absl::ErrnoToStatus(errno, path);
}

absl::Status InFile(const std::string& path, const absl::Status& error) {
  return absl::Status(error.code(), absl::StrCat(path, ": ", error.message()));
}

}  // namespace reprise
