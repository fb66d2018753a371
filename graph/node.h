// One unit of device work, and what the driver needs to do it again.
#ifndef REPRISE_GRAPH_NODE_H_
#define REPRISE_GRAPH_NODE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/ids.h"
#include "graph/op.h"

namespace reprise {

enum class NodeKind : std::uint8_t {
  kKernel,
  kCopy,
  kFill,
  kHostCall,
  kEmpty,
  kEventWait,    // of an event from outside the capture
  kEventRecord,  // of an event that the outside waits for
  kChildGraph,
  kMemAlloc,
  kMemFree,
  kConditional,
  kOther,
};

absl::string_view NameOf(NodeKind kind);
std::optional<NodeKind> FindNodeKind(absl::string_view name);

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

// Where one parameter lies in the parameter buffer.
struct Parameter {
  std::uint32_t offset = 0;  // bytes from the start of the buffer
  std::uint32_t size = 0;    // bytes
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct KernelLaunch {
  std::string symbol;  // as the driver names it: mangled for C++
  Dim3 grid;           // blocks
  Dim3 block;          // threads
  std::uint32_t shared_bytes = 0;
  std::vector<Parameter> parameters;  // in order of their offsets
  std::vector<std::uint8_t> bytes;    // the parameter buffer
  bool programmatic_serialization = false;
  bool cooperative = false;
  std::optional<Dim3> cluster;

  friend bool operator==(const KernelLaunch&, const KernelLaunch&) = default;
};

// Memory kinds as the driver numbers them (CUmemorytype).
enum class MemoryKind : std::uint8_t {
  kUnknown = 0,
  kHost = 1,
  kDevice = 2,
  kArray = 3,
  kUnified = 4,
};

// depth planes of height rows of width_bytes bytes.
struct Copy {
  std::uint64_t source = 0;  // device address; 0 for host memory and arrays
  std::uint64_t target = 0;
  std::uint64_t width_bytes = 0;
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  std::uint64_t source_pitch = 0;  // bytes between rows
  std::uint64_t target_pitch = 0;
  MemoryKind source_kind = MemoryKind::kDevice;
  MemoryKind target_kind = MemoryKind::kDevice;

  friend bool operator==(const Copy&, const Copy&) = default;
};

// height rows of `width` elements, each set to the low bytes of `value`.
struct Fill {
  std::uint64_t target = 0;
  std::uint64_t width = 0;  // elements
  std::uint64_t height = 1;
  std::uint64_t pitch = 0;  // bytes between rows
  std::uint32_t element_bytes = 1;
  std::uint32_t value = 0;

  friend bool operator==(const Fill&, const Fill&) = default;
};

struct Node {
  static constexpr std::uint32_t kNoIndex = 0xffffffff;

  NodeKind kind = NodeKind::kOther;
  Op op;
  // Every byte that the node may touch is in its accesses. False = opaque: it
  // may touch anything.
  bool effects_complete = false;
  // Its outputs are a function of the bytes it reads and its parameters, but
  // for the pointers that it writes through, so that running it twice on the
  // same bytes leaves the same bytes.
  bool pure = false;
  // Waits for its programmatic predecessors before its first dependent read.
  // Only then does a programmatic edge into it order memory.
  bool waits = false;
  StreamId stream;                    // invalid where the capture does not tell
  EventId event;                      // of event nodes, where the capture tells
  std::uint32_t launch = kNoIndex;    // kKernel: index for Graph::launch
  std::uint32_t transfer = kNoIndex;  // kCopy, kFill: Graph::copy, Graph::fill
  std::uint32_t emitting = kNoIndex;  // producer: Graph::emitting_kernels
};

// The kernel that does what a producer does and writes the image too. It takes
// the producer's parameters, its image pointer at `image_parameter`.
struct EmittingKernel {
  std::string symbol;
  std::uint32_t image_parameter = 0;  // byte offset in the parameter buffer
  bool waits = false;                 // as Node::waits
  ImageLayout layout = ImageLayout::kQ8_1;
  // The producer has no such pointer: the kernel takes one struct, which is the
  // producer's whole parameter buffer with the image pointer behind it.
  bool appends_image = false;
  // How it is told to store no floats: by a null pointer in their place, or by
  // another kernel of the same parameters. Neither: it always stores them.
  bool takes_no_floats = false;
  std::string dropping_symbol = {};
  // Made to do what another build's kernel does: to be used only where the
  // device has shown that both leave the same bytes.
  bool probe = false;
  // It was tried and did not leave them.
  bool refuted = false;
  // There is no kernel of the dropping symbol.
  bool cannot_drop = false;

  bool drops_floats() const {
    return takes_no_floats || (!dropping_symbol.empty() && !cannot_drop);
  }

  friend bool operator==(const EmittingKernel&,
                         const EmittingKernel&) = default;
};

}  // namespace reprise

#endif  // REPRISE_GRAPH_NODE_H_
