// Reads the JSON of a pack strictly: every key must be known, every value have
// its type. The first error is kept with its place and later ones are not
// looked at, so that code which reads need not check after every line; what
// cannot be read has an empty value.
#ifndef REPRISE_CAPTURE_PACK_READER_H_
#define REPRISE_CAPTURE_PACK_READER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace reprise {

inline constexpr std::size_t kMaxPackBytes = std::size_t{1} << 24;

// InvalidArgument when the text is no JSON, is larger than any pack, or an
// object names a key twice.
absl::StatusOr<nlohmann::json> ReadJson(absl::string_view text);

class PackReader {
 public:
  static constexpr std::size_t kMaxItems = 4096;  // of one list

  // Errors start with the name: "<name>: signatures[3]: ...".
  PackReader(const nlohmann::json& value, std::string name, absl::Status* error)
      : PackReader(value, std::move(name), error, true) {}

  // Adds a name to the place: "<place> <name>: ...".
  void NameIt(absl::string_view name);

  // The value has to be an object with no other keys.
  void AllowKeys(std::initializer_list<absl::string_view> keys);

  bool Has(absl::string_view key) const;
  bool IsText() const { return value_.is_string(); }
  bool IsList() const { return value_.is_array(); }

  // The value itself. A text with the word TODO is an error: a skeleton
  // (capture/pack_skeleton.h) has it where somebody has to fill in.
  std::string Text();
  std::vector<PackReader> List();
  std::vector<std::pair<std::string, PackReader>> Members();

  // A member of the object; an error when it is not there.
  PackReader Member(absl::string_view key);
  std::string Text(absl::string_view key) { return Member(key).Text(); }
  std::int64_t Number(absl::string_view key) { return Member(key).Number(); }
  std::int64_t Number();
  // A missing member counts as `missing`, or as an empty list.
  bool Flag(absl::string_view key, bool missing);
  std::vector<PackReader> List(absl::string_view key);

  void Fail(absl::string_view message);
  bool failed() const { return !error_->ok(); }

 private:
  PackReader(const nlohmann::json& value, std::string place,
             absl::Status* error, bool named)
      : value_(value), place_(std::move(place)), error_(error), named_(named) {}

  const nlohmann::json& value_;
  std::string place_;
  absl::Status* error_;
  bool named_;  // members are set off by a colon, not a dot
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_PACK_READER_H_
