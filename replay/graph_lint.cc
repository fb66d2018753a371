#include "replay/graph_lint.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "capture/annotate.h"
#include "driver/cuda_status.h"
#include "graph/topology.h"
#include "kernels/compare_bytes.h"
#include "replay/graph_exec.h"

namespace reprise {
namespace {

constexpr std::uint64_t kPieceBytes = 16;  // what a comparison takes at once

bool RunsAlone(NodeKind kind) {
  return kind == NodeKind::kKernel || kind == NodeKind::kCopy ||
         kind == NodeKind::kFill;
}

// Nothing that it writes is read by it: a second run starts as the first did.
bool MayRunAgain(const Graph& graph, NodeId id) {
  const absl::Span<const Access> accesses = graph.accesses(id);
  return std::none_of(accesses.begin(), accesses.end(), [&](const Access& w) {
    return w.writes() &&
           std::any_of(accesses.begin(), accesses.end(), [&](const Access& r) {
             return r.reads() && MayOverlap(r.view, w.view);
           });
  });
}

// The rows of a view, as stretches of memory.
std::vector<Allocation> RowsOf(const View& view) {
  std::vector<Allocation> rows;
  const std::uint64_t element =
      static_cast<std::uint64_t>(ElementBytes(view.type));
  if (view.empty()) return rows;
  if (view.dense()) return {{view.begin(), view.end() - view.begin()}};
  const bool packed_row =
      view.strides[0] == 0 || view.strides[0] == ElementBytes(view.type);
  const std::int64_t pieces = packed_row ? 1 : view.extents[0];
  const std::uint64_t bytes =
      packed_row ? element * static_cast<std::uint64_t>(view.extents[0])
                 : element;
  for (std::int64_t d = 0; d < view.extents[3]; ++d) {
    for (std::int64_t c = 0; c < view.extents[2]; ++c) {
      for (std::int64_t b = 0; b < view.extents[1]; ++b) {
        for (std::int64_t a = 0; a < pieces; ++a) {
          const std::int64_t offset = a * view.strides[0] +
                                      b * view.strides[1] +
                                      c * view.strides[2] + d * view.strides[3];
          rows.push_back(
              {view.address + static_cast<std::uint64_t>(offset), bytes});
        }
      }
    }
  }
  return rows;
}

}  // namespace

absl::StatusOr<GraphLint> GraphLint::Create(const Driver& driver, CUgraph graph,
                                            absl::Span<const Pack> packs) {
  absl::StatusOr<ImportedGraph> imported = GraphImporter(driver).Import(graph);
  if (!imported.ok()) return imported.status();
  Annotate(packs, imported->graph);
  CUgraph clone = nullptr;
  const CUresult cloned = driver.GraphClone(&clone, graph);
  if (cloned != CUDA_SUCCESS) {
    return CudaStatus(driver, cloned, "clone the graph");
  }
  GraphHandle owned(driver, clone);
  absl::StatusOr<GraphExecHandle> exec =
      Instantiate(driver, clone, /*flags=*/0, /*program=*/nullptr);
  if (!exec.ok()) return exec.status();
  GraphLint lint(driver, *std::move(imported), std::move(owned),
                 *std::move(exec));
  for (std::uint32_t n = 0; n < lint.imported_.handles.size(); ++n) {
    const NodeId id{n};
    CUgraphNode handle = nullptr;
    const CUresult found =
        driver.GraphNodeFindInClone(&handle, lint.imported_.handles[n], clone);
    if (found != CUDA_SUCCESS) {
      return CudaStatus(driver, found, "find a node in the clone");
    }
    lint.handles_.push_back(handle);
    const NodeKind kind = lint.imported_.graph.node(id).kind;
    if (kind == NodeKind::kEmpty) continue;
    if (!RunsAlone(kind)) {
      return absl::UnimplementedError(absl::StrCat(
          Named(lint.imported_.graph, id), " cannot be run alone"));
    }
    if (absl::Status s = lint.SetEnabled(id, false); !s.ok()) return s;
  }
  return lint;
}

absl::StatusOr<std::vector<LintFinding>> GraphLint::Run(CUstream stream) {
  const Graph& graph = imported_.graph;
  const absl::StatusOr<Topology> topology = Topology::Of(graph);
  if (!topology.ok()) return topology.status();
  if (absl::Status s = Watch(stream); !s.ok()) return s;
  std::vector<LintFinding> findings;
  for (const NodeId id : topology->order()) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kEmpty) continue;
    if (absl::Status s = RunAlone(id, stream); !s.ok()) return s;
    if (!node.effects_complete) {
      if (absl::Status s = AcceptAll(stream); !s.ok()) return s;
      continue;
    }
    if (absl::Status s = AcceptWrites(id, stream); !s.ok()) return s;
    absl::StatusOr<Allocation> change = FindChange(stream);
    if (!change.ok()) return change.status();
    if (change->bytes != 0) {
      findings.push_back(
          {id, absl::StrCat(Named(graph, id), " wrote ", change->bytes,
                            " bytes that its signature does not declare, the "
                            "first ",
                            Place(change->address))});
      if (absl::Status s = AcceptAll(stream); !s.ok()) return s;
    }
    if (!node.pure || !MayRunAgain(graph, id)) continue;
    if (absl::Status s = RunAlone(id, stream); !s.ok()) return s;
    change = FindChange(stream);
    if (!change.ok()) return change.status();
    if (change->bytes == 0) continue;
    findings.push_back(
        {id, absl::StrCat(Named(graph, id), " is called pure, but changed ",
                          change->bytes,
                          " bytes when it ran again on the same input, the "
                          "first ",
                          Place(change->address))});
    if (absl::Status s = AcceptAll(stream); !s.ok()) return s;
  }
  return findings;
}

