// A graph as lines of text, and back: what tests are written in and what a
// person compares.
//
//   chain                                  nodes without `after` follow the
//                                          node of the line before
//   view y = 0x1000:f32:64                 a name for a view
//   alloc 0x1000 4096
//   0: rms_norm mul | x w -> y | @0 emits=rms_emit
//   1: quantize scratch | y -> 0x2000:q8_1:16 | @0 pure after 0
//   2: matvec q4_0 | 0x2000:q8_1:2 weights:w -> o | @1 waits after ~1
//   3: opaque | | after 2
//   4: memset | -> y | after 3
//
// One line a node: ID ':' WHAT '|' READS '->' WRITES '|' the rest. WHAT is an
// op (graph/op.h) of a kernel, a node kind, or "opaque" for a kernel whose
// effects are incomplete and for a node of kind "other". A view may carry its
// role ("image:q") and a '?' at its end when only a subset is touched. Without
// a role, the first read and the first write of an op take the role that the
// op gives them. '@' names the stream, '~' marks a programmatic predecessor.
// 'emits=rms_emit/ds4' names a kernel for another layout than q8_1; a node may
// have several. A '/drops' at its end says that it can leave its floats out.
// 'refuted=' in the place of 'emits=' names one that was tried and must not be
// used. '#' starts a comment. Two nodes that are "pure" and of the same WHAT
// are the same kernel.
//
// Kernel launches, copies and fills are not part of the text.
#ifndef REPRISE_GRAPH_TEXT_H_
#define REPRISE_GRAPH_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/graph.h"

namespace reprise {

std::string ToText(const Graph& graph);

// InvalidArgument with the line's number when it cannot be read.
absl::StatusOr<Graph> GraphFromText(absl::string_view text);

}  // namespace reprise

#endif  // REPRISE_GRAPH_TEXT_H_
