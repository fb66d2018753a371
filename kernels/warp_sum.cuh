// The device's half of warp_sum.h: the xor butterfly itself.
#ifndef REPRISE_KERNELS_WARP_SUM_CUH_
#define REPRISE_KERNELS_WARP_SUM_CUH_

namespace reprise {

inline constexpr unsigned kWholeWarp = 0xFFFFFFFF;

// The sum of the warp's 32 values, in every lane. All lanes call it.
__device__ inline float WarpSumOfLanes(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(kWholeWarp, value, distance);
  }
  return value;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_WARP_SUM_CUH_
