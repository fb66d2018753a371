// Weights that nobody trained: random bits with scales that keep activations
// near 1, the same from the same generator everywhere.
#ifndef REPRISE_EXAMPLES_DECODER_RANDOM_WEIGHTS_H_
#define REPRISE_EXAMPLES_DECODER_RANDOM_WEIGHTS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "examples/decoder/kernel_calls.h"

namespace reprise::decoder {

// Uniform in [low, high). The standard's distributions differ between
// libraries; this does not.
float RandomFloat(std::mt19937& random, float low, float high);

std::vector<std::uint8_t> RandomFloats(std::mt19937& random, std::int64_t count,
                                       float low, float high);

// The bytes of all blocks of `matrix`; its address plays no part.
std::vector<std::uint8_t> RandomBlocks(std::mt19937& random,
                                       const Matrix& matrix);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_RANDOM_WEIGHTS_H_
