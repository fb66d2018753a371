#include "tools/launch_report.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<LaunchRow>;

bool IsKernelKind(const LaunchRow& row) {
  return row.name == NameOf(NodeKind::kKernel);
}

void Add(const BeforeAfter& more, BeforeAfter& sum) {
  sum.before += more.before;
  sum.after += more.after;
}

// People tell kernels by their functions: the instances of one template with
// one op make a row.
Rows ByFunction(const Rows& kernels) {
  Rows rows;
  for (const LaunchRow& kernel : kernels) {
    const absl::string_view name = FunctionName(kernel.name);
    const auto row = absl::c_find_if(rows, [&](const LaunchRow& r) {
      return r.name == name && r.op == kernel.op;
    });
    if (row == rows.end()) {
      rows.push_back(kernel);
      rows.back().name = std::string(name);
      continue;
    }
    Add(kernel.nodes, row->nodes);
    row->removed += kernel.removed;
    if (!kernel.counted || !row->counted) continue;
    Add(*kernel.counted, *row->counted);
  }
  return rows;
}

std::string PerReplay(std::uint64_t counted, std::uint64_t replays) {
  if (counted % replays == 0) return absl::StrCat(counted / replays);
  return absl::StrFormat("%.2f", static_cast<double>(counted) / replays);
}

TextRow TableRow(const LaunchReport& report, const LaunchRow& row,
                 std::string name) {
  if (!row.counted) {
    return {std::move(name), absl::StrCat(row.nodes.before),
            absl::StrCat(row.nodes.after)};
  }
  return {std::move(name), PerReplay(row.counted->before, report.replays),
          PerReplay(row.counted->after, report.replays)};
}

// "quantize_q8_1 (quantize)".
std::string WithOp(const LaunchRow& row) {
  if (row.op.empty() || row.op == "other") return row.name;
  return absl::StrCat(row.name, " (", row.op, ")");
}

std::string Table(const LaunchReport& report, const Rows& functions) {
  const char* title =
      report.replays > 0 ? "launches a replay" : "nodes of the graph";
  std::vector<TextRow> table = {{title, "before", "after"}};
  for (const LaunchRow& row : functions) {
    table.push_back(TableRow(report, row, WithOp(row)));
  }
  for (const LaunchRow& row : report.kinds) {
    table.push_back(
        TableRow(report, row, IsKernelKind(row) ? "all kernels" : row.name));
  }
  const BeforeAfter nodes = TotalNodes(report.kinds);
  table.push_back(
      {"all nodes", absl::StrCat(nodes.before), absl::StrCat(nodes.after)});
  return TextTable(table);
}

std::string CountedLine(const LaunchReport& report, bool agrees) {
  if (report.replays == 0) {
    return Labelled("counted",
                    report.not_counted.empty()
                        ? "nothing"
                        : absl::StrCat("nothing: ", report.not_counted));
  }
  return Labelled(
      "counted",
      absl::StrCat(Counted(report.replays, "replay"), " of each graph; ",
                   agrees ? "every count is what the graph holds"
                          : "the counts are not what the graphs hold"));
}

std::string RemovedLine(const Rows& functions) {
  std::vector<std::string> removed;
  for (const LaunchRow& row : functions) {
    if (row.removed == 0) continue;
    removed.push_back(absl::StrCat(row.removed, " ", row.name));
  }
  if (removed.empty()) return "";
  return Labelled("removed",
                  absl::StrCat(absl::StrJoin(removed, ", "), " a replay"));
}

std::string OutsideLine(const BeforeAfter& outside) {
  if (outside == BeforeAfter()) return "";
  return Labelled(
      "outside", absl::StrCat(outside.before, " executions before, ",
                              outside.after, " after, that no graph launched"));
}

std::string TimeLine(const ReplayTimes& times) {
  return Labelled(
      "time",
      absl::StrFormat("%.1f us a replay before (spread %.1f), %.1f us after "
                      "(spread %.1f)",
                      times.before.median_us, times.before.spread_us,
                      times.after.median_us, times.after.spread_us));
}

Json ToJson(const BeforeAfter& pair) {
  return {{"before", pair.before}, {"after", pair.after}};
}

Json ToJson(const ReplayTime& time) {
  return {{"median", time.median_us}, {"spread", time.spread_us}};
}

