#include "graph/node.h"

#include <cstddef>

namespace reprise {
namespace {

// The names that capture files use.
constexpr absl::string_view kKinds[] = {
    "kernel",    "memcpy",     "memset",       "host",
    "empty",     "event_wait", "event_record", "child_graph",
    "mem_alloc", "mem_free",   "conditional",  "other",
};

}  // namespace

absl::string_view NameOf(NodeKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<NodeKind> FindNodeKind(absl::string_view name) {
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i] == name) return static_cast<NodeKind>(i);
  }
  return std::nullopt;
}

}  // namespace reprise
