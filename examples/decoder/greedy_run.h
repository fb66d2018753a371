// Decodes on a device as a user would: each step's most likely tokens are what
// the next step reads.
#ifndef REPRISE_EXAMPLES_DECODER_GREEDY_RUN_H_
#define REPRISE_EXAMPLES_DECODER_GREEDY_RUN_H_

#include <cuda.h>

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/decoder/device_decoder.h"
#include "examples/decoder/inputs.h"

namespace reprise::decoder {

struct GreedyStep {
  Inputs inputs;
  std::vector<float> logits;
};

// Resets the decoder, then runs it by calls of `step`, which launches a step on
// `stream` in whatever way. The first inputs are those of replay 0.
absl::StatusOr<std::vector<GreedyStep>> RunGreedily(
    DeviceDecoder& decoder, int steps, CUstream stream,
    absl::FunctionRef<absl::Status()> step);

// Whether both runs read the same tokens and left the same bytes.
bool SameBytes(const std::vector<GreedyStep>& a,
               const std::vector<GreedyStep>& b);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_GREEDY_RUN_H_
