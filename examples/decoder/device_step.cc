#include "examples/decoder/device_step.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace reprise::decoder {

absl::StatusOr<DeviceStep> DeviceStep::Create(const Graph& graph,
                                              Dependency dependency) {
  DeviceStep step;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    absl::Status added = step.AddKernel(graph, NodeId{n}, dependency);
    if (!added.ok()) return added;
  }
  for (const Edge& edge : graph.edges()) {
    if (absl::Status added = step.AddWait(edge); !added.ok()) return added;
  }
  return step;
}

absl::Status DeviceStep::AddKernel(const Graph& graph, NodeId node,
                                   Dependency dependency) {
  Kernel kernel;
  kernel.name = Named(graph, node);
  if (graph.node(node).kind != NodeKind::kKernel) {
    return absl::UnimplementedError(
        absl::StrCat(kernel.name, " is no kernel: only those are launched"));
  }
  if (!graph.node(node).stream.valid()) {
    return absl::FailedPreconditionError(
        absl::StrCat(kernel.name, " is on no known stream"));
  }
  const KernelLaunch& launch = graph.launch(node);
  kernel.kernel = FindHostKernel(launch.symbol);
  if (kernel.kernel == nullptr ||
      FindDeviceFunction(launch.symbol) == nullptr ||
      kernel.kernel->param_bytes != launch.bytes.size()) {
    return absl::NotFoundError(
        absl::StrCat(kernel.name, ": this build leaves out its kernel"));
  }
  kernel.params.resize((launch.bytes.size() + 7) / 8);
  std::memcpy(kernel.params.data(), launch.bytes.data(), launch.bytes.size());
  kernel.dependency = dependency;
  kernel.stream = graph.node(node).stream.value;
  while (streams_.size() < kernel.stream) {
    absl::StatusOr<OwnedStream> stream = MakeStream();
    if (!stream.ok()) return stream.status();
    streams_.push_back(*std::move(stream));
  }
  kernels_.push_back(std::move(kernel));
  return absl::OkStatus();
}

absl::Status DeviceStep::AddWait(const Edge& edge) {
  Kernel& from = kernels_[edge.from.value];
  Kernel& to = kernels_[edge.to.value];
  if (from.stream == to.stream) return absl::OkStatus();
  if (!from.done) {
    absl::StatusOr<OwnedEvent> event = MakeEvent();
    if (!event.ok()) return event.status();
    from.done = *std::move(event);
  }
  to.waits.push_back(edge.from.value);
  to.dependency = Dependency::kFull;
  return absl::OkStatus();
}

absl::Status DeviceStep::Launch(cudaStream_t stream) const {
  for (const Kernel& kernel : kernels_) {
    const cudaStream_t on =
        kernel.stream == 0 ? stream : streams_[kernel.stream - 1].get();
    cudaError_t result = cudaSuccess;
    for (std::uint32_t before : kernel.waits) {
      if (result != cudaSuccess) break;
      result = cudaStreamWaitEvent(on, kernels_[before].done.get(), 0);
    }
    if (result == cudaSuccess) {
      result = LaunchOnStream(*kernel.kernel, kernel.params.data(),
                              kernel.dependency, on);
    }
    if (result == cudaSuccess && kernel.done) {
      result = cudaEventRecord(kernel.done.get(), on);
    }
    if (result != cudaSuccess) {
      return CudaStatus(result, absl::StrCat("launch ", kernel.name));
    }
  }
  return absl::OkStatus();
}

}  // namespace reprise::decoder
