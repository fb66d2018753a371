// Weight blocks of random bits with scales of moderate size and either sign.
#ifndef REPRISE_TESTS_KERNELS_RANDOM_WEIGHTS_H_
#define REPRISE_TESTS_KERNELS_RANDOM_WEIGHTS_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "examples/decoder/weight_scale.h"
#include "kernels/half.h"
#include "kernels/weight_blocks.h"
#include "tests/kernels/random_floats.h"

namespace reprise {

// Between 2^-9 and 1/2.
inline float RandomScale(RandomFloats& random) {
  const float next = random.Next();
  const int exponent = -2 - static_cast<int>(random.Bits() % 8);
  return std::ldexp(next < 0 ? next - 1 : next + 1, exponent);
}

template <typename Block>
std::vector<Block> RandomWeights(RandomFloats& random, std::int64_t blocks) {
  std::vector<Block> weights(static_cast<std::size_t>(blocks));
  for (Block& block : weights) {
    std::uint8_t bytes[sizeof(Block)];
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random.Bits());
    }
    std::memcpy(&block, bytes, sizeof bytes);
    SetScale(block, RandomScale(random));
    if constexpr (requires { block.min_scale; }) {
      block.min_scale = FloatToHalf(RandomScale(random));
    }
    if constexpr (requires { block.offset; }) {
      block.offset = FloatToHalf(RandomScale(random));
    }
  }
  return weights;
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_RANDOM_WEIGHTS_H_
