#include "capture/signature_symbol.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace reprise {
namespace {

constexpr std::size_t kMaxArguments = 16;
constexpr int kRegexBytes = 1 << 20;

// What every match starts with: the common start of the first and the last
// string that can match. Sorts most signatures out without the regex.
std::string CommonPrefix(const RE2& regex) {
  std::string low, high;
  if (!regex.PossibleMatchRange(&low, &high, 64)) return "";
  const auto differs =
      std::mismatch(low.begin(), low.end(), high.begin(), high.end());
  return std::string(low.begin(), differs.first);
}

bool IsClassType(absl::string_view text) {
  return !text.empty() && absl::ascii_isdigit(text[0]) &&
         text.find_first_not_of("0123456789") != absl::string_view::npos;
}

bool IsRepeat(absl::string_view text) {
  return absl::StartsWith(text, "S") && absl::EndsWith(text, "_");
}

}  // namespace

SymbolPattern::SymbolPattern() = default;
SymbolPattern::SymbolPattern(SymbolPattern&&) noexcept = default;
SymbolPattern& SymbolPattern::operator=(SymbolPattern&&) noexcept = default;
SymbolPattern::~SymbolPattern() = default;

absl::StatusOr<SymbolPattern> SymbolPattern::Compile(const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexBytes);
  SymbolPattern pattern;
  pattern.text_ = text;
  pattern.regex_ =
      std::make_unique<RE2>(absl::StrCat("^(?:", text, ")"), options);
  if (!pattern.regex_->ok()) {
    return absl::InvalidArgumentError(pattern.regex_->error());
  }
  pattern.prefix_ = CommonPrefix(*pattern.regex_);
  const auto& names = pattern.regex_->CapturingGroupNames();
  for (int group = 1; group <= pattern.regex_->NumberOfCapturingGroups();
       ++group) {
    const auto named = names.find(group);
    absl::string_view name;
    if (named != names.end()) name = named->second;
    std::size_t number = 0;
    if (!absl::ConsumePrefix(&name, "t") || !absl::SimpleAtoi(name, &number) ||
        number >= kMaxArguments) {
      return absl::InvalidArgumentError(
          absl::StrCat("group ", group, " is not named t0 to t15"));
    }
    pattern.arguments_.push_back(number);
    pattern.num_arguments_ = std::max(pattern.num_arguments_, number + 1);
  }
  return pattern;
}

bool SymbolPattern::HasArgument(std::size_t number) const {
  return std::find(arguments_.begin(), arguments_.end(), number) !=
         arguments_.end();
}

std::optional<TemplateArguments> SymbolPattern::Match(
    absl::string_view symbol) const {
  if (regex_ == nullptr || !absl::StartsWith(symbol, prefix_)) {
    return std::nullopt;
  }
  const re2::StringPiece input(symbol.data(), symbol.size());
  std::vector<re2::StringPiece> groups(arguments_.size() + 1);
  if (!regex_->Match(input, 0, input.size(), RE2::ANCHOR_START, groups.data(),
                     static_cast<int>(groups.size()))) {
    return std::nullopt;
  }
  TemplateArguments arguments(num_arguments_);
  std::string class_type;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    std::string text(groups[i + 1].data(), groups[i + 1].size());
    if (IsClassType(text)) class_type = text;
    if (IsRepeat(text)) text = class_type;
    arguments[arguments_[i]] = std::move(text);
  }
  return arguments;
}

}  // namespace reprise
