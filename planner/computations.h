// Computations: pure nodes that compute the same bytes, and which of them only
// write again what is there.
#ifndef REPRISE_PLANNER_COMPUTATIONS_H_
#define REPRISE_PLANNER_COMPUTATIONS_H_

#include <vector>

#include "graph/graph.h"
#include "planner/decline.h"
#include "planner/epochs.h"
#include "planner/pure_kernels.h"
#include "planner/view_index.h"

namespace reprise {

// Nodes of one computation that write all of the same place, with nothing else
// written there in between: after the first, each would write what is there
// already, and may go without anybody being patched.
struct SamePlace {
  std::vector<NodeId> nodes;  // in schedule order; the first one is kept
};

// One kind of kernel on the same contents.
struct Computation {
  std::vector<Contents> inputs;   // of each view that it reads
  std::vector<SamePlace> places;  // in the order of the first node of each
};

// The computations in the order of their first nodes. What only repeats is
// dropped from `epochs`, so that whatever follows is found to repeat too. With
// `share` off, each quantizer makes a computation of its own. Nodes whose
// inputs cannot be trusted are in none, and other kernels than quantizers only
// where there are several of a kind; `declines` says why.
//
// Cost     of each node of a kind, as many questions to `epochs` as it has
//          accesses.
std::vector<Computation> FindComputations(const Graph& graph,
                                          const PureKernels& kernels,
                                          const ViewIndex& views, bool share,
                                          Epochs& epochs,
                                          std::vector<Decline>& declines);

}  // namespace reprise

#endif  // REPRISE_PLANNER_COMPUTATIONS_H_
