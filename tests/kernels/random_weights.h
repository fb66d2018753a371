// Weight blocks of random quants with moderate scales.
#ifndef REPRISE_TESTS_KERNELS_RANDOM_WEIGHTS_H_
#define REPRISE_TESTS_KERNELS_RANDOM_WEIGHTS_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/half.h"
#include "kernels/weight_blocks.h"
#include "tests/kernels/random_floats.h"

namespace reprise {

inline std::uint16_t RandomScale(RandomFloats& random) {
  return FloatToHalf(0.02f * random.Next());
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
    block.scale = RandomScale(random);
    if constexpr (requires { block.min_scale; }) {
      block.min_scale = RandomScale(random);
    }
  }
  return weights;
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_RANDOM_WEIGHTS_H_
