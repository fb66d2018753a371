// What the rows of a benchmark program say together, printed to stderr after
// them: stdout may be JSON.
#ifndef REPRISE_BENCHMARKS_SUMMARY_H_
#define REPRISE_BENCHMARKS_SUMMARY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

// A row's name and the number of it that is summed up.
struct NamedValue {
  std::string name;
  double value = 0;
};

// The first line of every summary.
void PrintSummaryTitle(std::string_view program);

// "title: count", then the first two rows in the order of their values.
void PrintRows(std::string_view title, std::vector<NamedValue> rows);

// The row whose regions differ most. `spreads` are of region_timer.h.
void PrintLargestSpread(const std::vector<NamedValue>& spreads);

// One line on ratios to the peer, above 1 where we are faster: their geometric
// mean and the worst. Nothing for no ratios.
void PrintRatios(std::string_view title, const std::vector<NamedValue>& ratios);

// The rows below 1, as PrintRows.
void PrintBelowOne(const std::vector<NamedValue>& ratios);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_SUMMARY_H_
