#include "tools/demo_report.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "replay/launch_counts.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

std::string DifferenceText(const Graph& graph, const Difference& difference) {
  return Labelled("different", ToText(graph, difference));
}

}  // namespace

std::string Headline(const decoder::Options& model, absl::string_view place,
                     const GraphCounts& counts) {
  return absl::StrCat(model.model == decoder::Model::kMoe ? "moe " : "dense ",
                      InfoOf(model.format).name, " decoder on ", place, ": ",
                      Counted(model.layers, "layer"), ", ",
                      Counted(model.tokens, "token"), " a step, ",
                      Counted(counts.streams, "stream"), ", ", counts.nodes,
                      " nodes\n\n");
}

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
  if (!verdict.equal()) return DifferenceText(graph, *verdict.difference);
  return Labelled(
      "identical",
      absl::StrCat(replays, ", ", Counted(verdict.bytes_compared, "byte"),
                   " each; ", verdict.original.kernels, " kernels ran before, ",
                   verdict.rewritten.kernels, " after"));
}

std::string LoopVerdictText(const Graph& graph, std::uint64_t replays,
                            const std::optional<Difference>& difference) {
  if (difference) return DifferenceText(graph, *difference);
  return Labelled("identical",
                  absl::StrCat(Counted(replays, "replay"),
                               ", every byte that a step leaves but "
                               "quantizers' scratch"));
}

std::string GreedyText(int tokens, bool agree) {
  return Labelled("greedy", absl::StrCat(Counted(tokens, "token"), ", logits ",
                                         agree ? "identical" : "different"));
}

absl::Status OtherBytes() {
  return absl::DataLossError(
      "the planned program does not leave the bytes of the recorded one");
}

}  // namespace reprise
