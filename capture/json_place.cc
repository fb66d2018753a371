#include "capture/json_place.h"

#include "absl/strings/str_cat.h"

namespace reprise {

const Json* JsonPlace::Find(absl::string_view key) const {
  if (value_ == nullptr || !value_->is_object()) return nullptr;
  for (const auto& [name, value] : value_->get_ref<const Json::object_t&>()) {
    if (name == key) return &value;
  }
  return nullptr;
}

JsonPlace JsonPlace::Member(absl::string_view key) const& {
  const Json* found = Find(key);
  if (found == nullptr && value_ != nullptr) {
    Fail(value_->is_object() ? absl::StrCat("missing key '", key, "'")
                             : "expected an object");
  }
  return JsonPlace(*this, found, key, 0);
}

std::size_t JsonPlace::ArraySize() const {
  if (value_ == nullptr) return 0;
  if (value_->is_array()) return value_->size();
  Fail("expected an array");
  return 0;
}

JsonPlace JsonPlace::Element(std::size_t index) const& {
  return JsonPlace(*this, &(*value_)[index], {}, index);
}

std::uint64_t JsonPlace::Integer(std::uint64_t least,
                                 std::uint64_t most) const {
  if (value_ == nullptr) return 0;
  if (value_->is_number_unsigned()) {
    const auto number = value_->get<std::uint64_t>();
    if (number >= least && number <= most) return number;
  }
  Fail(absl::StrCat("expected an integer from ", least, " to ", most));
  return 0;
}

bool JsonPlace::Bool() const {
  if (value_ == nullptr) return false;
  if (value_->is_boolean()) return value_->get<bool>();
  Fail("expected true or false");
  return false;
}

absl::string_view JsonPlace::Text() const {
  if (value_ == nullptr) return {};
  if (value_->is_string()) return value_->get_ref<const Json::string_t&>();
  Fail("expected a string");
  return {};
}

const Json& JsonPlace::value() const {
  static const Json null;
  return value_ == nullptr ? null : *value_;
}

void JsonPlace::Fail(absl::string_view what) const {
  if (!error_->ok()) return;
  const std::string path = Path();
  *error_ = absl::InvalidArgumentError(
      path.empty() ? std::string(what) : absl::StrCat(path, ": ", what));
}

std::string JsonPlace::Path() const {
  if (parent_ == nullptr) return "";
  const std::string above = parent_->Path();
  if (key_.empty()) return absl::StrCat(above, "[", index_, "]");
  return absl::StrCat(above, above.empty() ? "" : ".", key_);
}

}  // namespace reprise
