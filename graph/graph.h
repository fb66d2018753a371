// The captured work as data: nodes with exact memory effects, and the edges
// that order them. Every layer speaks this type; it knows no CUDA.
//
// Order    node ids follow the capture. Edges may point anywhere that makes no
//          cycle (graph/topology.h finds an order or names the cycle).
// Cost     a node is about 60 bytes, an access about 100, an edge 12.
// Threads  const methods may run at the same time; a writer needs a lock.
#ifndef REPRISE_GRAPH_GRAPH_H_
#define REPRISE_GRAPH_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/effects.h"
#include "graph/ids.h"
#include "graph/node.h"

namespace reprise {

enum class EdgeType : std::uint8_t {
  kFull,          // the target starts when the source has finished
  kProgrammatic,  // the target may start earlier and waits by itself
};

struct Edge {
  NodeId from;
  NodeId to;
  EdgeType type = EdgeType::kFull;
  std::uint8_t from_port = 0;
  std::uint8_t to_port = 0;

  friend bool operator==(const Edge&, const Edge&) = default;
};

// A stretch of device memory that node addresses point into.
struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  std::uint64_t end() const { return address + bytes; }
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

class Graph {
 public:
  // Adds a node without accesses; its id is the number of nodes before it.
  NodeId AddNode(Node node);
  NodeId AddKernel(KernelLaunch launch, StreamId stream = {});
  NodeId AddCopy(const Copy& copy, StreamId stream = {});
  NodeId AddFill(const Fill& fill, StreamId stream = {});

  // REQUIRES: both ends are nodes of this graph.
  void AddEdge(const Edge& edge) { edges_.push_back(edge); }

  // Adds a copy of another graph's node, with its accesses and its launch.
  NodeId CopyNode(const Graph& other, NodeId id);

  // Replaces what the node is known to touch.
  void SetAccesses(NodeId id, absl::Span<const Access> accesses);

  // What a producer may become, at most one kernel for each layout; the index
  // for Node::emitting.
  std::uint32_t AddEmittingKernels(absl::Span<const EmittingKernel> kernels);
  std::uint32_t AddEmittingKernel(const EmittingKernel& kernel) {
    return AddEmittingKernels(absl::MakeConstSpan(&kernel, 1));
  }
  void AddAllocation(const Allocation& a) { allocations_.push_back(a); }
  void set_allocations(std::vector<Allocation> allocations) {
    allocations_ = std::move(allocations);
  }

  std::size_t num_nodes() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  Node& mutable_node(NodeId id) { return nodes_[id.value]; }
  absl::Span<const Node> nodes() const { return nodes_; }
  absl::Span<const Edge> edges() const { return edges_; }
  absl::Span<const Allocation> allocations() const { return allocations_; }

  absl::Span<const Access> accesses(NodeId id) const;
  absl::Span<Access> mutable_accesses(NodeId id);

  // REQUIRES: the node is a kernel / copy / fill.
  const KernelLaunch& launch(NodeId id) const;
  KernelLaunch& mutable_launch(NodeId id);
  const Copy& copy(NodeId id) const;
  const Fill& fill(NodeId id) const;

  // None of a node that is no producer or has no such kernel.
  absl::Span<const EmittingKernel> emitting_kernels(NodeId id) const;
  // The one that writes an image of that layout, or null.
  const EmittingKernel* FindEmittingKernel(NodeId id, ImageLayout layout) const;

  // What was added under that index, which some node may have had.
  // REQUIRES: not Node::kNoIndex.
  absl::Span<const EmittingKernel> emitting_kernels_at(
      std::uint32_t index) const {
    return emitting_kernels_[index];
  }

  // A node's only access in that role, or null when there is none or several.
  const Access* FindAccess(NodeId id, Role role, AccessMode mode) const;

  // Free text about where the capture came from; JSON, kept as it was.
  const std::string& source() const { return source_; }
  void set_source(std::string source) { source_ = std::move(source); }

 private:
  struct AccessRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t room = 0;  // for as many, however often they are replaced
  };

  std::vector<Node> nodes_;
  std::vector<AccessRange> ranges_;  // by node, into accesses_
  std::vector<Access> accesses_;
  std::vector<Edge> edges_;
  std::vector<KernelLaunch> launches_;
  std::vector<Copy> copies_;
  std::vector<Fill> fills_;
  std::vector<std::vector<EmittingKernel>> emitting_kernels_;
  std::vector<Allocation> allocations_;
  std::string source_;
};

// What people call a kernel of that symbol: "rms_norm_f32" for
// "_Z12rms_norm_f32ILi256E...". A part of `symbol`, which must outlive it.
absl::string_view FunctionName(absl::string_view symbol);

// What people call the node: the function's name for a kernel, the kind's name
// for the rest.
std::string NameOf(const Graph& graph, NodeId id);

// How messages and reports name a node: "node 7 (rms_norm_f32)".
std::string Named(const Graph& graph, NodeId id);

}  // namespace reprise

#endif  // REPRISE_GRAPH_GRAPH_H_
