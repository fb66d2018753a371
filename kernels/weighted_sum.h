// Adds the rows of a token's experts, each times its weight.
//
// Shapes   rows [tokens][slots][columns]; weights [tokens][slots]; output
//          [tokens][columns]; all dense.
// Cost     reads 4 * slots bytes an output value, writes 4.
// Bytes    slots are added in order to 0, each product rounded on its own.
// Symbol   reprise_weighted_sum
#ifndef REPRISE_KERNELS_WEIGHTED_SUM_H_
#define REPRISE_KERNELS_WEIGHTED_SUM_H_

#include <cstdint>

#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr std::uint32_t kWeightedSumThreads = 256;

struct WeightedSumParams {
  const float* rows = nullptr;
  const float* weights = nullptr;
  float* output = nullptr;
  std::int64_t columns = 0;
  std::int32_t tokens = 0;
  std::int32_t slots = 0;
};
static_assert(sizeof(WeightedSumParams) == 40);

constexpr LaunchShape WeightedSumShape(const WeightedSumParams& params) {
  return {
      {GroupsOf(kWeightedSumThreads, params.columns), Extent(params.tokens), 1},
      {kWeightedSumThreads, 1, 1}};
}

void WeightedSumHost(const WeightedSumParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_WEIGHTED_SUM_H_
