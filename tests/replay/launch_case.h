// A small decode step and its rewrite, and what a profiler would count.
#ifndef REPRISE_TESTS_REPLAY_LAUNCH_CASE_H_
#define REPRISE_TESTS_REPLAY_LAUNCH_CASE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "planner/rewrite.h"
#include "replay/launch_counts.h"
#include "replay/node_record.h"

namespace reprise::testing {

inline NodeRecord RunOf(NodeKind kind, std::uint64_t graph_node) {
  NodeRecord record;
  record.kind = kind;
  record.graph_node = graph_node;
  return record;
}

inline NodeRecord RunOf(std::string symbol, std::uint64_t graph_node) {
  NodeRecord record = RunOf(NodeKind::kKernel, graph_node);
  record.symbol = std::move(symbol);
  return record;
}

inline void AddKernel(Graph& graph, const std::string& symbol, Op op,
                      Dim3 grid = {}) {
  KernelLaunch launch;
  launch.symbol = symbol;
  launch.grid = grid;
  graph.mutable_node(graph.AddKernel(std::move(launch))).op = op;
}

// Two layers of norm, quantizer and matrix, a copy out and a host call; the
// first norm emits in the rewritten graph.
struct LaunchCase {
  LaunchCase() {
    Fill(graph, /*emits=*/false);
    Fill(rewritten.graph, /*emits=*/true);
    for (std::uint32_t n : {0, 2, 3, 4, 5, 6, 7}) {
      rewritten.origin.push_back(NodeId{n});
    }
    rewritten.now.resize(graph.num_nodes());
    for (std::uint32_t n = 0; n < rewritten.origin.size(); ++n) {
      rewritten.now[rewritten.origin[n].value] = NodeId{n};
    }
  }

  LaunchCounts OriginalCounts(std::uint64_t replays) const {
    return {
        .replays = replays,
        .kernels = {{"norm", 2 * replays},
                    {"quantize", 2 * replays},
                    {"matvec", 2 * replays}},
        .copies = replays,
    };
  }

  LaunchCounts RewrittenCounts(std::uint64_t replays) const {
    return {
        .replays = replays,
        .kernels = {{"norm", replays},
                    {"norm_emit", replays},
                    {"quantize", replays},
                    {"matvec", 2 * replays}},
        .copies = replays,
    };
  }

  Graph graph;
  Rewritten rewritten;

 private:
  static void Fill(Graph& graph, bool emits) {
    AddKernel(graph, emits ? "norm_emit" : "norm", RmsNorm());
    if (!emits) AddKernel(graph, "quantize", Quantize{.scratch = true});
    AddKernel(graph, "matvec", MatVec());
    AddKernel(graph, "norm", RmsNorm());
    AddKernel(graph, "quantize", Quantize{.scratch = true});
    AddKernel(graph, "matvec", MatVec());
    graph.AddCopy({});
    Node host_call;
    host_call.kind = NodeKind::kHostCall;
    graph.AddNode(host_call);
  }
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_LAUNCH_CASE_H_
