// The models whose steps are timed, in the shapes of those that people run,
// with random weights.
#ifndef REPRISE_BENCHMARKS_STEP_MODELS_H_
#define REPRISE_BENCHMARKS_STEP_MODELS_H_

#include <string>
#include <vector>

#include "examples/decoder/options.h"

namespace reprise {

struct StepModel {
  std::string name;  // with the format, as the peer's file has it: "moe_q4_k"
  decoder::Options options;
  // Of the shape that the peer was timed with: its figure may be compared.
  bool as_peer = false;

  // "decode/moe_q4_k/v32000/t1/s1", or "prefill/" of more tokens than decode
  // takes: vocabulary, tokens, streams.
  std::string RowName() const;
};

// Of a decode step, each at one stream and at three. The peer's models have a
// vocabulary of 32000 where those that people run have four times as much and
// more: they are timed with both.
std::vector<StepModel> DecodeModels();

// Of a prefill step, each at 128 tokens, at 512 and, if dense, at 3,325, on one
// stream, from the first position on, with the peer's vocabulary.
std::vector<StepModel> PrefillModels();

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_STEP_MODELS_H_
