#include "tools/demo_report.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

struct Launches {
  std::string kernel;
  int before = 0;
  int after = 0;
};

using Rows = std::vector<Launches>;

Rows::iterator FindRow(Rows& rows, const std::string& kernel) {
  return std::find_if(rows.begin(), rows.end(), [&](const Launches& row) {
    return row.kernel == kernel;
  });
}

void CountBefore(const Graph& graph, Rows& rows) {
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    if (graph.node(NodeId{n}).kind != NodeKind::kKernel) continue;
    const std::string kernel = NameOf(graph, NodeId{n});
    auto row = FindRow(rows, kernel);
    if (row == rows.end()) row = rows.insert(row, {.kernel = kernel});
    ++row->before;
  }
}

void CountAfter(const Graph& graph, const Rewritten& rewritten, Rows& rows) {
  for (std::uint32_t n = 0; n < rewritten.graph.num_nodes(); ++n) {
    if (rewritten.graph.node(NodeId{n}).kind != NodeKind::kKernel) continue;
    const std::string kernel = NameOf(rewritten.graph, NodeId{n});
    auto row = FindRow(rows, kernel);
    if (row == rows.end()) {
      row = FindRow(rows, NameOf(graph, rewritten.origin[n]));
      row = rows.insert(row + 1, {.kernel = kernel});
    }
    ++row->after;
  }
}

}  // namespace

std::string LaunchTable(const Graph& graph, const Rewritten& rewritten) {
  Rows rows;
  CountBefore(graph, rows);
  CountAfter(graph, rewritten, rows);
  Launches sum = {.kernel = "all kernels"};
  for (const Launches& row : rows) {
    sum.before += row.before;
    sum.after += row.after;
  }
  rows.push_back(sum);
  std::vector<TextRow> table = {{"launches a replay", "before", "after"}};
  for (const Launches& row : rows) {
    table.push_back(
        {row.kernel, absl::StrCat(row.before), absl::StrCat(row.after)});
  }
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
