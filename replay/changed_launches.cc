#include "replay/changed_launches.h"

#include <cstdint>

#include "absl/algorithm/container.h"

namespace reprise {
namespace {

// What an executable's node cannot be given anew.
bool SameFrame(const KernelLaunch& a, const KernelLaunch& b) {
  return a.symbol == b.symbol && a.parameters == b.parameters &&
         a.cooperative == b.cooperative && a.cluster == b.cluster;
}

bool SameLaunch(const KernelLaunch& a, const KernelLaunch& b) {
  return a.bytes == b.bytes && a.grid == b.grid && a.block == b.block &&
         a.shared_bytes == b.shared_bytes;
}

bool IsDeviceMemory(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kUnified;
}

bool SameCopy(const Copy& a, const Copy& b) {
  return a == b && IsDeviceMemory(a.source_kind) &&
         IsDeviceMemory(a.target_kind);
}

enum class Change { kNone, kLaunch, kMore };

Change ChangeOf(const Program& before, const Program& after, NodeId id) {
  const auto more_unless = [](bool same) {
    return same ? Change::kNone : Change::kMore;
  };
  const Node& node = before.graph.node(id);
  switch (node.kind) {
    case NodeKind::kKernel: {
      if (node.launch == Node::kNoIndex) return Change::kMore;
      const KernelLaunch& old = before.graph.launch(id);
      const KernelLaunch& now = after.graph.launch(id);
      if (!SameFrame(old, now)) return Change::kMore;
      const bool same =
          SameLaunch(old, now) && before.code[id.value] == after.code[id.value];
      return same ? Change::kNone : Change::kLaunch;
    }
    case NodeKind::kCopy:
      return more_unless(SameCopy(before.graph.copy(id), after.graph.copy(id)));
    case NodeKind::kFill:
      return more_unless(before.graph.fill(id) == after.graph.fill(id));
    case NodeKind::kEmpty:
      return Change::kNone;
    default:
      return Change::kMore;
  }
}

}  // namespace

bool SameShape(const Graph& a, const Graph& b) {
  const auto same_kind = [](const Node& x, const Node& y) {
    return x.kind == y.kind;
  };
  return absl::c_equal(a.nodes(), b.nodes(), same_kind) &&
         absl::c_equal(a.edges(), b.edges());
}

std::optional<std::vector<NodeId>> ChangedLaunches(const Program& before,
                                                   const Program& after) {
  std::vector<NodeId> changed;
  for (std::uint32_t n = 0; n < before.graph.num_nodes(); ++n) {
    switch (ChangeOf(before, after, NodeId{n})) {
      case Change::kNone:
        break;
      case Change::kLaunch:
        changed.push_back(NodeId{n});
        break;
      case Change::kMore:
        return std::nullopt;
    }
  }
  return changed;
}

}  // namespace reprise
