#include "capture/stream_chains.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace reprise {
namespace {

// By the capture order of their targets; edges of one target keep their order.
std::vector<Edge> ByTarget(const Graph& graph) {
  std::vector<Edge> edges(graph.edges().begin(), graph.edges().end());
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) { return a.to < b.to; });
  return edges;
}

}  // namespace

void AssignStreams(Graph& graph) {
  const std::vector<Edge> edges = ByTarget(graph);
  std::vector<bool> continued(graph.num_nodes(), false);
  std::uint32_t num_streams = 0;
  auto edge = edges.begin();
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    StreamId stream;
    for (; edge != edges.end() && edge->to == id; ++edge) {
      // A predecessor that the capture made later is on no stream yet.
      if (stream.valid() || edge->from >= id) continue;
      if (continued[edge->from.value]) continue;
      continued[edge->from.value] = true;
      stream = graph.node(edge->from).stream;
    }
    graph.mutable_node(id).stream =
        stream.valid() ? stream : StreamId{num_streams++};
  }
}

}  // namespace reprise
