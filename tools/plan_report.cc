#include "tools/plan_report.h"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "planner/decline.h"
#include "planner/explain.h"
#include "planner/image_readers.h"
#include "planner/ledger.h"
#include "tools/ledger_report.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

using Json = nlohmann::ordered_json;

// Symbols come from a file and need not be UTF-8.
std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json CountsJson(const GraphCounts& counts) {
  return {{"nodes", counts.nodes},
          {"quantizers", counts.quantizers},
          {"kernels", counts.kernels}};
}

Json DeclineJson(const Graph& graph, const Decline& decline) {
  Json json = {{"reason", std::string(NameOf(decline.reason))},
               {"node", decline.node.value},
               {"evidence", nullptr},
               {"text", Explain(graph, decline)}};
  if (decline.evidence.valid()) json["evidence"] = decline.evidence.value;
  return json;
}

// One line of the ledger a line.
std::string LedgerLines(const std::vector<LedgerLine>& ledger) {
  std::string lines;
  for (const Json& line : LedgerJson(ledger)) {
    absl::StrAppend(&lines, lines.empty() ? "\n    " : ",\n    ", Dump(line));
  }
  return lines.empty() ? "[]" : absl::StrCat("[", lines, "\n  ]");
}

// One decline a line.
std::string DeclinesJson(const Graph& graph, const Plan& plan) {
  std::string lines;
  for (const Decline& decline : plan.declines) {
    absl::StrAppend(&lines, lines.empty() ? "\n    " : ",\n    ",
                    Dump(DeclineJson(graph, decline)));
  }
  return lines.empty() ? "[]" : absl::StrCat("[", lines, "\n  ]");
}

}  // namespace

std::string PlanTable(const Summary& summary) {
  const GraphCounts& before = summary.before;
  const GraphCounts& after = summary.after;
  const auto row = [](const char* name, std::uint32_t was, std::uint32_t is) {
    return TextRow{name, absl::StrCat(was), absl::StrCat(is)};
  };
  return TextTable(
      {{"", "before", "after"},
       row("nodes", before.nodes, after.nodes),
       row("edges", before.edges, after.edges),
       row("longest path", before.longest_path, after.longest_path),
       row("kernels", before.kernels, after.kernels),
       row("quantizers", before.quantizers, after.quantizers)});
}

std::string RewriteLines(const Summary& summary) {
  const SharedCounts& shared = summary.shared;
  const EmittedCounts& emitted = summary.emitted;
  const Arena& arena = summary.arena;
  std::string out;
  if (summary.pure.removed > 0) {
    out +=
        Labelled("pure", absl::StrCat(Counted(summary.pure.removed, "kernel"),
                                      " would only repeat another"));
  }
  if (shared.groups > 0) {
    out +=
        Labelled("shared",
                 absl::StrCat(Counted(shared.groups, "image"), " for ",
                              Counted(shared.readers, "reader"), ", saves ",
                              Counted(shared.quantizers_removed, "quantizer")));
  }
  if (emitted.quantizers_removed > 0) {
    out += Labelled(
        "emitted",
        absl::StrCat("by ", Counted(emitted.rms_norm, "norm"), " and ",
                     Counted(emitted.glu, "GLU"), ", saves ",
                     Counted(emitted.quantizers_removed, "quantizer")));
  }
  if (summary.dropped.stores > 0) {
    out += Labelled("dropped",
                    absl::StrCat(Counted(summary.dropped.stores, "store"),
                                 " of ", Counted(summary.dropped.bytes, "byte"),
                                 " that nobody reads"));
  }
  if (summary.relaxed) {
    out += Labelled("relaxed", "only what memory needs is in order");
  }
  if (arena.bytes > 0) {
    out += Labelled(
        "arena", absl::StrCat(Counted(arena.bytes, "byte"), " for images of ",
                              arena.sum_of_images, "; none can be below ",
                              arena.lower_bound));
  }
  return out;
}

std::string PlanJson(const Graph& graph, const Plan& plan,
                     const Summary& summary, std::int64_t plan_us) {
  const Json capture = {{"nodes", summary.before.nodes},
                        {"edges", summary.before.edges},
                        {"streams", summary.before.streams},
                        {"opaque", summary.before.opaque}};
  const Json order = {{"relaxed", summary.relaxed},
                      {"edges_before", summary.before.edges},
                      {"edges_after", summary.after.edges},
                      {"longest_path_before", summary.before.longest_path},
                      {"longest_path_after", summary.after.longest_path}};
  const Json pure = {{"removed", summary.pure.removed}};
  const Json shared = {
      {"groups", summary.shared.groups},
      {"readers", summary.shared.readers},
      {"quantizers_removed", summary.shared.quantizers_removed}};
  const Json emitted = {
      {"rms_norm", summary.emitted.rms_norm},
      {"glu", summary.emitted.glu},
      {"quantizers_removed", summary.emitted.quantizers_removed}};
  const Json dropped = {{"stores", summary.dropped.stores},
                        {"bytes", summary.dropped.bytes}};
  const Json arena = {{"bytes", summary.arena.bytes},
                      {"sum_of_images", summary.arena.sum_of_images},
                      {"lower_bound", summary.arena.lower_bound}};
  return absl::StrCat(
      "{\n  \"capture\": ", Dump(capture),
      ",\n  \"before\": ", Dump(CountsJson(summary.before)),
      ",\n  \"after\": ", Dump(CountsJson(summary.after)),
      ",\n  \"order\": ", Dump(order), ",\n  \"pure\": ", Dump(pure),
      ",\n  \"shared\": ", Dump(shared), ",\n  \"emitted\": ", Dump(emitted),
      ",\n  \"dropped\": ", Dump(dropped),
      ",\n  \"images\": ", LedgerLines(MakeLedger(graph, plan)),
      ",\n  \"arena\": ", Dump(arena),
      ",\n  \"declines\": ", DeclinesJson(graph, plan),
      ",\n  \"plan_us\": ", plan_us, "\n}\n");
}

std::string PlanSentences(const Graph& graph, const Plan& plan) {
  const auto readers = ReadersOfImages(graph, plan);
  std::string out;
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    absl::StrAppend(&out, Explain(graph, plan.images[i], readers[i]), "\n");
  }
  for (const Repeat& repeat : plan.repeats) {
    absl::StrAppend(&out, Explain(graph, repeat), "\n");
  }
  for (const Decline& decline : plan.declines) {
    absl::StrAppend(&out, "declined: ", Explain(graph, decline), "\n");
  }
  return out;
}

std::string DeclineLines(const Graph& graph, const Summary& summary) {
  std::string out;
  for (const DeclineGroup& group : summary.declines) {
    out += Labelled(out.empty() ? "declined" : "",
                    absl::StrCat(group.count, " ", NameOf(group.first.reason),
                                 ", e.g. ", Explain(graph, group.first)));
  }
  return out;
}

}  // namespace reprise
