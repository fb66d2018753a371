#include "inject/run_report.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace reprise {
namespace {

void AddReasons(absl::string_view title, const Reasons& reasons,
                std::string& out) {
  for (const auto& [reason, count] : reasons) {
    absl::StrAppendFormat(&out, "reprise: %-12s%6d  %s\n", title, count,
                          reason);
    title = "";
  }
}

}  // namespace

std::string TextReport(const ProgramCounts& counts, bool dry_run) {
  if (counts.graphs == 0) {
    return "reprise: the program instantiated no CUDA graph\n";
  }
  std::string out = absl::StrFormat(
      "reprise: %d graphs: %d %s, %d with nothing to do\n", counts.graphs,
      counts.rewritten, dry_run ? "would be rewritten" : "rewritten",
      counts.nothing_to_do);
  AddReasons("left alone", counts.declined_graphs, out);
  absl::StrAppendFormat(&out,
                        "reprise: nodes %d -> %d, quantizers %d -> %d, "
                        "%d opaque nodes, %d bytes of images\n",
                        counts.nodes_before, counts.nodes_after,
                        counts.quantizers_before, counts.quantizers_after,
                        counts.opaque_nodes, counts.most_arena_bytes);
  AddReasons("kept", counts.declines, out);
  AddReasons("not used", counts.unused_kernels, out);
  if (!dry_run) {
    absl::StrAppendFormat(&out,
                          "reprise: launches %d rewritten, %d as they were\n",
                          counts.rewritten_launches, counts.original_launches);
    absl::StrAppendFormat(
        &out,
        "reprise: updates %d unchanged, %d patched, %d updated, %d rebuilt\n",
        counts.unchanged, counts.patched, counts.updated, counts.rebuilt);
    AddReasons("fell back", counts.fallbacks, out);
  }
  if (counts.verified_launches != 0) {
    absl::StrAppendFormat(&out, "reprise: verified %d launches, %d differed\n",
                          counts.verified_launches, counts.differing_launches);
  }
  absl::StrAppendFormat(&out, "reprise: %.1f ms spent here\n",
                        1e3 * counts.seconds);
  return out;
}

std::string JsonReport(const ProgramCounts& counts, bool dry_run) {
  const nlohmann::ordered_json report = {
      {"dry_run", dry_run},
      {"graphs",
       {{"seen", counts.graphs},
        {"rewritten", counts.rewritten},
        {"nothing_to_do", counts.nothing_to_do},
        {"declined", counts.declined_graphs}}},
      {"nodes",
       {{"before", counts.nodes_before},
        {"after", counts.nodes_after},
        {"opaque", counts.opaque_nodes}}},
      {"quantizers",
       {{"before", counts.quantizers_before},
        {"after", counts.quantizers_after}}},
      {"declines", counts.declines},
      {"unused_kernels", counts.unused_kernels},
      {"arena_bytes", counts.most_arena_bytes},
      {"updates",
       {{"unchanged", counts.unchanged},
        {"patched", counts.patched},
        {"updated", counts.updated},
        {"rebuilt", counts.rebuilt}}},
      {"launches",
       {{"rewritten", counts.rewritten_launches},
        {"original", counts.original_launches}}},
      {"fallbacks", counts.fallbacks},
      {"verified",
       {{"launches", counts.verified_launches},
        {"differing", counts.differing_launches}}},
      {"lint", {{"graphs", counts.linted}, {"findings", counts.findings}}},
      {"ms_in_reprise", 1e3 * counts.seconds},
  };
  return report.dump() + "\n";
}

std::string LintReport(const ProgramCounts& counts) {
  std::string out = absl::StrFormat(
      "reprise: %d of %d graphs run node by node, %d findings\n", counts.linted,
      counts.graphs, counts.findings.size());
  for (const auto& [text, times] : counts.findings) {
    absl::StrAppend(&out, kLintFinding, text, "\n");
  }
  AddReasons("not run", counts.declined_graphs, out);
  AddReasons("stopped", counts.fallbacks, out);
  return out;
}

absl::Status WriteReport(const ProgramCounts& counts,
                         const Settings& settings) {
  std::string report;
  switch (settings.report) {
    case ReportFormat::kNone:
      return absl::OkStatus();
    case ReportFormat::kText:
      report = settings.lint ? LintReport(counts)
                             : TextReport(counts, settings.dry_run);
      break;
    case ReportFormat::kJson:
      report = JsonReport(counts, settings.dry_run);
      break;
  }
  const std::string& path = settings.report_file;
  if (path.empty()) {
    std::fputs(report.c_str(), stderr);
    return absl::OkStatus();
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "a"), &std::fclose);
  if (file == nullptr || std::fputs(report.c_str(), file.get()) < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("write ", path));
  }
  return absl::OkStatus();
}

}  // namespace reprise
