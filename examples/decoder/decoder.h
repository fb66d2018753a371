// One step of a llama-like decoder, recorded and ready to plan: what the demo,
// the tests and the benchmarks run.
//
//   absl::StatusOr<Decoder> decoder = Build({.model = Model::kMoe});
//   absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
//   absl::StatusOr<Verdict> verdict =
//       Verify(decoder->graph, *plan, decoder->memory,
//              [&](int replay, HostMemory& memory) {
//                Refresh(*decoder, replay, memory);
//              });
//
// Same options and first address, same bytes: weights, addresses and graph.
// Another first address moves every other one by as much.
#ifndef REPRISE_EXAMPLES_DECODER_DECODER_H_
#define REPRISE_EXAMPLES_DECODER_DECODER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "examples/decoder/inputs.h"
#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/model.h"
#include "examples/decoder/options.h"
#include "graph/graph.h"
#include "replay/host_memory.h"

namespace reprise::decoder {

struct Decoder {
  Options options;
  Graph graph;        // annotated by the built-in packs
  HostMemory memory;  // weights, empty caches, inputs not yet written
  Tensors tensors;    // where they lie in it
};

// InvalidArgument as Check(options); Internal when a kernel of the step is in
// no built-in pack.
// REQUIRES: the address as HostMemory takes it.
absl::StatusOr<Decoder> Build(
    const Options& options, Address first_address = HostMemory::kFirstAddress);

// What the outside may read after a step: all memory but the activations and
// the scratch of the lanes.
std::vector<View> OutputsOf(const Decoder& decoder);

// Writes the inputs of the next step. REQUIRES: of the decoder's tokens.
void SetInputs(const Decoder& decoder, const Inputs& inputs,
               HostMemory& memory);
// Those of a replay.
void Refresh(const Decoder& decoder, int replay, HostMemory& memory);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_DECODER_H_
