// The sum of 32 floats in the order of a warp's xor butterfly.
//
// Lane i adds lane i^16's value, then i^8's, 4, 2 and 1. Float addition
// commutes, so every lane ends with the same bits and a tree gives them too.
#ifndef REPRISE_KERNELS_WARP_SUM_H_
#define REPRISE_KERNELS_WARP_SUM_H_

namespace reprise {

// REQUIRES: `lanes` holds 32 floats.
constexpr float WarpSum(const float* lanes) {
  float sums[16] = {};
  for (int i = 0; i < 16; ++i) sums[i] = lanes[i] + lanes[i + 16];
  for (int width = 8; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) sums[i] += sums[i + width];
  }
  return sums[0];
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_WARP_SUM_H_
