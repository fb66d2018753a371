#include "tools/ledger_report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

using Json = nlohmann::ordered_json;

std::string NameOf(const LedgerLine& line) {
  return absl::StrCat(InfoOf(line.layout).name, " ",
                      line.columns == 0 ? std::string("picked rows")
                                        : absl::StrCat("of ", line.columns));
}

Json CostsJson(const ImageCosts& costs) {
  return {{"launches", costs.launches}, {"bytes", costs.bytes}};
}

void AddMeasured(const MeasuredImages& measured, Json& json) {
  json["before"]["counted"] = nullptr;
  json["after"]["counted"] = nullptr;
  if (measured.counted) {
    json["before"]["counted"] = measured.counted->before;
    json["after"]["counted"] = measured.counted->after;
  }
  json["before"]["us"] = measured.us_before;
  json["after"]["us"] = measured.us_after;
}

}  // namespace

std::string LedgerTable(absl::Span<const LedgerLine> ledger,
                        absl::Span<const MeasuredImages> measured) {
  if (ledger.empty()) return "";
  std::vector<TextRow> rows = {
      {"images", "launches", "after", "bytes", "after"}};
  if (!measured.empty()) {
    rows.front().insert(rows.front().end(), {"us", "after"});
  }
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    const LedgerLine& line = ledger[i];
    rows.push_back({NameOf(line), absl::StrCat(line.before.launches),
                    absl::StrCat(line.after.launches),
                    absl::StrCat(line.before.bytes),
                    absl::StrCat(line.after.bytes)});
    if (measured.empty()) continue;
    for (const double us : {measured[i].us_before, measured[i].us_after}) {
      rows.back().push_back(absl::StrFormat("%.1f", us));
    }
  }
  return TextTable(rows);
}

Json LedgerJson(absl::Span<const LedgerLine> ledger,
                absl::Span<const MeasuredImages> measured) {
  Json lines = Json::array();
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    const LedgerLine& line = ledger[i];
    Json json = {{"layout", std::string(InfoOf(line.layout).name)},
                 {"columns", line.columns},
                 {"before", CostsJson(line.before)},
                 {"after", CostsJson(line.after)}};
    if (!measured.empty()) AddMeasured(measured[i], json);
    lines.push_back(std::move(json));
  }
  return lines;
}

std::vector<std::string> Mismatches(absl::Span<const LedgerLine> ledger,
                                    absl::Span<const MeasuredImages> measured,
                                    std::uint64_t replays) {
  std::vector<std::string> mismatches;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (!measured[i].counted) continue;
    const std::uint64_t before = ledger[i].before.launches * replays;
    const std::uint64_t after = ledger[i].after.launches * replays;
    const BeforeAfter& counted = *measured[i].counted;
    if (counted == BeforeAfter{before, after}) continue;
    mismatches.push_back(absl::StrCat(
        NameOf(ledger[i]), ": ", before, " quantizers and then ", after,
        " are predicted in ", Counted(replays, "replay"), ", ", counted.before,
        " and ", counted.after, " were counted"));
  }
  return mismatches;
}

std::vector<std::uint64_t> RanByLine(
    absl::Span<const std::vector<NodeId>> quantizers, const Graph& graph,
    absl::Span<const NodeId> captured, absl::Span<const NodeRecord> records) {
  std::vector<std::uint64_t> ran(quantizers.size());
  for (const NodeId node : NodesOf(graph, records)) {
    if (!node.valid()) continue;
    for (std::size_t i = 0; i < quantizers.size(); ++i) {
      if (absl::c_binary_search(quantizers[i], captured[node.value])) ++ran[i];
    }
  }
  return ran;
}

}  // namespace reprise
