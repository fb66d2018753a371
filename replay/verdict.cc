#include "replay/verdict.h"

#include "absl/strings/str_cat.h"

namespace reprise {

std::string ToText(const Graph& graph, const Difference& difference) {
  const std::string writer =
      difference.node.valid() ? Named(graph, difference.node) : "no known node";
  return absl::StrCat(
      "replay ", difference.replay, ": ", writer, " left 0x",
      absl::Hex(difference.actual, absl::kZeroPad2), " instead of 0x",
      absl::Hex(difference.expected, absl::kZeroPad2), " at byte ",
      difference.offset, " of ", ToText(difference.view));
}

}  // namespace reprise
