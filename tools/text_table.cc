#include "tools/text_table.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace reprise {

std::string TextTable(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string out;
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      out += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    out += '\n';
  }
  return out;
}

std::string Labelled(absl::string_view label, absl::string_view text) {
  constexpr std::size_t kTextColumn = 12;
  constexpr std::size_t kColumns = 80;
  std::string out = absl::StrFormat("%-*s", kTextColumn - 1, label);
  std::size_t column = kTextColumn - 1;
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    if (column >= kTextColumn && column + 1 + word.size() > kColumns) {
      absl::StrAppend(&out, "\n", std::string(kTextColumn - 1, ' '));
      column = kTextColumn - 1;
    }
    absl::StrAppend(&out, " ", word);
    column += 1 + word.size();
  }
  return absl::StrCat(out, "\n");
}

std::string Counted(std::uint64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

}  // namespace reprise
