// A node made ready to run on the host: its kernel found, its addresses turned
// into pointers, every bound checked.
#ifndef REPRISE_REPLAY_HOST_STEP_H_
#define REPRISE_REPLAY_HOST_STEP_H_

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "kernels/host_kernels.h"
#include "replay/host_memory.h"

namespace reprise {

// What a host node does to the program's memory.
using HostCall = std::function<void(HostMemory&)>;

// An executable's own arena, at the address that its graph gives it.
struct HostArena {
  Allocation allocation;
  std::vector<std::uint8_t> bytes;
};

struct KernelStep {
  const HostKernel* kernel;
  std::vector<std::uint64_t> params;  // words, for the struct's alignment
  bool quantizes = false;
  bool emits = false;
};

struct CopyStep {
  Copy copy;
  const std::uint8_t* source;
  std::uint8_t* target;
};

struct FillStep {
  Fill fill;
  std::uint8_t* target;
};

struct CallStep {
  HostCall call;
};

// What a producer leaves where it stores no floats: anything.
struct PoisonStep {
  std::uint8_t* target;
  std::uint64_t bytes;
};

// Nothing for nodes that only order others.
struct EmptyStep {};

using HostStep = std::variant<EmptyStep, KernelStep, CopyStep, FillStep,
                              CallStep, PoisonStep>;

// The step points into `memory` and `arena`; both must outlive it and keep
// their stretches.
//
// Errors, each naming the node
//   Unimplemented       a kind that the host cannot run, a copy of host memory
//                       or of an array
//   NotFound            no host kernel has that symbol
//   FailedPrecondition  the kernel's effects are not known: nothing says which
//                       of its parameters are pointers
//   InvalidArgument     the parameter buffer does not fit the kernel
//   OutOfRange          it may touch bytes outside every allocation
absl::StatusOr<HostStep> MakeHostStep(const Graph& graph, NodeId node,
                                      HostMemory& memory, HostArena& arena);

void RunStep(const KernelStep& step);
void RunStep(const CopyStep& step);
void RunStep(const FillStep& step);

}  // namespace reprise

#endif  // REPRISE_REPLAY_HOST_STEP_H_
