#include "capture/signature_op.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

// Takes "$t12" off the front of `text`.
std::optional<std::size_t> TakeArgument(absl::string_view& text) {
  const auto end =
      std::find_if_not(text.begin() + std::min<std::size_t>(2, text.size()),
                       text.end(), absl::ascii_isdigit);
  const auto length = static_cast<std::size_t>(end - text.begin());
  std::size_t number = 0;
  if (text.substr(0, 2) != "$t") return std::nullopt;
  if (!absl::SimpleAtoi(text.substr(2, length - 2), &number)) {
    return std::nullopt;
  }
  text.remove_prefix(length);
  return number;
}

}  // namespace

std::optional<std::string> FillIn(absl::string_view text,
                                  const TemplateArguments& arguments,
                                  const PackTables& tables) {
  std::string filled;
  for (std::size_t dollar; (dollar = text.find('$')) != text.npos;) {
    filled.append(text.data(), dollar);
    text.remove_prefix(dollar);
    const std::optional<std::size_t> number = TakeArgument(text);
    if (!number || *number >= arguments.size()) return std::nullopt;
    const std::string& argument = arguments[*number];
    const auto format = tables.FindFormat(argument);
    filled += format ? format->name : argument;
  }
  return absl::StrCat(filled, text);
}

std::optional<Op> ExampleOf(absl::string_view text) {
  for (const char* example : {"q4_0", "swiglu", "plain"}) {
    const TemplateArguments arguments(16, example);
    const auto filled = FillIn(text, arguments, {});
    if (!filled) return std::nullopt;
    if (const auto op = OpFromText(*filled)) return op;
  }
  return std::nullopt;
}

bool HasRole(const Op& op, Role role, AccessMode mode) {
  const bool reads = mode == AccessMode::kRead;
  switch (role) {
    case Role::kNone:
      return true;
    case Role::kSource:
      return reads && (IsQuantizer(op) || IsProducer(op));
    case Role::kOutput:
      return !reads && (IsReader(op) || IsProducer(op));
    case Role::kImage:
      // A producer that writes an image is the emitting one.
      return reads ? IsReader(op) : IsQuantizer(op) || IsProducer(op);
    case Role::kWeights:
      return reads && IsReader(op);
    case Role::kIds:
      return reads &&
             (IsQuantizer(op) || std::holds_alternative<RoutedMatVec>(op));
    case Role::kSlack:
      return reads && IsReader(op);
  }
  return false;
}

}  // namespace reprise
