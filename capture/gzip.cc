#include "capture/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

constexpr int kGzipWindow = 15 + 16;  // largest window, gzip header
constexpr std::size_t kFirstRoom = std::size_t{1} << 16;

// zlib does not write to its input, but asks for a pointer that could.
Bytef* Input(absl::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

Bytef* Output(std::string& out, std::size_t at) {
  return reinterpret_cast<Bytef*>(&out[at]);
}

struct Inflater {
  z_stream stream = {};
  ~Inflater() { inflateEnd(&stream); }
};

struct Deflater {
  z_stream stream = {};
  ~Deflater() { deflateEnd(&stream); }
};

// Room for one byte more than the limit, so that passing it shows.
void Grow(std::size_t max_bytes, std::string& out) {
  const std::size_t doubled = std::max(kFirstRoom, 2 * out.size());
  out.resize(max_bytes < doubled ? max_bytes + 1 : doubled);
}

}  // namespace

bool IsGzip(absl::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

absl::StatusOr<std::string> PackGzip(absl::string_view text) {
  Deflater deflater;
  z_stream& z = deflater.stream;
  if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow,
                   /*memLevel=*/9, Z_DEFAULT_STRATEGY) != Z_OK) {
    return absl::ResourceExhaustedError("gzip: no memory to pack with");
  }
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = Input(text);
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = Output(out, 0);
  z.avail_out = static_cast<uInt>(out.size());
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
    return absl::InternalError("gzip: packing did not end");
  }
  out.resize(out.size() - z.avail_out);
  return out;
}

absl::StatusOr<std::string> UnpackGzip(absl::string_view bytes,
                                       std::size_t max_bytes) {
  Inflater inflater;
  z_stream& z = inflater.stream;
  if (inflateInit2(&z, kGzipWindow) != Z_OK) {
    return absl::ResourceExhaustedError("gzip: no memory to unpack with");
  }
  z.next_in = Input(bytes);
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::size_t used = 0;
  while (true) {
    if (used == out.size()) Grow(max_bytes, out);
    z.next_out = Output(out, used);
    z.avail_out = static_cast<uInt>(out.size() - used);
    const int code = inflate(&z, Z_NO_FLUSH);
    used = out.size() - z.avail_out;
    if (used > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("gzip: unpacks to more than ", max_bytes, " bytes"));
    }
    if (code == Z_STREAM_END) {
      if (z.avail_in == 0) break;
      inflateReset(&z);  // the next member
    } else if (code == Z_BUF_ERROR ||
               (code == Z_OK && z.avail_in == 0 && z.avail_out > 0)) {
      return absl::InvalidArgumentError("gzip: cut short");
    } else if (code != Z_OK) {
      return absl::InvalidArgumentError(
          absl::StrCat("gzip: ", z.msg != nullptr ? z.msg : "damaged"));
    }
  }
  out.resize(used);
  return out;
}

}  // namespace reprise
