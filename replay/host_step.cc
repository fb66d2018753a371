#include "replay/host_step.h"

#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "graph/effects.h"
#include "graph/op.h"
#include "kernels/emission.h"

namespace reprise {
namespace {

class StepMaker {
 public:
  StepMaker(const Graph& graph, NodeId node, HostMemory& memory,
            HostArena& arena)
      : graph_(graph), node_(node), memory_(memory), arena_(arena) {}

  absl::StatusOr<HostStep> Make() const {
    switch (graph_.node(node_).kind) {
      case NodeKind::kKernel:
        return MakeKernel();
      case NodeKind::kCopy:
        return MakeCopy();
      case NodeKind::kFill:
        return MakeFill();
      case NodeKind::kHostCall:
        return CallStep{};
      case NodeKind::kEmpty:
      case NodeKind::kEventWait:
      case NodeKind::kEventRecord:
        return EmptyStep{};
      default:
        return Error(absl::StatusCode::kUnimplemented,
                     "a node of this kind does not run on the host");
    }
  }

 private:
  absl::StatusOr<HostStep> MakeKernel() const {
    if (graph_.node(node_).launch == Node::kNoIndex) {
      return Error(absl::StatusCode::kInvalidArgument, "it has no launch");
    }
    const KernelLaunch& launch = graph_.launch(node_);
    const HostKernel* kernel = FindHostKernel(launch.symbol);
    if (kernel == nullptr) {
      return Error(absl::StatusCode::kNotFound,
                   absl::StrCat("no host kernel '", launch.symbol, "'"));
    }
    if (launch.bytes.size() != kernel->param_bytes) {
      return Error(absl::StatusCode::kInvalidArgument,
                   absl::StrCat(launch.bytes.size(), " parameter bytes, not ",
                                kernel->param_bytes));
    }
    if (!graph_.node(node_).effects_complete) {
      return Error(absl::StatusCode::kFailedPrecondition,
                   "its effects are not known");
    }
    KernelStep step;
    step.kernel = kernel;
    step.params.resize((launch.bytes.size() + 7) / 8);
    std::memcpy(step.params.data(), launch.bytes.data(), launch.bytes.size());
    step.quantizes = IsQuantizer(graph_.node(node_).op);
    step.emits = absl::EndsWith(
        launch.symbol,
        absl::string_view(kEmitSuffix.data(), kEmitSuffix.size()));
    for (const Access& access : graph_.accesses(node_)) {
      absl::Status status = Resolve(access, launch, step);
      if (!status.ok()) return status;
    }
    return step;
  }

  // Checks what `access` touches, and puts the pointer that it goes through in
  // place of its address.
  absl::Status Resolve(const Access& access, const KernelLaunch& launch,
                       KernelStep& step) const {
    const View& view = access.view;
    if (view.empty()) return absl::OkStatus();
    absl::StatusOr<std::uint8_t*> touched =
        Find(view.begin(), view.end() - view.begin(), ToText(view));
    if (!touched.ok()) return touched.status();
    std::uint64_t address = 0;
    if (access.parameter > launch.bytes.size() ||
        launch.bytes.size() - access.parameter < sizeof(address)) {
      return Error(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("no parameter points at ", ToText(view)));
    }
    std::memcpy(&address, &launch.bytes[access.parameter], sizeof(address));
    // The view may lie further on than the pointer, or be a bound around it.
    absl::StatusOr<std::uint8_t*> pointer =
        Find(address, 1,
             absl::StrCat("the pointer at parameter byte ", access.parameter));
    if (!pointer.ok()) return pointer.status();
    std::memcpy(
        reinterpret_cast<std::uint8_t*>(step.params.data()) + access.parameter,
        &*pointer, sizeof(*pointer));
    return absl::OkStatus();
  }

