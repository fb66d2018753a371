#include "capture/pack_reader.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "capture/json_document.h"

namespace reprise {
namespace {

using Value = nlohmann::json;

constexpr int kMaxDepth = 16;

// The parser itself would keep the last of two members with one name.
class KeyCheck {
 public:
  bool operator()(int depth, Value::parse_event_t event, const Value& parsed) {
    using Event = Value::parse_event_t;
    if (depth > kMaxDepth) Complain("nested too deep");
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key) {
      const std::string& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) {
        Complain(absl::StrCat("key '", key, "' twice in one object"));
      }
    }
    return true;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  void Complain(std::string text) {
    if (complaint_.empty()) complaint_ = std::move(text);
  }

  std::vector<std::set<std::string>> keys_;
  std::string complaint_;
};

bool HasToDo(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  return std::find(words.begin(), words.end(), "TODO") != words.end();
}

const Value& Nothing() {
  static const Value* nothing = new Value;
  return *nothing;
}

}  // namespace

absl::StatusOr<Value> ReadJson(absl::string_view text) {
  if (text.size() > kMaxPackBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("pack: larger than ", kMaxPackBytes, " bytes"));
  }
  KeyCheck check;
  try {
    Value value = Value::parse(
        text.begin(), text.end(),
        [&check](int depth, Value::parse_event_t event, const Value& parsed) {
          return check(depth, event, parsed);
        });
    if (check.complaint().empty()) return value;
    return absl::InvalidArgumentError(
        absl::StrCat("pack: ", check.complaint()));
  } catch (const Value::exception&) {
    // The other reader knows how to say where.
    return absl::InvalidArgumentError(
        absl::StrCat("pack: ", ParseJson(text).status().message()));
  }
}

void PackReader::NameIt(absl::string_view name) {
  absl::StrAppend(&place_, " ", name);
  named_ = true;
}

void PackReader::Fail(absl::string_view message) {
  if (failed()) return;
  *error_ = absl::InvalidArgumentError(absl::StrCat(place_, ": ", message));
}

void PackReader::AllowKeys(std::initializer_list<absl::string_view> keys) {
  if (IsText()) Text();  // says so where it is a TODO
  if (!value_.is_object()) return Fail("not an object");
  for (const auto& item : value_.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      Fail(absl::StrCat("unknown key '", item.key(), "'"));
    }
  }
}

bool PackReader::Has(absl::string_view key) const {
  return value_.is_object() && value_.contains(std::string(key));
}

PackReader PackReader::Member(absl::string_view key) {
  std::string place = absl::StrCat(place_, named_ ? ": " : ".", key);
  const bool there = Has(key);
  if (!there) Fail(absl::StrCat("no key '", key, "'"));
  return {there ? value_[std::string(key)] : Nothing(), std::move(place),
          error_, false};
}

std::string PackReader::Text() {
  if (!value_.is_string()) {
    Fail("not a text");
    return "";
  }
  std::string text = value_.get<std::string>();
  if (HasToDo(text)) Fail("TODO is still to be filled in");
  return text;
}

std::int64_t PackReader::Number() {
  // Only what is written without a sign and fits 32 bits; offsets and sizes.
  if (value_.is_number_unsigned() &&
      value_.get<std::uint64_t>() <= 0xffffffffu) {
    return value_.get<std::int64_t>();
  }
  Fail("not a number from 0 to 4294967295");
  return 0;
}

bool PackReader::Flag(absl::string_view key, bool missing) {
  if (!Has(key)) return missing;
  PackReader member = Member(key);
  if (member.value_.is_boolean()) return member.value_.get<bool>();
  member.Fail("neither true nor false");
  return missing;
}

std::vector<PackReader> PackReader::List() {
  std::vector<PackReader> list;
  if (!value_.is_array()) {
    Fail("not a list");
  } else if (value_.size() > kMaxItems) {
    Fail(absl::StrCat("more than ", kMaxItems, " items"));
  } else {
    for (std::size_t i = 0; i < value_.size(); ++i) {
      list.push_back(
          {value_[i], absl::StrCat(place_, "[", i, "]"), error_, false});
    }
  }
  return list;
}

std::vector<PackReader> PackReader::List(absl::string_view key) {
  if (!Has(key)) return {};
  return Member(key).List();
}

std::vector<std::pair<std::string, PackReader>> PackReader::Members() {
  std::vector<std::pair<std::string, PackReader>> members;
  if (!value_.is_object()) {
    Fail("not an object");
    return members;
  }
  for (const auto& item : value_.items()) {
    members.emplace_back(item.key(), Member(item.key()));
  }
  return members;
}

}  // namespace reprise
