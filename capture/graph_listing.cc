#include "capture/graph_listing.h"

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

NodeKind KindOf(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return NodeKind::kKernel;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return NodeKind::kCopy;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return NodeKind::kFill;
    case CU_GRAPH_NODE_TYPE_HOST:
      return NodeKind::kHostCall;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return NodeKind::kChildGraph;
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return NodeKind::kEmpty;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return NodeKind::kEventWait;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return NodeKind::kEventRecord;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return NodeKind::kMemAlloc;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return NodeKind::kMemFree;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return NodeKind::kConditional;
    default:
      return NodeKind::kOther;
  }
}

}  // namespace

absl::StatusOr<std::vector<CUgraphNode>> ListNodes(const Driver& driver,
                                                   CUgraph graph) {
  std::size_t count = 0;
  CUresult result = driver.GraphGetNodes(graph, nullptr, &count);
  std::vector<CUgraphNode> nodes(count);
  if (result == CUDA_SUCCESS && count > 0) {
    result = driver.GraphGetNodes(graph, nodes.data(), &count);
  }
  if (result == CUDA_SUCCESS) return nodes;
  return CudaStatus(driver, result, "cuGraphGetNodes");
}

absl::StatusOr<NodeKind> ReadKind(const Driver& driver, CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  const CUresult result = driver.GraphNodeGetType(node, &type);
  if (result == CUDA_SUCCESS) return KindOf(type);
  return CudaStatus(driver, result, "cuGraphNodeGetType");
}

absl::StatusOr<EdgeList> ListEdges(const Driver& driver, CUgraph graph) {
  std::size_t count = 0;
  CUresult result =
      driver.GraphGetEdges(graph, nullptr, nullptr, nullptr, &count);
  EdgeList edges;
  edges.from.resize(count);
  edges.to.resize(count);
  edges.data.resize(count);
  if (result == CUDA_SUCCESS && count > 0) {
    result = driver.GraphGetEdges(graph, edges.from.data(), edges.to.data(),
                                  edges.data.data(), &count);
  }
  if (result == CUDA_SUCCESS) return edges;
  return CudaStatus(driver, result, "cuGraphGetEdges");
}

CUgraphEdgeData DataOf(const Edge& edge) {
  CUgraphEdgeData data{};
  data.from_port = edge.from_port;
  data.to_port = edge.to_port;
  data.type = edge.type == EdgeType::kProgrammatic
                  ? CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
                  : CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
  return data;
}

absl::Status AtNode(std::size_t node, absl::string_view kind,
                    const absl::Status& error) {
  return absl::Status(error.code(), absl::StrCat("node ", node, " (", kind,
                                                 "): ", error.message()));
}

}  // namespace reprise
