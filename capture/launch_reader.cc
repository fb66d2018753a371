#include "capture/launch_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "capture/import_kernel.h"
#include "capture/node_change.h"

namespace reprise {

LaunchReader::LaunchReader(const Driver& driver, ImportedGraph& known)
    : driver_(driver),
      known_(known),
      functions_(driver),
      allocations_(driver, known.graph.allocations()) {}

absl::StatusOr<bool> LaunchReader::Read(NodeId id, CUgraphNode handle) {
  const absl::Status read =
      ReadKernel(driver_, functions_, handle, launch_, code_);
  if (!read.ok()) return read;
  return Take(id);
}

absl::StatusOr<bool> LaunchReader::Read(NodeId id,
                                        const CUDA_KERNEL_NODE_PARAMS& params) {
  const KernelLaunch& known = known_.graph.launch(id);
  launch_.cooperative = known.cooperative;
  launch_.cluster = known.cluster;
  const absl::Status read =
      ReadLaunch(driver_, functions_, params, launch_, code_);
  if (!read.ok()) return read;
  return Take(id);
}

// Compares what was read with what is known, and keeps what is new.
absl::StatusOr<bool> LaunchReader::Take(NodeId id) {
  KernelLaunch& known = known_.graph.mutable_launch(id);
  KernelCode& known_code = known_.code[id.value];
  const Change change = ChangeOf(known, launch_);
  if (change == Change::kMore) return false;
  if (change == Change::kNone && code_ == known_code) return true;
  if (absl::Status s = VisitNewWords(known.bytes, launch_.bytes); !s.ok()) {
    return s;
  }
  std::swap(known, launch_);
  known_code = code_;
  changed_.push_back(id);
  return true;
}

absl::Status LaunchReader::VisitNewWords(absl::Span<const std::uint8_t> before,
                                         absl::Span<const std::uint8_t> after) {
  for (std::size_t at = 0; at + 8 <= after.size(); at += 8) {
    if (std::memcmp(before.data() + at, after.data() + at, 8) == 0) continue;
    const absl::Status visited = allocations_.VisitWords(after.subspan(at, 8));
    if (!visited.ok()) return visited;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> LaunchReader::Finish() {
  absl::StatusOr<bool> same = allocations_.KnownAreTheSame();
  if (same.ok() && *same) known_.graph.set_allocations(allocations_.found());
  return same;
}

std::vector<NodeId> LaunchReader::TakeChanged() {
  if (!absl::c_is_sorted(changed_)) absl::c_sort(changed_);
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  return std::exchange(changed_, {});
}

}  // namespace reprise
