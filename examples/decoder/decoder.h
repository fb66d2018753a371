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
// Same options, same bytes: weights, addresses and graph.
#ifndef REPRISE_EXAMPLES_DECODER_DECODER_H_
#define REPRISE_EXAMPLES_DECODER_DECODER_H_

#include "absl/status/statusor.h"
#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/options.h"
#include "graph/graph.h"
#include "replay/host_memory.h"

namespace reprise::decoder {

struct Decoder {
  Options options;
  Graph graph;            // annotated by the built-in packs
  HostMemory memory;      // weights, empty caches, inputs not yet written
  Address tokens = 0;     // int32 [tokens]: ids of the vocabulary
  Address positions = 0;  // int32 [tokens]
  Rows logits;
};

// InvalidArgument as Check(options); Internal when a kernel of the step is in
// no built-in pack.
absl::StatusOr<Decoder> Build(const Options& options);

// Writes the inputs of a replay: new token ids, and the positions after those
// of the replay before. Positions start anew when the cache is full.
void Refresh(const Decoder& decoder, int replay, HostMemory& memory);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_DECODER_H_
