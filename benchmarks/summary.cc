#include "benchmarks/summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>

namespace reprise {

void PrintSummaryTitle(std::string_view program) {
  std::fprintf(stderr, "Summary of %.*s\n", static_cast<int>(program.size()),
               program.data());
}

void PrintRows(std::string_view title, std::vector<NamedValue> rows) {
  constexpr std::size_t kShown = 2;
  std::ranges::stable_sort(rows, {}, &NamedValue::value);
  std::fprintf(stderr, "  %.*s: %zu\n", static_cast<int>(title.size()),
               title.data(), rows.size());
  for (std::size_t i = 0; i < std::min(rows.size(), kShown); ++i) {
    std::fprintf(stderr, "    %.3f %s\n", rows[i].value, rows[i].name.c_str());
  }
}

void PrintLargestSpread(const std::vector<NamedValue>& spreads) {
  if (spreads.empty()) return;
  const NamedValue& largest =
      *std::ranges::max_element(spreads, {}, &NamedValue::value);
  std::fprintf(stderr, "  largest spread %.1f %% (%s)\n", 100 * largest.value,
               largest.name.c_str());
}

void PrintRatios(std::string_view title,
                 const std::vector<NamedValue>& ratios) {
  if (ratios.empty()) return;
  double logs = 0;
  for (const NamedValue& ratio : ratios) logs += std::log(ratio.value);
  const NamedValue& worst =
      *std::ranges::min_element(ratios, {}, &NamedValue::value);
  std::fprintf(
      stderr,
      "  peer's time over ours, %.*s: geometric mean %.3f of %zu rows, "
      "worst %.3f (%s)\n",
      static_cast<int>(title.size()), title.data(),
      std::exp(logs / static_cast<double>(ratios.size())), ratios.size(),
      worst.value, worst.name.c_str());
}

void PrintBelowOne(const std::vector<NamedValue>& ratios) {
  std::vector<NamedValue> below;
  std::ranges::copy_if(ratios, std::back_inserter(below),
                       [](const NamedValue& ratio) { return ratio.value < 1; });
  PrintRows("rows below 1.0", below);
}

}  // namespace reprise
