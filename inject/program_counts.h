// What a run through the preloaded library did, in numbers.
#ifndef REPRISE_INJECT_PROGRAM_COUNTS_H_
#define REPRISE_INJECT_PROGRAM_COUNTS_H_

#include <cstdint>
#include <map>
#include <string>

namespace reprise {

// How often, by why.
using Reasons = std::map<std::string, std::uint64_t>;

struct ProgramCounts {
  // Graphs that the program instantiated, each in one of three ways.
  std::uint64_t graphs = 0;
  std::uint64_t rewritten = 0;
  std::uint64_t nothing_to_do = 0;
  Reasons declined_graphs;

  // Over all graphs, as they were instantiated.
  std::uint64_t nodes_before = 0, nodes_after = 0;
  std::uint64_t quantizers_before = 0, quantizers_after = 0;
  std::uint64_t opaque_nodes = 0;
  // Chances not taken inside of graphs, by the planner's reasons.
  Reasons declines;
  // Emitting kernels that were not used: there is none, or it left other bytes
  // when it was tried, of which the first is named.
  Reasons unused_kernels;
  std::uint64_t arena_bytes = 0;       // at this moment
  std::uint64_t most_arena_bytes = 0;  // at any

  // Changes that the program made to rewritten executables, by what came of
  // them.
  std::uint64_t unchanged = 0, patched = 0, updated = 0, rebuilt = 0;
  // Why a rewritten executable, or one launch, went back to the original.
  Reasons fallbacks;

  // Launches of executables that are rewritten, or were.
  std::uint64_t rewritten_launches = 0;
  std::uint64_t original_launches = 0;

  std::uint64_t verified_launches = 0;
  std::uint64_t differing_launches = 0;

  // Graphs that were run node by node, and what was found.
  std::uint64_t linted = 0;
  Reasons findings;

  // Time of the program's threads in this library; launches not counted.
  double seconds = 0;

  // Sums all but the arena, of which only its owner knows what is there when.
  ProgramCounts& operator+=(const ProgramCounts& other);
  friend bool operator==(const ProgramCounts&, const ProgramCounts&) = default;
};

}  // namespace reprise

#endif  // REPRISE_INJECT_PROGRAM_COUNTS_H_
