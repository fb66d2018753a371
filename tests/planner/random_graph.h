// Small random graphs that look like captured loops gone wrong: several
// streams, events, buffers that overlap and are reused, images at shared
// addresses, opaque nodes, programmatic edges. The same seed gives the same
// graph on every machine.
#ifndef REPRISE_TESTS_PLANNER_RANDOM_GRAPH_H_
#define REPRISE_TESTS_PLANNER_RANDOM_GRAPH_H_

#include <cstdint>

#include "graph/graph.h"

namespace reprise::testing {

struct RandomGraphOptions {
  std::uint32_t nodes = 24;
  std::uint32_t streams = 3;
  std::uint32_t buffers = 6;  // float buffers; neighbours overlap
  std::uint32_t images = 4;   // image places; neighbours overlap
  std::uint32_t opaque_percent = 3;
  std::uint32_t foreign_percent = 3;  // nodes that read image bytes as data
  std::uint32_t race_percent = 10;    // conflicting pairs left without order
  std::uint32_t pure_percent = 0;     // nodes that are pure
  std::uint32_t again_percent = 0;    // nodes that do a recent pure one again
  // Images in another layout than q8_1; some routed, some read with slack.
  std::uint32_t other_layouts_percent = 0;
  bool programmatic = true;
  bool overlapping = true;  // neighbouring buffers and image places overlap
};

// As a well-meant program makes them: buffers and images apart, every order
// given, nothing opaque.
RandomGraphOptions Tame();

// Many pure nodes, and many that only repeat one.
RandomGraphOptions Repetitive();

Graph RandomGraph(std::uint32_t seed, const RandomGraphOptions& options = {});

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_PLANNER_RANDOM_GRAPH_H_