  absl::StatusOr<HostStep> MakeCopy() const {
    const Copy& copy = graph_.copy(node_);
    for (MemoryKind kind : {copy.source_kind, copy.target_kind}) {
      if (kind == MemoryKind::kHost || kind == MemoryKind::kArray) {
        return Error(absl::StatusCode::kUnimplemented,
                     "it copies host memory or an array");
      }
    }
    const std::uint64_t rows = copy.height * copy.depth;
    absl::StatusOr<std::uint8_t*> source =
        FindRows(copy.source, copy.width_bytes, rows, copy.source_pitch);
    if (!source.ok()) return source.status();
    absl::StatusOr<std::uint8_t*> target =
        FindRows(copy.target, copy.width_bytes, rows, copy.target_pitch);
    if (!target.ok()) return target.status();
    return CopyStep{copy, *source, *target};
  }

  absl::StatusOr<HostStep> MakeFill() const {
    const Fill& fill = graph_.fill(node_);
    if (fill.element_bytes != 1 && fill.element_bytes != 2 &&
        fill.element_bytes != 4) {
      return Error(absl::StatusCode::kInvalidArgument,
                   absl::StrCat(fill.element_bytes, " bytes an element"));
    }
    absl::StatusOr<std::uint8_t*> target = FindRows(
        fill.target, fill.width * fill.element_bytes, fill.height, fill.pitch);
    if (!target.ok()) return target.status();
    return FillStep{fill, *target};
  }

  absl::StatusOr<std::uint8_t*> FindRows(std::uint64_t address,
                                         std::uint64_t row_bytes,
                                         std::uint64_t rows,
                                         std::uint64_t pitch) const {
    if (row_bytes == 0 || rows == 0) return nullptr;
    const std::uint64_t bytes = (rows - 1) * pitch + row_bytes;
    return Find(address, bytes,
                absl::StrCat(bytes, " bytes at 0x", absl::Hex(address)));
  }

  absl::StatusOr<std::uint8_t*> Find(std::uint64_t address, std::uint64_t bytes,
                                     const std::string& what) const {
    const Allocation& arena = arena_.allocation;
    if (address >= arena.address && address < arena.end()) {
      if (bytes > arena.end() - address) {
        return Error(absl::StatusCode::kOutOfRange,
                     absl::StrCat(what, " leaves the arena"));
      }
      return arena_.bytes.data() + (address - arena.address);
    }
    absl::StatusOr<std::uint8_t*> found = memory_.Translate(address, bytes);
    if (found.ok()) return found;
    return Error(found.status().code(),
                 absl::StrCat(what, ": ", found.status().message()));
  }

  absl::Status Error(absl::StatusCode code, absl::string_view what) const {
    return absl::Status(code, absl::StrCat(Named(graph_, node_), ": ", what));
  }

  const Graph& graph_;
  const NodeId node_;
  HostMemory& memory_;
  HostArena& arena_;
};

}  // namespace

absl::StatusOr<HostStep> MakeHostStep(const Graph& graph, NodeId node,
                                      HostMemory& memory, HostArena& arena) {
  return StepMaker(graph, node, memory, arena).Make();
}

void RunStep(const KernelStep& step) { step.kernel->run(step.params.data()); }

void RunStep(const CopyStep& step) {
  if (step.copy.width_bytes == 0) return;
  for (std::uint64_t row = 0; row < step.copy.height * step.copy.depth; ++row) {
    std::memmove(step.target + row * step.copy.target_pitch,
                 step.source + row * step.copy.source_pitch,
                 step.copy.width_bytes);
  }
}

void RunStep(const FillStep& step) {
  const std::uint32_t bytes = step.fill.element_bytes;
  for (std::uint64_t row = 0; row < step.fill.height; ++row) {
    std::uint8_t* out = step.target + row * step.fill.pitch;
    for (std::uint64_t e = 0; e < step.fill.width; ++e) {
      // The low bytes come first on a little-endian machine.
      std::memcpy(out + e * bytes, &step.fill.value, bytes);
    }
  }
}

}  // namespace reprise
