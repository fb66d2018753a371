// Chooses the best experts of each token and their weights.
//
// Shapes   logits [tokens][experts], dense; ids [tokens][slots] with ids_stride
//          between tokens; weights [tokens][slots], dense.
// Cost     reads the logits once for each slot, from cache after the first.
// Formula  softmax over the experts, the `slots` largest in falling order, ties
//          to the lower id, their weights divided by their sum.
// Values   a NaN counts as the lowest finite float and an infinity as the
//          nearest finite one, so weights are finite and sum to 1. With fewer
//          experts than slots the rest have id -1 and weight 0, which
//          routed_matvec.h takes as "no expert".
// Symbol   reprise_router_top_k
#ifndef REPRISE_KERNELS_ROUTER_TOP_K_H_
#define REPRISE_KERNELS_ROUTER_TOP_K_H_

#include <cstdint>

#include "kernels/launch_shape.h"

namespace reprise {

struct RouterTopKParams {
  const float* logits = nullptr;
  std::int32_t* ids = nullptr;
  float* weights = nullptr;
  std::int64_t ids_stride = 0;
  std::int32_t tokens = 0;
  std::int32_t experts = 0;
  std::int32_t slots = 0;
  std::int32_t padding = 0;
};
static_assert(sizeof(RouterTopKParams) == 48);

// A warp a token.
constexpr LaunchShape RouterTopKShape(const RouterTopKParams& params) {
  return {{params.slots > 0 ? Extent(params.tokens) : 0, 1, 1},
          {kWarpThreads, 1, 1}};
}

void RouterTopKHost(const RouterTopKParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_ROUTER_TOP_K_H_
