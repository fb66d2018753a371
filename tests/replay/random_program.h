// Programs no person wrote: real kernels, copies, fills, host calls and events
// on several streams, over buffers that overlap and are reused. No two nodes
// race: wherever an unordered pair would conflict, an event orders it.
#ifndef REPRISE_TESTS_REPLAY_RANDOM_PROGRAM_H_
#define REPRISE_TESTS_REPLAY_RANDOM_PROGRAM_H_

#include <cstdint>

#include "graph/graph.h"
#include "replay/host_executable.h"
#include "replay/host_memory.h"

namespace reprise::testing {

struct RandomProgram {
  Graph graph;        // annotated
  HostMemory memory;  // start bytes, random as well
  HostCalls host_calls;
  Allocation inputs;  // what the outside writes before a replay
};

RandomProgram MakeRandomProgram(std::uint32_t seed);

void RefreshInputs(const RandomProgram& program, int replay,
                   HostMemory& memory);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_RANDOM_PROGRAM_H_
