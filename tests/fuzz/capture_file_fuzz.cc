// Any bytes are a capture or an error; what is a capture is written as text
// that reads back as the same capture. Plain or packed, as a file would be.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "capture/capture_file.h"
#include "capture/gzip.h"

namespace {

constexpr std::size_t kMaxUnpacked = std::size_t{1} << 20;

void Require(bool holds) {
  if (!holds) std::abort();
}

void ReadAndWrite(absl::string_view text) {
  const absl::StatusOr<reprise::Graph> graph = reprise::ParseCapture(text);
  if (!graph.ok()) {
    const absl::string_view message = graph.status().message();
    Require(!message.empty() && message.find('\n') == message.npos);
    return;
  }
  const std::string written = reprise::FormatCapture(*graph);
  const absl::StatusOr<reprise::Graph> again = reprise::ParseCapture(written);
  Require(again.ok());
  Require(reprise::FormatCapture(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!reprise::IsGzip(bytes)) {
    ReadAndWrite(bytes);
    return 0;
  }
  const absl::StatusOr<std::string> text =
      reprise::UnpackGzip(bytes, kMaxUnpacked);
  if (text.ok()) ReadAndWrite(*text);
  return 0;
}
