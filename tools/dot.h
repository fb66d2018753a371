// A graph as text for Graphviz, with or without what a plan changes in it.
//
// Node   "ID NAME", coloured by what it is to the planner: quantizer, producer,
//        reader, other, opaque. Streams are clusters where the capture knows
//        them.
// Edge   dashed when programmatic.
// Plan   nodes that go are grey and dashed, emitting producers have a double
//        border, nodes whose image lies in the arena a bold one; edges that go
//        are grey, added ones red.
#ifndef REPRISE_TOOLS_DOT_H_
#define REPRISE_TOOLS_DOT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

struct DotOptions {
  const Plan* plan = nullptr;    // null: the graph alone
  std::vector<bool> shown = {};  // by node; empty: all
};

std::string ToDot(const Graph& graph, const DotOptions& options);

// The nodes within `distance` edges of `node`, whichever way they point.
std::vector<bool> NodesAround(const Graph& graph, NodeId node, int distance);

// The text as a quoted string of the language.
std::string DotQuoted(absl::string_view text);

}  // namespace reprise

#endif  // REPRISE_TOOLS_DOT_H_
