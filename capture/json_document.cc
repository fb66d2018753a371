#include "capture/json_document.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

// `at` is the byte in question.
absl::Status ErrorAt(absl::string_view text, std::size_t at,
                     absl::string_view what) {
  const absl::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');  // npos + 1 is 0
  return absl::InvalidArgumentError(
      absl::StrCat("line ", line, ", column ", at - start, ": ", what));
}

// Counts brackets and colons. In text that is no JSON the counts are right up
// to the first error of syntax, and nobody reads further than that.
absl::Status CheckShape(absl::string_view text) {
  std::array<std::size_t, kMaxJsonDepth + 1> keys = {};  // by depth
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (depth == kMaxJsonDepth) {
        return ErrorAt(text, i, absl::StrCat("nested deeper than ", depth));
      }
      keys[++depth] = 0;
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
    } else if (c == ':' && ++keys[depth] > kMaxJsonKeys) {
      return ErrorAt(
          text, i,
          absl::StrCat("more than ", kMaxJsonKeys, " keys in one object"));
    }
  }
  return absl::OkStatus();
}

// What the library has to say, without its own numbering and place and without
// the bytes that it met last, which may be anything.
std::string Reason(const nlohmann::detail::exception& error) {
  absl::string_view text = error.what();
  text.remove_prefix(std::min(text.find("] ") + 2, text.size()));
  if (const std::size_t place = text.find(": ");
      text.substr(0, 11) == "parse error" && place != text.npos) {
    text.remove_prefix(place + 2);
  }
  if (const std::size_t last = text.find("; last read:"); last != text.npos) {
    text = text.substr(0, last);
  }
  return std::string(text.substr(0, 120));
}

// Keeps nothing but the error.
class SyntaxCheck final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_object() override { return true; }
  bool end_array() override { return true; }
  bool key(string_t&) override { return true; }
  bool parse_error(std::size_t bytes_read, const std::string&,
                   const nlohmann::detail::exception& error) override {
    bytes_read_ = bytes_read;
    reason_ = Reason(error);
    return false;
  }

  std::size_t bytes_read() const { return bytes_read_; }
  const std::string& reason() const { return reason_; }

 private:
  std::size_t bytes_read_ = 0;
  std::string reason_;
};

absl::Status SyntaxError(absl::string_view text) {
  SyntaxCheck check;
  Json::sax_parse(text.begin(), text.end(), &check);
  // The end counts as one byte more.
  const std::size_t read = std::clamp(check.bytes_read(), std::size_t{1},
                                      std::max(text.size(), std::size_t{1}));
  return ErrorAt(text, read - 1, check.reason());
}

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text) {
  if (absl::Status shape = CheckShape(text); !shape.ok()) return shape;
  Json value = Json::parse(text.begin(), text.end(), nullptr,
                           /*allow_exceptions=*/false);
  if (value.is_discarded()) return SyntaxError(text);
  return value;
}

}  // namespace reprise
