#include "graph/topology.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "absl/strings/str_cat.h"

namespace reprise {

absl::StatusOr<Topology> Topology::Of(const Graph& graph) {
  Topology topology;
  topology.in_ = Group(graph, &Edge::to);
  topology.out_ = Group(graph, &Edge::from);
  if (absl::Status sorted = topology.Sort(graph); !sorted.ok()) return sorted;
  return topology;
}

Topology::Lists Topology::Group(const Graph& graph, NodeId Edge::*end) {
  const absl::Span<const Edge> edges = graph.edges();
  Lists lists;
  lists.first.assign(graph.num_nodes() + 1, 0);
  for (const Edge& edge : edges) ++lists.first[(edge.*end).value + 1];
  std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
  std::vector<std::uint32_t> next(lists.first.begin(), lists.first.end());
  lists.edges.resize(edges.size());
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    lists.edges[next[(edges[e].*end).value]++] = e;
  }
  return lists;
}

void Topology::Append(NodeId node) {
  position_[node.value] = static_cast<std::uint32_t>(order_.size());
  order_.push_back(node);
}

absl::Status Topology::Sort(const Graph& graph) {
  const std::uint32_t count = static_cast<std::uint32_t>(graph.num_nodes());
  order_.reserve(count);
  position_.assign(count, 0);
  const absl::Span<const Edge> edges = graph.edges();
  if (std::all_of(edges.begin(), edges.end(),
                  [](const Edge& e) { return e.from < e.to; })) {
    for (std::uint32_t n = 0; n < count; ++n) Append(NodeId{n});
    return absl::OkStatus();
  }

  std::vector<std::uint32_t> waiting(count);
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>
      ready;
  for (std::uint32_t n = 0; n < count; ++n) {
    waiting[n] = static_cast<std::uint32_t>(incoming(NodeId{n}).size());
    if (waiting[n] == 0) ready.push(n);
  }
  while (!ready.empty()) {
    const NodeId node{ready.top()};
    ready.pop();
    Append(node);
    for (std::uint32_t e : outgoing(node)) {
      const NodeId to = edges[e].to;
      if (--waiting[to.value] == 0) ready.push(to.value);
    }
  }
  if (order_.size() == count) return absl::OkStatus();

  // Walking back over unfinished predecessors must come around to a node of
  // the cycle.
  std::vector<bool> seen(count, false);
  NodeId at{static_cast<std::uint32_t>(
      std::find_if(waiting.begin(), waiting.end(),
                   [](std::uint32_t w) { return w > 0; }) -
      waiting.begin())};
  while (!seen[at.value]) {
    seen[at.value] = true;
    for (std::uint32_t e : incoming(at)) {
      if (waiting[edges[e].from.value] == 0) continue;
      at = edges[e].from;
      break;
    }
  }
  return absl::FailedPreconditionError(
      absl::StrCat("node ", at.value, " is on a cycle of edges"));
}

}  // namespace reprise
