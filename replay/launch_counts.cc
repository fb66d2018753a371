#include "replay/launch_counts.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace reprise {
namespace {

using Rows = std::vector<LaunchRow>;

std::string SymbolOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.launch == Node::kNoIndex ? ToText(node.op)
                                       : graph.launch(id).symbol;
}

std::string FirstWord(std::string text) {
  return text.substr(0, text.find(' '));
}

Rows::iterator FindRow(Rows& rows, absl::string_view name) {
  return absl::c_find_if(
      rows, [&](const LaunchRow& row) { return row.name == name; });
}

LaunchRow& RowOf(Rows& rows, absl::string_view name) {
  const auto row = FindRow(rows, name);
  if (row != rows.end()) return *row;
  return rows.emplace_back(LaunchRow{.name = std::string(name)});
}

// The row of the node's kernel; a new one comes after `position`.
LaunchRow& KernelRow(const Graph& graph, NodeId id, Rows& rows,
                     Rows::iterator position) {
  const std::string symbol = SymbolOf(graph, id);
  auto row = FindRow(rows, symbol);
  if (row == rows.end()) {
    if (position != rows.end()) ++position;
    row = rows.insert(position, {.name = symbol});
    row->op = FirstWord(ToText(graph.node(id).op));
  }
  return *row;
}

void CountBefore(const Graph& graph, const Rewritten& rewritten,
                 LaunchReport& report) {
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    const Node& node = graph.node(id);
    const std::uint64_t removed = rewritten.now[n].valid() ? 0 : 1;
    LaunchRow& kind = RowOf(report.kinds, NameOf(node.kind));
    ++kind.nodes.before;
    kind.removed += removed;
    if (node.kind != NodeKind::kKernel) continue;
    LaunchRow& kernel =
        KernelRow(graph, id, report.kernels, report.kernels.end());
    ++kernel.nodes.before;
    kernel.removed += removed;
  }
}

void CountAfter(const Graph& graph, const Rewritten& rewritten,
                LaunchReport& report) {
  for (std::uint32_t n = 0; n < rewritten.graph.num_nodes(); ++n) {
    const NodeId id{n};
    const NodeKind kind = rewritten.graph.node(id).kind;
    ++RowOf(report.kinds, NameOf(kind)).nodes.after;
    if (kind != NodeKind::kKernel) continue;
    const auto origin =
        FindRow(report.kernels, SymbolOf(graph, rewritten.origin[n]));
    ++KernelRow(rewritten.graph, id, report.kernels, origin).nodes.after;
  }
}

std::uint64_t SumOf(const std::map<std::string, std::uint64_t>& kernels) {
  std::uint64_t sum = 0;
  for (const auto& [symbol, count] : kernels) sum += count;
  return sum;
}

// Also without a node of that kind, so that what ran all the same shows.
void AddKind(NodeKind kind, std::uint64_t before, std::uint64_t after,
             LaunchReport& report) {
  const auto row = FindRow(report.kinds, NameOf(kind));
  if (row == report.kinds.end() && before + after == 0) return;
  RowOf(report.kinds, NameOf(kind)).counted = {before, after};
}

void Compare(absl::string_view side, const LaunchRow& row, std::uint64_t nodes,
             std::uint64_t counted, std::uint64_t replays,
             std::vector<std::string>& sentences) {
  if (counted == nodes * replays) return;
  sentences.push_back(absl::StrCat(
      side, ": ", FunctionName(row.name), " ran ", counted,
      counted == 1 ? " time" : " times", " in ", replays,
      replays == 1 ? " replay" : " replays", " of a graph with ", nodes));
}

}  // namespace

LaunchCounts CountLaunches(absl::Span<const NodeRecord> records,
                           std::uint64_t replays) {
  LaunchCounts counts;
  counts.replays = replays;
  for (const NodeRecord& record : records) {
    if (record.graph_node == 0) {
      ++counts.outside;
    } else if (record.kind == NodeKind::kKernel) {
      ++counts.kernels[record.symbol];
    } else if (record.kind == NodeKind::kCopy) {
      ++counts.copies;
    } else {
      ++counts.fills;
    }
  }
  return counts;
}

LaunchReport MakeLaunchReport(const Graph& graph, const Rewritten& rewritten) {
  LaunchReport report;
  CountBefore(graph, rewritten, report);
  CountAfter(graph, rewritten, report);
  return report;
}

void AddCounts(const LaunchCounts& original, const LaunchCounts& rewritten,
               LaunchReport& report) {
  report.replays = original.replays;
  report.not_counted.clear();
  report.outside = {original.outside, rewritten.outside};
  for (LaunchRow& row : report.kernels) row.counted = BeforeAfter();
  for (const auto& [symbol, count] : original.kernels) {
    LaunchRow& row = RowOf(report.kernels, symbol);
    row.counted = BeforeAfter{count, 0};
  }
  for (const auto& [symbol, count] : rewritten.kernels) {
    LaunchRow& row = RowOf(report.kernels, symbol);
    row.counted =
        BeforeAfter{row.counted.value_or(BeforeAfter()).before, count};
  }
  AddKind(NodeKind::kKernel, SumOf(original.kernels), SumOf(rewritten.kernels),
          report);
  AddKind(NodeKind::kCopy, original.copies, rewritten.copies, report);
  AddKind(NodeKind::kFill, original.fills, rewritten.fills, report);
}

BeforeAfter TotalNodes(absl::Span<const LaunchRow> rows) {
  BeforeAfter total;
  for (const LaunchRow& row : rows) {
    total.before += row.nodes.before;
    total.after += row.nodes.after;
  }
  return total;
}

std::vector<std::string> Mismatches(const LaunchReport& report) {
  std::vector<std::string> sentences;
  for (const Rows* rows : {&report.kernels, &report.kinds}) {
    for (const LaunchRow& row : *rows) {
      // Kernels are compared one by one, which says more than their sum.
      if (!row.counted.has_value() || row.name == NameOf(NodeKind::kKernel)) {
        continue;
      }
      Compare("original", row, row.nodes.before, row.counted->before,
              report.replays, sentences);
      Compare("rewritten", row, row.nodes.after, row.counted->after,
              report.replays, sentences);
    }
  }
  return sentences;
}

}  // namespace reprise
