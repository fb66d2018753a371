// A plan's rewrites in sentences for people. Declines: planner/decline.h.
#ifndef REPRISE_PLANNER_EXPLAIN_H_
#define REPRISE_PLANNER_EXPLAIN_H_

#include <string>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "planner/plan.h"
#include "planner/rewrite.h"

namespace reprise {

// "node 7 (rms_norm_mul) writes its image itself, to arena 0+576, for node 9
// (matvec_q4_0); node 8 (quantize_q8_1) goes". For the readers, in capture
// order: planner/image_readers.h.
std::string Explain(const Graph& graph, const PlannedImage& image,
                    absl::Span<const NodeId> readers);

// "node 8 (scale) would only write again what node 5 (scale) left there, and
// goes".
std::string Explain(const Graph& graph, const Repeat& repeat);

// Why a relaxed graph has this edge of its own: "node 8 (scale) reads
// 0x2000:f32:64, which node 5 (add) writes". `graph` is the captured one.
std::string Explain(const Graph& graph, const Rewritten& relaxed,
                    const Edge& edge);

}  // namespace reprise

#endif  // REPRISE_PLANNER_EXPLAIN_H_
