// A q8_1 block as 32 lanes of a warp would make it, exchange by exchange.
//
// Quotients are taken in double and rounded once to float. That is the float
// quotient for any two floats whose quotient is a normal float: a double has
// more than twice the digits. Rows with smaller quotients need worked values.
#ifndef REPRISE_TESTS_KERNELS_SLOW_Q8_1_H_
#define REPRISE_TESTS_KERNELS_SLOW_Q8_1_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/block_q8_1.h"
#include "tests/kernels/slow_half.h"

namespace reprise {

using WarpLanes = std::array<float, 32>;

// Every lane's value after the exchanges with lanes i^16, i^8, i^4, i^2, i^1.
template <typename Combine>
WarpLanes Butterfly(WarpLanes lanes, Combine combine) {
  for (const std::size_t distance : {16u, 8u, 4u, 2u, 1u}) {
    const WarpLanes before = lanes;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = combine(before[i], before[i ^ distance]);
    }
  }
  return lanes;
}

inline float SlowWarpSum(const WarpLanes& lanes) {
  return Butterfly(lanes, [](float a, float b) { return a + b; })[0];
}

inline float SlowQuotient(float a, float b) {
  return static_cast<float>(static_cast<double>(a) / static_cast<double>(b));
}

// REQUIRES: finite lanes, and quotients that are normal floats or 0.
inline BlockQ8_1 SlowQuantizeBlock(const WarpLanes& lanes) {
  WarpLanes sizes;
  std::transform(lanes.begin(), lanes.end(), sizes.begin(),
                 [](float x) { return x < 0 ? -x : x; });
  const float amax =
      Butterfly(sizes, [](float a, float b) { return a < b ? b : a; })[0];
  const float scale = SlowQuotient(amax, 127);
  BlockQ8_1 block{
      SlowFloatToHalf(scale), SlowFloatToHalf(SlowWarpSum(lanes)), {}};
  for (std::size_t i = 0; i < lanes.size() && amax > 0; ++i) {
    const double quotient = SlowQuotient(lanes[i], scale);
    const double size = std::floor(std::fabs(quotient) + 0.5);
    block.quants[i] = static_cast<std::int8_t>(quotient < 0 ? -size : size);
  }
  return block;
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_SLOW_Q8_1_H_
