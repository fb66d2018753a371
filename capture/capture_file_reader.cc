#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "capture/capture_file.h"
#include "capture/json_document.h"
#include "capture/json_place.h"
#include "capture/node_reader.h"
#include "graph/topology.h"

namespace reprise {
namespace {

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

void ReadHeader(const JsonPlace& root) {
  const JsonPlace format = root.Member("format");
  if (format.Text() != "cuda-graph-capture") {
    format.Fail("expected 'cuda-graph-capture'");
  }
  const JsonPlace version = root.Member("version");
  if (version.Integer(0, kMax64) != 1) {
    version.Fail("expected 1, the only version there is");
  }
}

void ReadNodes(const JsonPlace& at, Graph& graph) {
  const std::size_t count = at.ArraySize();
  for (std::size_t i = 0; i < count && at.ok(); ++i) {
    ReadNode(at.Element(i), graph);
  }
}

NodeId ReadNodeId(const JsonPlace& at, const Graph& graph) {
  const std::uint64_t id = at.Integer(0, kMax32);
  if (id >= graph.num_nodes()) {
    at.Fail(absl::StrCat("no node ", id, " among ", graph.num_nodes()));
  }
  return NodeId{static_cast<std::uint32_t>(id)};
}

std::uint8_t ReadPort(const JsonPlace& at) {
  return static_cast<std::uint8_t>(at.Integer(0, 255));
}

EdgeType ReadEdgeType(const JsonPlace& at) {
  const absl::string_view name = at.Text();
  if (name == "programmatic") return EdgeType::kProgrammatic;
  if (name != "full") {
    at.Fail(absl::StrCat("unknown edge type '",
                         absl::CHexEscape(name.substr(0, 40)), "'"));
  }
  return EdgeType::kFull;
}

Edge ReadEdge(const JsonPlace& at, const Graph& graph) {
  Edge edge;
  edge.from = ReadNodeId(at.Member("from"), graph);
  edge.to = ReadNodeId(at.Member("to"), graph);
  edge.from_port = ReadPort(at.Member("from_port"));
  edge.to_port = ReadPort(at.Member("to_port"));
  edge.type = ReadEdgeType(at.Member("type"));
  if (edge.from == edge.to) {
    at.Fail(absl::StrCat("from node ", edge.from.value, " to itself"));
  }
  return edge;
}

void ReadEdges(const JsonPlace& at, Graph& graph) {
  const std::size_t count = at.ArraySize();
  absl::flat_hash_map<std::uint64_t, std::size_t> seen;  // both ends -> index
  seen.reserve(count);
  for (std::size_t i = 0; i < count && at.ok(); ++i) {
    const JsonPlace place = at.Element(i);
    const Edge edge = ReadEdge(place, graph);
    const std::uint64_t ends =
        std::uint64_t{edge.from.value} << 32 | edge.to.value;
    const auto [first, is_new] = seen.emplace(ends, i);
    if (!is_new) {
      place.Fail(
          absl::StrCat("joins the same nodes as edges[", first->second, "]"));
    }
    graph.AddEdge(edge);
  }
}

void ReadAllocations(const JsonPlace& at, Graph& graph) {
  const std::size_t count = at.ArraySize();
  for (std::size_t i = 0; i < count && at.ok(); ++i) {
    const JsonPlace place = at.Element(i);
    Allocation allocation;
    allocation.address = ReadAddress(place.Member("address"));
    allocation.bytes = place.Member("bytes").Integer(0, kMax64);
    if (allocation.bytes > kMax64 - allocation.address) {
      place.Fail("ends beyond the 64-bit address space");
    }
    graph.AddAllocation(allocation);
  }
}

}  // namespace

absl::StatusOr<Graph> ParseCapture(absl::string_view json) {
  const absl::StatusOr<Json> document = ParseJson(json);
  if (!document.ok()) return document.status();
  absl::Status error;
  const JsonPlace root(*document, error);
  Graph graph;
  ReadHeader(root);
  if (root.Has("source")) {
    graph.set_source(root.Member("source").value().dump());
  }
  ReadNodes(root.Member("nodes"), graph);
  ReadEdges(root.Member("edges"), graph);
  ReadAllocations(root.Member("allocations"), graph);
  if (!error.ok()) return error;
  if (const auto topology = Topology::Of(graph); !topology.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("edges: ", topology.status().message()));
  }
  return graph;
}

}  // namespace reprise
