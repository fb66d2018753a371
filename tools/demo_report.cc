#include "tools/demo_report.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "replay/launch_counts.h"
#include "tools/text_table.h"

namespace reprise {

std::string LaunchTable(const Graph& graph, const Rewritten& rewritten) {
  const LaunchReport report = MakeLaunchReport(graph, rewritten);
  std::vector<TextRow> table = {{"launches a replay", "before", "after"}};
  const auto add = [&](absl::string_view name, const BeforeAfter& launches) {
    table.push_back({std::string(name), absl::StrCat(launches.before),
                     absl::StrCat(launches.after)});
  };
  for (const LaunchRow& row : report.kernels) {
    add(FunctionName(row.name), row.nodes);
  }
  add("all kernels", TotalNodes(report.kernels));
  return TextTable(table);
}

std::string VerdictText(const Graph& graph, const Verdict& verdict) {
  const std::string replays = Counted(verdict.original.replays, "replay");
  if (!verdict.equal()) {
    return Labelled("different", ToText(graph, *verdict.difference));
  }
  return Labelled(
      "identical",
      absl::StrCat(replays, ", ", Counted(verdict.bytes_compared, "byte"),
                   " each; ", verdict.original.kernels, " kernels ran before, ",
                   verdict.rewritten.kernels, " after"));
}

}  // namespace reprise
