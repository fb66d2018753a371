// The graph that a plan describes, as data: what explanations, pictures, the
// host executable and the tests look at.
#ifndef REPRISE_PLANNER_REWRITE_H_
#define REPRISE_PLANNER_REWRITE_H_

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

// Floats that a producer of the rewritten graph leaves out. While nodes are in
// the captured order, what lies there then is nobody's business; in a relaxed
// one, who overwrites them may come first.
struct DroppedStore {
  NodeId producer;
  View floats;
};

struct Rewritten {
  Graph graph;
  // By node of the rewritten graph: the captured node that it was.
  std::vector<NodeId> origin;
  // By captured node: what it is now; invalid when it went.
  std::vector<NodeId> now;
  std::vector<DroppedStore> dropped;
  bool relaxed = false;  // as Plan::relaxed
};

// The arena lies at `arena_address` and becomes an allocation of the graph.
// Nodes keep their order. Kernel launches are patched: the symbol of an
// emitting producer, and its parameters where they had no room for the image
// or are told of no floats; the image pointers of writers and readers.
// REQUIRES: the plan was made for this graph.
Rewritten Rewrite(const Graph& graph, const Plan& plan,
                  std::uint64_t arena_address);

// Makes a producer's launch that of its emitting kernel, with the image at that
// address.
// REQUIRES: the launch holds the parameter that the kernel has for the image,
// or the kernel appends one.
void UseEmittingKernel(const EmittingKernel& emitting, std::uint64_t image,
                       KernelLaunch& launch);

// Makes the launch of an emitting kernel that of one which stores no floats;
// `floats` is the parameter through which it would.
// REQUIRES: the kernel can leave them out.
void LeaveFloatsOut(const EmittingKernel& emitting, std::uint32_t floats,
                    KernelLaunch& launch);

// The lowest address after every allocation and access of the graph, at a
// multiple of 2 MiB: an arena there meets nothing.
std::uint64_t FreeAddress(const Graph& graph);

}  // namespace reprise

#endif  // REPRISE_PLANNER_REWRITE_H_
