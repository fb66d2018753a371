#include "replay/chrome_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerUs = 1000;

// The profiler had no room for the times.
bool HasTimes(const NodeRecord& record) { return record.start_ns != 0; }

// What the trace calls the stream: metadata that names a row.
Json StreamName(std::uint32_t stream) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", 0},
          {"tid", stream},
          {"args", {{"name", absl::StrCat("stream ", stream)}}}};
}

Json Event(const Graph& graph, const NodeRecord& record, NodeId node,
           std::uint64_t first_ns) {
  const bool kernel = record.kind == NodeKind::kKernel;
  const std::string kind(NameOf(record.kind));
  const std::string op =
      kernel && node.valid() ? ToText(graph.node(node).op) : "";
  Json args = {{"node", nullptr}};
  if (node.valid()) args["node"] = node.value;
  if (kernel) {
    if (!op.empty()) args["op"] = op;
    args["symbol"] = record.symbol;
    args["grid"] = {record.grid.x, record.grid.y, record.grid.z};
  }
  return {
      {"name", kernel ? std::string(FunctionName(record.symbol)) : kind},
      {"cat", op.empty() ? kind : op},
      {"ph", "X"},
      {"pid", 0},
      {"tid", record.stream},
      {"ts", static_cast<double>(record.start_ns - first_ns) / kNsPerUs},
      {"dur", static_cast<double>(record.end_ns - record.start_ns) / kNsPerUs},
      {"args", args}};
}

}  // namespace

std::string ChromeTrace(const Graph& graph,
                        absl::Span<const NodeRecord> records) {
  const std::vector<NodeId> nodes = NodesOf(graph, records);
  std::vector<std::size_t>
      timed;  // indices of records, in order of their start
  std::set<std::uint32_t> streams;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!HasTimes(records[i])) continue;
    timed.push_back(i);
    streams.insert(records[i].stream);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [&](std::size_t a, std::size_t b) {
                     return records[a].start_ns < records[b].start_ns;
                   });

  Json events = Json::array();
  for (std::uint32_t stream : streams) events.push_back(StreamName(stream));
  for (std::size_t i : timed) {
    events.push_back(
        Event(graph, records[i], nodes[i], records[timed.front()].start_ns));
  }
  const Json trace = {{"displayTimeUnit", "ns"}, {"traceEvents", events}};
  // Symbols come from a binary and need not be UTF-8.
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reprise
