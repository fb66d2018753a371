#include <cstring>
#include <vector>

#include "tests/inject/fake_libcuda/fake_driver.h"
#include "tests/inject/fake_libcuda/host_kernels.h"

namespace reprise::testing {
namespace {

void RunNode(const ScriptedNode& node) {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      FindHostKernel(FunctionOf(node.kernel).name)->run(node.kernel);
      return;
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      const std::size_t bytes = node.copy.WidthInBytes;
      std::memmove(ScriptedDriver::state().Find(node.copy.dstDevice, bytes),
                   ScriptedDriver::state().Find(node.copy.srcDevice, bytes),
                   bytes);
      return;
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const std::size_t bytes = node.fill.width;  // elements of one byte
      std::memset(ScriptedDriver::state().Find(node.fill.dst, bytes),
                  static_cast<int>(node.fill.value), bytes);
      return;
    }
    default:  // what is inside of other nodes is not run
      return;
  }
}

}  // namespace

void RunExec(CUgraphExec exec) {
  const ScriptedGraph& graph = From<ScriptedExec>(exec)->content;
  std::vector<int> waits_for(graph.nodes.size());
  for (const ScriptedEdge& edge : graph.edges) ++waits_for[edge.to];
  std::vector<std::uint32_t> ready;
  for (const ScriptedNode& node : graph.nodes) {
    if (node.alive && waits_for[node.index] == 0) ready.push_back(node.index);
  }
  // The youngest first: other than any capture's order where edges allow it.
  while (!ready.empty()) {
    const ScriptedNode& node = graph.nodes[ready.back()];
    ready.pop_back();
    if (!Fake().disabled.contains({exec, node.index})) RunNode(node);
    for (const ScriptedEdge& edge : graph.edges) {
      if (edge.from != node.index) continue;
      if (--waits_for[edge.to] == 0) ready.push_back(edge.to);
    }
  }
}

}  // namespace reprise::testing