// What a row says beside its names.
void AddNumbers(const LaunchRow& row, Json& json) {
  json["nodes"] = ToJson(row.nodes);
  json["counted"] = row.counted ? ToJson(*row.counted) : Json();
  json["removed"] = row.removed;
}

// Quoted where it must be.
std::string CsvCell(absl::string_view text) {
  if (text.find_first_of(",\"\n\r") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string CsvLine(absl::string_view kind, const LaunchRow& row,
                    absl::string_view kernel, absl::string_view symbol) {
  const auto counted = [&](std::uint64_t BeforeAfter::*side) {
    return row.counted ? absl::StrCat((*row.counted).*side) : std::string();
  };
  const std::vector<std::string> cells = {std::string(kind),
                                          CsvCell(kernel),
                                          CsvCell(symbol),
                                          row.op,
                                          absl::StrCat(row.nodes.before),
                                          absl::StrCat(row.nodes.after),
                                          counted(&BeforeAfter::before),
                                          counted(&BeforeAfter::after),
                                          absl::StrCat(row.removed)};
  return absl::StrCat(absl::StrJoin(cells, ","), "\n");
}

}  // namespace

std::string LaunchText(const LaunchReport& report) {
  const Rows functions = ByFunction(report.kernels);
  const std::vector<std::string> mismatches = Mismatches(report);
  std::string text = absl::StrCat(Table(report, functions), "\n",
                                  CountedLine(report, mismatches.empty()));
  for (const std::string& sentence : mismatches) {
    text += Labelled("mismatch", sentence);
  }
  absl::StrAppend(&text, OutsideLine(report.outside), RemovedLine(functions),
                  report.times ? TimeLine(*report.times) : "");
  return text;
}

std::string LaunchJson(const LaunchReport& report,
                       absl::Span<const LedgerLine> ledger,
                       absl::Span<const MeasuredImages> measured) {
  Json json = {{"replays", report.replays}, {"not_counted", nullptr}};
  if (!report.not_counted.empty()) json["not_counted"] = report.not_counted;
  json["kernels"] = Json::array();
  for (const LaunchRow& row : report.kernels) {
    Json kernel = {{"kernel", std::string(FunctionName(row.name))},
                   {"symbol", row.name},
                   {"op", row.op}};
    AddNumbers(row, kernel);
    json["kernels"].push_back(std::move(kernel));
  }
  json["kinds"] = Json::array();
  for (const LaunchRow& row : report.kinds) {
    Json kind = {{"kind", row.name}};
    AddNumbers(row, kind);
    json["kinds"].push_back(std::move(kind));
  }
  json["outside"] = ToJson(report.outside);
  json["mismatches"] = Mismatches(report);
  json["replay_us"] = nullptr;
  if (report.times) {
    json["replay_us"] = {{"before", ToJson(report.times->before)},
                         {"after", ToJson(report.times->after)}};
  }
  json["images"] = LedgerJson(ledger, measured);
  // Symbols come from a binary and need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string LaunchCsv(const LaunchReport& report) {
  std::string csv =
      "kind,kernel,symbol,op,nodes_before,nodes_after,counted_before,"
      "counted_after,removed\n";
  for (const LaunchRow& row : report.kernels) {
    csv += CsvLine(NameOf(NodeKind::kKernel), row, FunctionName(row.name),
                   row.name);
  }
  for (const LaunchRow& row : report.kinds) {
    if (!IsKernelKind(row)) csv += CsvLine(row.name, row, "", "");
  }
  return csv;
}

std::string PredictionText(const Summary& summary, const LaunchReport& report) {
  const std::string predicted =
      absl::StrCat(summary.before.quantizers, " quantizers a replay before, ",
                   summary.after.quantizers, " after; ");
  if (report.replays == 0) {
    return Labelled("predicted", absl::StrCat(predicted, "nobody counted"));
  }
  BeforeAfter counted;
  for (const LaunchRow& row : report.kernels) {
    if (row.op == "quantize" && row.counted) Add(*row.counted, counted);
  }
  const BeforeAfter expected = {summary.before.quantizers * report.replays,
                                summary.after.quantizers * report.replays};
  return Labelled(
      "predicted",
      absl::StrCat(
          predicted,
          counted == expected
              ? "as counted"
              : absl::StrCat(
                    "counted: ", PerReplay(counted.before, report.replays),
                    " and ", PerReplay(counted.after, report.replays))));
}

}  // namespace reprise
