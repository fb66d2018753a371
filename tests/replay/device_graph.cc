#include "tests/replay/device_graph.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/device_kernels.h"
#include "tests/kernels/on_device.h"

namespace reprise::testing {
namespace {

void* Pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

dim3 Dim(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

class Maker {
 public:
  Maker(const Graph& graph, cudaGraph_t made) : graph_(graph), made_(made) {}

  void Run(bool programmatic) {
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) Add(NodeId{n});
    for (const Edge& edge : graph_.edges()) {
      cudaGraphEdgeData data{};
      if (programmatic && InOneStream(edge)) {
        data.type = cudaGraphDependencyTypeProgrammatic;
        data.from_port = cudaGraphKernelNodePortProgrammatic;
      }
      Require(cudaGraphAddDependencies(made_, &nodes_[edge.from.value],
                                       &nodes_[edge.to.value], &data, 1),
              "cudaGraphAddDependencies");
    }
  }

 private:
  // Two kernels.
  bool InOneStream(const Edge& edge) const {
    const Node& from = graph_.node(edge.from);
    const Node& to = graph_.node(edge.to);
    return from.stream == to.stream && from.kind == NodeKind::kKernel &&
           to.kind == NodeKind::kKernel;
  }

  void Add(NodeId id) {
    switch (graph_.node(id).kind) {
      case NodeKind::kKernel:
        return AddKernel(graph_.launch(id));
      case NodeKind::kCopy:
        return AddCopy(graph_.copy(id));
      case NodeKind::kFill:
        return AddFill(graph_.fill(id));
      default:
        throw std::invalid_argument("no node of the device: " +
                                    Named(graph_, id));
    }
  }

  void AddKernel(KernelLaunch launch) {
    void* parameters[] = {launch.bytes.data()};
    cudaKernelNodeParams params{};
    params.func = const_cast<void*>(FindDeviceFunction(launch.symbol));
    params.gridDim = Dim(launch.grid);
    params.blockDim = Dim(launch.block);
    params.sharedMemBytes = launch.shared_bytes;
    params.kernelParams = parameters;
    Require(AllowSharedBytes(params.func, launch.shared_bytes), launch.symbol);
    Require(cudaGraphAddKernelNode(NewNode(), made_, nullptr, 0, &params),
            launch.symbol);
  }

  void AddCopy(const Copy& copy) {
    Require(
        cudaGraphAddMemcpyNode1D(NewNode(), made_, nullptr, 0,
                                 Pointer(copy.target), Pointer(copy.source),
                                 copy.width_bytes, cudaMemcpyDeviceToDevice),
        "cudaGraphAddMemcpyNode1D");
  }

  void AddFill(const Fill& fill) {
    cudaMemsetParams params{};
    params.dst = Pointer(fill.target);
    params.elementSize = fill.element_bytes;
    params.value = fill.value;
    params.width = fill.width;
    params.height = fill.height;
    params.pitch = fill.pitch;
    Require(cudaGraphAddMemsetNode(NewNode(), made_, nullptr, 0, &params),
            "cudaGraphAddMemsetNode");
  }

  cudaGraphNode_t* NewNode() { return &nodes_.emplace_back(); }

  const Graph& graph_;
  const cudaGraph_t made_;
  std::vector<cudaGraphNode_t> nodes_;  // by node of the graph
};

}  // namespace

GraphHandle MakeDeviceGraph(const Driver& driver, const Graph& graph,
                            bool programmatic) {
  cudaGraph_t made = nullptr;
  Require(cudaGraphCreate(&made, 0), "cudaGraphCreate");
  GraphHandle handle(driver, made);
  Maker(graph, made).Run(programmatic);
  return handle;
}

}  // namespace reprise::testing
