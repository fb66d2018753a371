// Large graphs for the planner's benchmarks, built without launches.
#ifndef REPRISE_BENCHMARKS_PLAN_GRAPHS_H_
#define REPRISE_BENCHMARKS_PLAN_GRAPHS_H_

#include <cstdint>

#include "graph/graph.h"

namespace reprise {

// A dense decode step of one stream, layer after layer, with the activation
// buffers of one layer reused by the next and every image at one address: 16
// nodes a layer, 6 quantizers, 2 of them repeated.
Graph LayeredDecode(std::uint32_t nodes);

// Streams that fork and join at random, with norms, quantizers (a quarter of
// the nodes), readers and other nodes over a pool of buffers that grows with
// the graph; one node in a thousand is opaque.
Graph RandomStreams(std::uint32_t nodes, std::uint32_t streams,
                    std::uint32_t seed);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_PLAN_GRAPHS_H_
