#include "replay/node_record.h"

#include <map>

namespace reprise {
namespace {

// The nodes that leave a record, in their order.
std::vector<NodeId> RecordedNodes(const Graph& graph) {
  std::vector<NodeId> nodes;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeKind kind = graph.node(NodeId{n}).kind;
    if (kind == NodeKind::kKernel || kind == NodeKind::kCopy ||
        kind == NodeKind::kFill) {
      nodes.push_back(NodeId{n});
    }
  }
  return nodes;
}

bool IsRunOf(const Graph& graph, NodeId id, const NodeRecord& record) {
  const Node& node = graph.node(id);
  if (node.kind != record.kind) return false;
  if (node.launch == Node::kNoIndex) return true;
  const KernelLaunch& launch = graph.launch(id);
  return launch.symbol == record.symbol && launch.grid == record.grid;
}

}  // namespace

std::vector<NodeId> NodesOf(const Graph& graph,
                            absl::Span<const NodeRecord> records) {
  std::vector<NodeId> found(records.size());
  std::map<std::uint64_t, NodeId> by_number;
  for (const NodeRecord& record : records) {
    if (record.graph_node != 0) by_number[record.graph_node] = {};
  }
  const std::vector<NodeId> nodes = RecordedNodes(graph);
  if (by_number.size() != nodes.size()) return found;
  auto node = nodes.begin();
  for (auto& [number, id] : by_number) id = *node++;

  for (const NodeRecord& record : records) {
    if (record.graph_node == 0) continue;
    if (!IsRunOf(graph, by_number[record.graph_node], record)) return found;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].graph_node == 0) continue;
    found[i] = by_number[records[i].graph_node];
  }
  return found;
}

}  // namespace reprise
