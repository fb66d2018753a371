#include "replay/rewritable.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace reprise {
namespace {

bool IsDeviceUpdatable(const Driver& driver, CUgraphNode kernel) {
  CUkernelNodeAttrValue value{};
  // A driver that does not know the attribute has no such node.
  return driver.GraphKernelNodeGetAttribute(
             kernel, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
             &value) == CUDA_SUCCESS &&
         value.deviceUpdatableKernelNode.deviceUpdatable != 0;
}

// Empty where the node bars nothing.
absl::string_view Obstacle(const Driver& driver, NodeKind kind,
                           CUgraphNode handle) {
  switch (kind) {
    case NodeKind::kMemAlloc:
      return "allocates memory";
    case NodeKind::kMemFree:
      return "frees memory";
    case NodeKind::kConditional:
      return "is conditional";
    case NodeKind::kKernel:
      return IsDeviceUpdatable(driver, handle) ? "is updatable from the device"
                                               : "";
    default:
      return "";
  }
}

}  // namespace

absl::Status CheckRewritable(const Driver& driver, const ImportedGraph& graph) {
  for (std::uint32_t n = 0; n < graph.graph.num_nodes(); ++n) {
    const absl::string_view obstacle =
        Obstacle(driver, graph.graph.node(NodeId{n}).kind, graph.handles[n]);
    if (obstacle.empty()) continue;
    return absl::UnimplementedError(
        absl::StrCat("the driver clones no graph and removes no node of it "
                     "when one of them ",
                     obstacle, ": ", Named(graph.graph, NodeId{n})));
  }
  return absl::OkStatus();
}

}  // namespace reprise
