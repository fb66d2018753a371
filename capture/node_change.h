// What tells a node of one capture from the same node of another: what an
// executable has to be given anew.
#ifndef REPRISE_CAPTURE_NODE_CHANGE_H_
#define REPRISE_CAPTURE_NODE_CHANGE_H_

#include "graph/node.h"

namespace reprise {

enum class Change {
  kNone,
  kLaunch,  // a launch's parameters or shape, which an executable can be given
  kMore,    // or it cannot be known
};

Change ChangeOf(const KernelLaunch& before, const KernelLaunch& after);
// What lies in host memory or an array is not known.
Change ChangeOf(const Copy& before, const Copy& after);
Change ChangeOf(const Fill& before, const Fill& after);

// Of a node that is no kernel, copy or fill: what a host call, an event or a
// child graph does is not in the graph.
Change ChangeOf(NodeKind kind);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_NODE_CHANGE_H_