absl::Status GraphLint::Watch(CUstream stream) {
  watched_.clear();
  std::uint64_t bytes = 0;
  for (const Allocation& memory : imported_.graph.allocations()) {
    const std::uint64_t offset = bytes + memory.address % kPieceBytes;
    watched_.push_back({memory, offset});
    bytes =
        (offset + memory.bytes + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
  }
  absl::StatusOr<DeviceArena> copies = DeviceArena::Create(*driver_, bytes);
  if (!copies.ok()) return copies.status();
  copies_ = *std::move(copies);
  for (Watched& watched : watched_) {
    watched.copy += copies_.allocation().address;
  }
  absl::StatusOr<DeviceArena> different =
      DeviceArena::Create(*driver_, sizeof(std::uint32_t));
  if (!different.ok()) return different.status();
  different_ = *std::move(different);
  return AcceptAll(stream);
}

absl::Status GraphLint::RunAlone(NodeId node, CUstream stream) const {
  if (absl::Status s = SetEnabled(node, true); !s.ok()) return s;
  CUresult result = driver_->GraphLaunch(exec_.get(), stream);
  if (result == CUDA_SUCCESS) result = driver_->StreamSynchronize(stream);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(*driver_, result,
                      absl::StrCat("run ", Named(imported_.graph, node)));
  }
  return SetEnabled(node, false);
}

absl::Status GraphLint::SetEnabled(NodeId node, bool enabled) const {
  const CUresult result = driver_->GraphNodeSetEnabled(
      exec_.get(), handles_[node.value], enabled ? 1 : 0);
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  return CudaStatus(
      *driver_, result,
      absl::StrCat("run ", Named(imported_.graph, node), " alone"));
}

absl::Status GraphLint::AcceptWrites(NodeId node, CUstream stream) const {
  for (const Access& access : imported_.graph.accesses(node)) {
    if (!access.writes()) continue;
    for (const Allocation& row : RowsOf(access.view)) {
      for (const Watched& watched : watched_) {
        const std::uint64_t begin =
            std::max(row.address, watched.memory.address);
        const std::uint64_t end = std::min(row.end(), watched.memory.end());
        if (begin >= end) continue;
        const CUresult copied = driver_->MemcpyDtoDAsync(
            watched.copy + begin - watched.memory.address, begin, end - begin,
            stream);
        if (copied != CUDA_SUCCESS) {
          return CudaStatus(*driver_, copied, "copy what a node wrote");
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status GraphLint::AcceptAll(CUstream stream) const {
  for (const Watched& watched : watched_) {
    const CUresult copied = driver_->MemcpyDtoDAsync(
        watched.copy, watched.memory.address, watched.memory.bytes, stream);
    if (copied != CUDA_SUCCESS) {
      return CudaStatus(*driver_, copied, "copy the graph's memory");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Allocation> GraphLint::FindChange(CUstream stream) const {
  Allocation change;
  for (const Watched& watched : watched_) {
    const absl::StatusOr<bool> differs = Differs(watched, stream);
    if (!differs.ok()) return differs.status();
    if (!*differs) continue;
    std::vector<std::uint8_t> now(watched.memory.bytes);
    std::vector<std::uint8_t> before(watched.memory.bytes);
    CUresult result = driver_->MemcpyDtoHAsync(
        now.data(), watched.memory.address, now.size(), stream);
    if (result == CUDA_SUCCESS) {
      result = driver_->MemcpyDtoHAsync(before.data(), watched.copy,
                                        before.size(), stream);
    }
    if (result == CUDA_SUCCESS) result = driver_->StreamSynchronize(stream);
    if (result != CUDA_SUCCESS) {
      return CudaStatus(*driver_, result, "read what has changed");
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == before[i]) continue;
      if (change.bytes == 0) change.address = watched.memory.address + i;
      ++change.bytes;
    }
  }
  return change;
}

absl::StatusOr<bool> GraphLint::Differs(const Watched& watched,
                                        CUstream stream) const {
  const CUdeviceptr flag = different_.allocation().address;
  std::uint32_t different = 0;
  CUresult result = driver_->MemsetD8Async(flag, 0, sizeof different, stream);
  const cudaError_t launched = CompareBytesOnStream(
      {reinterpret_cast<const std::uint8_t*>(watched.copy),
       reinterpret_cast<const std::uint8_t*>(watched.memory.address),
       static_cast<std::int64_t>(watched.memory.bytes),
       reinterpret_cast<std::uint32_t*>(flag)},
      stream);
  if (launched != cudaSuccess) return CudaStatus(launched, "compare bytes");
  if (result == CUDA_SUCCESS) {
    result =
        driver_->MemcpyDtoHAsync(&different, flag, sizeof different, stream);
  }
  if (result == CUDA_SUCCESS) result = driver_->StreamSynchronize(stream);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(*driver_, result, "compare memory with its copy");
  }
  return different != 0;
}

std::string GraphLint::Place(std::uint64_t address) const {
  for (const Watched& watched : watched_) {
    if (address < watched.memory.address || address >= watched.memory.end()) {
      continue;
    }
    return absl::StrCat(
        "at 0x", absl::Hex(address), ", ", address - watched.memory.address,
        " bytes into the allocation at 0x", absl::Hex(watched.memory.address));
  }
  return absl::StrCat("at 0x", absl::Hex(address));
}

}  // namespace reprise
