#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/view.h"

namespace reprise {
namespace {

absl::Status BadView(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is no view: want ADDRESS:TYPE:EXTENTS[/STRIDES]"));
}

// Non-negative numbers between `separator`s, at most one a dimension.
bool ParseNumbers(absl::string_view text, char separator,
                  std::vector<std::int64_t>& numbers) {
  for (absl::string_view part : absl::StrSplit(text, separator)) {
    std::int64_t number = 0;
    if (!absl::SimpleAtoi(part, &number) || number < 0) return false;
    numbers.push_back(number);
  }
  return numbers.size() <= View::kMaxRank;
}

}  // namespace

std::string ToText(const View& view) {
  std::string out = absl::StrCat("0x", absl::Hex(view.address), ":",
                                 NameOf(view.type), ":", view.extents[0]);
  int rank = View::kMaxRank;
  while (rank > 1 && view.extents[rank - 1] == 1) --rank;
  for (int d = 1; d < rank; ++d) absl::StrAppend(&out, "x", view.extents[d]);
  if (!view.dense()) {
    for (int d = 0; d < rank; ++d) {
      absl::StrAppend(&out, d == 0 ? "/" : ",", view.strides[d]);
    }
  }
  return out;
}

absl::StatusOr<View> ViewFromText(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() != 3) return BadView(text);
  std::uint64_t address = 0;
  const auto type = FindElementType(parts[1]);
  const std::vector<absl::string_view> shape = absl::StrSplit(parts[2], '/');
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  if (!absl::SimpleHexAtoi(parts[0], &address) || !type || shape.size() > 2 ||
      !ParseNumbers(shape[0], 'x', extents) ||
      (shape.size() == 2 && !ParseNumbers(shape[1], ',', strides)) ||
      (shape.size() == 2 && strides.size() != extents.size())) {
    return BadView(text);
  }
  View view;
  view.address = address;
  view.type = *type;
  std::int64_t packed = ElementBytes(*type);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    view.extents[d] = extents[d];
    view.strides[d] = strides.empty() ? packed : strides[d];
    packed *= extents[d];
  }
  return Normalized(view);
}

}  // namespace reprise
