// Lines of aligned words, for people.
#ifndef REPRISE_TOOLS_TEXT_TABLE_H_
#define REPRISE_TOOLS_TEXT_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace reprise {

using TextRow = std::vector<std::string>;

// The first column to the left, the others, which hold numbers, to the right.
// REQUIRES: every row has as many cells as the first.
std::string TextTable(const std::vector<TextRow>& rows);

// "arena       576 bytes", broken into lines of at most 80 columns. What
// belongs to the label above has an empty one.
std::string Labelled(absl::string_view label, absl::string_view text);

// "1 stream", "2 streams".
std::string Counted(std::uint64_t count, absl::string_view noun);

}  // namespace reprise

#endif  // REPRISE_TOOLS_TEXT_TABLE_H_
