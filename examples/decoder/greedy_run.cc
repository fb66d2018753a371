#include "examples/decoder/greedy_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace reprise::decoder {

absl::StatusOr<std::vector<GreedyStep>> RunGreedily(
    DeviceDecoder& decoder, int steps, CUstream stream,
    absl::FunctionRef<absl::Status()> step) {
  if (absl::Status s = decoder.Reset(stream); !s.ok()) return s;
  const Options& options = decoder.program().options;
  Inputs inputs = InputsOf(options, 0);
  std::vector<GreedyStep> run;
  for (int i = 0; i < steps; ++i) {
    if (absl::Status s = decoder.SetInputs(inputs, stream); !s.ok()) return s;
    if (absl::Status s = step(); !s.ok()) return s;
    absl::StatusOr<std::vector<float>> logits = decoder.Logits(stream);
    if (!logits.ok()) return logits.status();
    Inputs next = NextInputs(options, inputs, *logits);
    run.push_back({std::move(inputs), *std::move(logits)});
    inputs = std::move(next);
  }
  return run;
}

bool SameBytes(const std::vector<GreedyStep>& a,
               const std::vector<GreedyStep>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const GreedyStep& x, const GreedyStep& y) {
                      return x.inputs == y.inputs &&
                             x.logits.size() == y.logits.size() &&
                             std::memcmp(x.logits.data(), y.logits.data(),
                                         x.logits.size() * sizeof(float)) == 0;
                    });
}

}  // namespace reprise::decoder
