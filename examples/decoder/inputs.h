// What a step reads beside its model: a token id and a position for each of its
// tokens.
#ifndef REPRISE_EXAMPLES_DECODER_INPUTS_H_
#define REPRISE_EXAMPLES_DECODER_INPUTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "examples/decoder/options.h"

namespace reprise::decoder {

struct Inputs {
  std::vector<std::int32_t> tokens;  // ids of the vocabulary
  std::vector<std::int32_t> positions;

  friend bool operator==(const Inputs&, const Inputs&) = default;
};

// Of a replay: random tokens, at the positions after those of the replay
// before. Positions start anew when the cache is full.
Inputs InputsOf(const Options& options, int replay);

// Of the step after `inputs`, which left these logits [tokens][vocabulary]:
// each token is followed by the one of its highest logit, the lowest id among
// equals.
Inputs NextInputs(const Options& options, const Inputs& inputs,
                  absl::Span<const float> logits);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_INPUTS_H_
