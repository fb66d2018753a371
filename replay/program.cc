#include "replay/program.h"

#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"

namespace reprise {
namespace {

// Where the node's image of that mode lies; 0 where it was not moved there.
std::uint64_t ImageInArena(const Graph& graph, NodeId id, AccessMode mode,
                           const Allocation& arena) {
  for (const Access& access : graph.accesses(id)) {
    const std::uint64_t address = access.view.address;
    if (access.role == Role::kImage && access.mode == mode &&
        address >= arena.address && address < arena.end()) {
      return address;
    }
  }
  return 0;
}

bool SetPointer(std::uint32_t parameter, std::uint64_t address,
                KernelLaunch& launch) {
  if (parameter + sizeof address > launch.bytes.size()) return false;
  std::memcpy(launch.bytes.data() + parameter, &address, sizeof address);
  return true;
}

// A null pointer for the floats that the node stores no more.
bool ForgetFloats(const Graph& captured, NodeId producer, const Graph& running,
                  NodeId now, KernelLaunch& launch) {
  if (running.FindAccess(now, Role::kOutput, AccessMode::kWrite) != nullptr) {
    return true;
  }
  const Access* output =
      captured.FindAccess(producer, Role::kOutput, AccessMode::kWrite);
  return output == nullptr || SetPointer(output->parameter, 0, launch);
}

}  // namespace

absl::StatusOr<Program> MakeProgram(const ImportedGraph& captured,
                                    const Plan& plan,
                                    std::uint64_t arena_address,
                                    const FunctionLookup& functions) {
  Program program{Rewrite(captured.graph, plan, arena_address), {}, {}};
  const Graph& graph = program.graph();
  program.code.resize(graph.num_nodes());
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    if (graph.node(NodeId{n}).kind != NodeKind::kKernel) continue;
    const NodeId origin = program.rewritten.origin[n];
    const KernelLaunch& launch = graph.launch(NodeId{n});
    if (launch.symbol == captured.graph.launch(origin).symbol) {
      program.code[n] = captured.code[origin.value];
      continue;
    }
    const absl::StatusOr<CUfunction> function =
        functions(launch.symbol, launch.shared_bytes);
    if (!function.ok()) return function.status();
    program.code[n].function = *function;
  }
  return program;
}

bool TranslateLaunch(const ImportedGraph& graph, NodeId captured,
                     const Program& program, NodeId now,
                     const Allocation& arena, NodeLaunch& to) {
  const KernelLaunch& running = program.graph().launch(now);
  to.launch = graph.graph.launch(captured);
  to.code = graph.code[captured.value];
  if (to.launch.symbol != running.symbol) {
    const auto kernels = graph.graph.emitting_kernels(captured);
    const auto kernel = absl::c_find_if(kernels, [&](const EmittingKernel& k) {
      return k.symbol == running.symbol || k.dropping_symbol == running.symbol;
    });
    if (kernel == kernels.end()) return false;
    to.launch.symbol = running.symbol;
    to.launch.parameters = running.parameters;
    to.launch.bytes.resize(running.bytes.size());
    to.code = program.code[now.value];
    if (kernel->takes_no_floats &&
        !ForgetFloats(graph.graph, captured, program.graph(), now, to.launch)) {
      return false;
    }
    return SetPointer(
        kernel->image_parameter,
        ImageInArena(program.graph(), now, AccessMode::kWrite, arena),
        to.launch);
  }
  for (const Access& access : graph.graph.accesses(captured)) {
    if (access.role != Role::kImage) continue;
    const std::uint64_t image =
        ImageInArena(program.graph(), now, access.mode, arena);
    if (image == 0) continue;
    if (!SetPointer(access.parameter, image, to.launch)) return false;
  }
  return true;
}

}  // namespace reprise
