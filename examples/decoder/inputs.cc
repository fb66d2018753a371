#include "examples/decoder/inputs.h"

#include <algorithm>
#include <cstddef>
#include <random>

namespace reprise::decoder {
namespace {

// Positions that whole steps fill.
std::int32_t UsedPositions(const Options& options) {
  return options.context / options.tokens * options.tokens;
}

}  // namespace

Inputs InputsOf(const Options& options, int replay) {
  std::mt19937 random(options.seed * 7919u +
                      static_cast<std::uint32_t>(replay));
  const int steps = options.context / options.tokens;
  const std::int32_t first = replay % steps * options.tokens;
  Inputs inputs;
  for (std::int32_t t = 0; t < options.tokens; ++t) {
    inputs.tokens.push_back(static_cast<std::int32_t>(
        random() % static_cast<std::uint32_t>(options.vocabulary)));
    inputs.positions.push_back(first + t);
  }
  return inputs;
}

Inputs NextInputs(const Options& options, const Inputs& inputs,
                  absl::Span<const float> logits) {
  const auto vocabulary = static_cast<std::size_t>(options.vocabulary);
  Inputs next;
  for (std::size_t t = 0; t < inputs.tokens.size(); ++t) {
    const auto row = logits.subspan(t * vocabulary, vocabulary);
    const auto highest = std::max_element(row.begin(), row.end());
    next.tokens.push_back(static_cast<std::int32_t>(highest - row.begin()));
    next.positions.push_back((inputs.positions[t] + options.tokens) %
                             UsedPositions(options));
  }
  return next;
}

}  // namespace reprise::decoder
