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

struct RandomProgramOptions {
  std::uint32_t steps = 0;  // a handful of nodes each; 0: a few
  // What a device can run as it runs on the host: no host calls, no events from
  // outside, and nothing that writes part of what it reads.
  bool on_device = false;
  std::uint64_t first_address = HostMemory::kFirstAddress;
};

RandomProgram MakeRandomProgram(std::uint32_t seed,
                                const RandomProgramOptions& options = {});

void RefreshInputs(const RandomProgram& program, int replay,
                   HostMemory& memory);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_RANDOM_PROGRAM_H_
