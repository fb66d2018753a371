// Pure kernels: which nodes would compute the same from the same bytes.
#ifndef REPRISE_PLANNER_PURE_KERNELS_H_
#define REPRISE_PLANNER_PURE_KERNELS_H_

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "planner/view_index.h"

namespace reprise {

// Pure nodes by kind. Two nodes of one kind read the same views, write views of
// the same shapes, and leave the same bytes there where they find the same.
//
// A quantizer's kind is what its op promises: source, layout and image shape,
// whichever kernel computes them. Any other pure kernel is of the kind of those
// with the same symbol, launch shape and parameter bytes, but for the pointers
// that it writes through; in a graph without launches, with the same op. So is
// a quantizer whose rows numbers in memory pick: in which order they come only
// its kernel knows.
//
// Cost     one pass over nodes, accesses and parameter bytes.
class PureKernels {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // With `others` off, quantizers alone.
  PureKernels(const Graph& graph, bool others);

  // kNone where there is nothing to compare: the node is not pure, or no other
  // is of its kind. A quantizer has a kind even alone; one without has a source
  // that no image can be made of.
  std::uint32_t kind(NodeId node) const { return kinds_[node.value]; }

  // Each node has the kind that it has there.
  friend bool operator==(const PureKernels&, const PureKernels&) = default;

 private:
  std::vector<std::uint32_t> kinds_;  // by node
};

// Whether numbers in memory pick the rows of the quantizer's image.
bool IsRouted(const Graph& graph, NodeId quantizer);

// The views that the passes will ask about: what the nodes of some kind read
// and write, and the images of all readers.
ViewIndex IndexViews(const Graph& graph, const PureKernels& kernels);

}  // namespace reprise

#endif  // REPRISE_PLANNER_PURE_KERNELS_H_
