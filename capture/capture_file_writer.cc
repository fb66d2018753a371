#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "capture/capture_file.h"
#include "capture/hex.h"
#include "capture/json_document.h"

namespace reprise {
namespace {

// Text of any bytes as JSON; what is not UTF-8 becomes U+FFFD.
std::string ToJson(const Json& value) {
  return value.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace);
}

// A source that is no JSON, as when a program sets it, is written as a string.
std::string SourceToJson(const std::string& source) {
  const absl::StatusOr<Json> value = ParseJson(source);
  return ToJson(value.ok() ? *value : Json(source));
}

void AppendDim3(absl::string_view key, const Dim3& d, std::string& out) {
  absl::StrAppend(&out, ",\"", key, "\":[", d.x, ",", d.y, ",", d.z, "]");
}

void AppendNumber(absl::string_view key, std::uint64_t number,
                  std::string& out) {
  absl::StrAppend(&out, ",\"", key, "\":", number);
}

void AppendAddress(absl::string_view key, std::uint64_t address,
                   std::string& out) {
  absl::StrAppend(&out, ",\"", key, "\":\"0x", absl::Hex(address), "\"");
}

void AppendKernel(const KernelLaunch& launch, std::string& out) {
  absl::StrAppend(&out, ",\"symbol\":", ToJson(launch.symbol));
  AppendDim3("grid", launch.grid, out);
  AppendDim3("block", launch.block, out);
  AppendNumber("shared_bytes", launch.shared_bytes, out);
  absl::StrAppend(&out, ",\"params\":[");
  const char* comma = "";
  for (const Parameter& p : launch.parameters) {
    absl::StrAppend(&out, comma, "{\"offset\":", p.offset, ",\"bytes\":\"");
    AppendHex(absl::MakeConstSpan(launch.bytes).subspan(p.offset, p.size), out);
    absl::StrAppend(&out, "\"}");
    comma = ",";
  }
  absl::StrAppend(&out, "]");
  if (launch.programmatic_serialization) {
    absl::StrAppend(&out, ",\"programmatic_serialization\":true");
  }
  if (launch.cooperative) absl::StrAppend(&out, ",\"cooperative\":true");
  if (launch.cluster.has_value()) AppendDim3("cluster", *launch.cluster, out);
}

void AppendCopy(const Copy& copy, std::string& out) {
  AppendAddress("src", copy.source, out);
  AppendAddress("dst", copy.target, out);
  AppendNumber("width_bytes", copy.width_bytes, out);
  AppendNumber("height", copy.height, out);
  AppendNumber("depth", copy.depth, out);
  AppendNumber("src_pitch", copy.source_pitch, out);
  AppendNumber("dst_pitch", copy.target_pitch, out);
  AppendNumber("src_memory", static_cast<unsigned>(copy.source_kind), out);
  AppendNumber("dst_memory", static_cast<unsigned>(copy.target_kind), out);
}

void AppendFill(const Fill& fill, std::string& out) {
  AppendAddress("dst", fill.target, out);
  AppendNumber("width", fill.width, out);
  AppendNumber("height", fill.height, out);
  AppendNumber("pitch", fill.pitch, out);
  AppendNumber("element_bytes", fill.element_bytes, out);
  AppendNumber("value", fill.value, out);
}

void AppendNode(const Graph& graph, NodeId id, std::string& out) {
  const Node& node = graph.node(id);
  absl::StrAppend(&out, "{\"id\":", id.value, ",\"type\":\"", NameOf(node.kind),
                  "\"");
  if (node.stream.valid()) AppendNumber("stream", node.stream.value, out);
  if (node.kind == NodeKind::kKernel) AppendKernel(graph.launch(id), out);
  if (node.kind == NodeKind::kCopy) AppendCopy(graph.copy(id), out);
  if (node.kind == NodeKind::kFill) AppendFill(graph.fill(id), out);
  if (node.event.valid()) AppendNumber("event", node.event.value, out);
  absl::StrAppend(&out, "}");
}

void AppendEdge(const Edge& edge, std::string& out) {
  absl::StrAppend(
      &out, "{\"from\":", edge.from.value, ",\"to\":", edge.to.value,
      ",\"from_port\":", edge.from_port, ",\"to_port\":", edge.to_port,
      ",\"type\":\"",
      edge.type == EdgeType::kProgrammatic ? "programmatic" : "full", "\"}");
}

// `count` lines, each written by append(i, out).
template <typename Append>
void AppendArray(absl::string_view key, std::size_t count, const Append& append,
                 std::string& out) {
  absl::StrAppend(&out, "\"", key, "\":[");
  for (std::size_t i = 0; i < count; ++i) {
    absl::StrAppend(&out, i == 0 ? "\n" : ",\n");
    append(i, out);
  }
  absl::StrAppend(&out, "\n]");
}

}  // namespace

std::string FormatCapture(const Graph& graph) {
  std::string out = "{\n\"format\":\"cuda-graph-capture\",\n\"version\":1,\n";
  if (!graph.source().empty()) {
    absl::StrAppend(&out, "\"source\":", SourceToJson(graph.source()), ",\n");
  }
  AppendArray(
      "nodes", graph.num_nodes(),
      [&graph](std::size_t i, std::string& line) {
        AppendNode(graph, NodeId{static_cast<std::uint32_t>(i)}, line);
      },
      out);
  out += ",\n";
  AppendArray(
      "edges", graph.edges().size(),
      [&graph](std::size_t i, std::string& line) {
        AppendEdge(graph.edges()[i], line);
      },
      out);
  out += ",\n";
  AppendArray(
      "allocations", graph.allocations().size(),
      [&graph](std::size_t i, std::string& line) {
        const Allocation& a = graph.allocations()[i];
        absl::StrAppend(&line, "{\"address\":\"0x", absl::Hex(a.address),
                        "\",\"bytes\":", a.bytes, "}");
      },
      out);
  out += "\n}\n";
  return out;
}

}  // namespace reprise
