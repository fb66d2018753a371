#include "replay/changed_launches.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "capture/node_change.h"

namespace reprise {
namespace {

Change ChangeOf(const Program& before, const Program& after, NodeId id) {
  const Graph& a = before.graph();
  const Graph& b = after.graph();
  const NodeKind kind = a.node(id).kind;
  switch (kind) {
    case NodeKind::kKernel: {
      const Change change = ChangeOf(a.launch(id), b.launch(id));
      if (change != Change::kNone) return change;
      return before.code[id.value] == after.code[id.value] ? Change::kNone
                                                           : Change::kLaunch;
    }
    case NodeKind::kCopy:
      return ChangeOf(a.copy(id), b.copy(id));
    case NodeKind::kFill:
      return ChangeOf(a.fill(id), b.fill(id));
    default:
      return ChangeOf(kind);
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
  for (std::uint32_t n = 0; n < before.graph().num_nodes(); ++n) {
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
