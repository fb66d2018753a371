#include "capture/node_change.h"

namespace reprise {
namespace {

// What an executable's node cannot be given anew.
bool SameFrame(const KernelLaunch& a, const KernelLaunch& b) {
  return a.symbol == b.symbol && a.parameters == b.parameters &&
         a.cooperative == b.cooperative && a.cluster == b.cluster;
}

bool IsDeviceMemory(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kUnified;
}

Change MoreUnless(bool same) { return same ? Change::kNone : Change::kMore; }

}  // namespace

Change ChangeOf(const KernelLaunch& before, const KernelLaunch& after) {
  if (!SameFrame(before, after)) return Change::kMore;
  const bool same = before.bytes == after.bytes && before.grid == after.grid &&
                    before.block == after.block &&
                    before.shared_bytes == after.shared_bytes;
  return same ? Change::kNone : Change::kLaunch;
}

Change ChangeOf(const Copy& before, const Copy& after) {
  return MoreUnless(before == after && IsDeviceMemory(after.source_kind) &&
                    IsDeviceMemory(after.target_kind));
}

Change ChangeOf(const Fill& before, const Fill& after) {
  return MoreUnless(before == after);
}

Change ChangeOf(NodeKind kind) { return MoreUnless(kind == NodeKind::kEmpty); }

}  // namespace reprise
