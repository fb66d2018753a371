// One block of the q8_1 image, made by the warp whose lanes hold its values:
// the bytes of QuantizeRowQ8_1 for any 32 floats.
//
// Every small kernel of a decode step ends in this, so it is built for latency.
// Sum, maximum and quotients are one stretch of code without a branch, in which
// the steps of one fill the waits of another; and each lane stores its own
// byte, which is sooner done than gathering words by two more shuffles.
#ifndef REPRISE_KERNELS_QUANTIZE_WARP_CUH_
#define REPRISE_KERNELS_QUANTIZE_WARP_CUH_

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/warp_sum.cuh"

namespace reprise {

// |value| as an integer of the same order. Floats from 0 to infinity are
// ordered as their bits, and a NaN is -1: less than those, and as bits a NaN
// again.
__device__ inline int SizeBits(float value) {
  return isnan(value) ? -1 : __float_as_int(fabsf(value));
}

// The largest |value| of the warp, NaN only if all are.
__device__ inline float WarpMaxSize(float value) {
  const int size = SizeBits(value);
#if __CUDA_ARCH__ >= 800
  return __int_as_float(__reduce_max_sync(kWholeWarp, size));
#else
  int largest = size;
  for (int distance = 16; distance > 0; distance /= 2) {
    largest = max(largest, __shfl_xor_sync(kWholeWarp, largest, distance));
  }
  return __int_as_float(largest);
#endif
}

// a / b as IEEE rounds it, given 1 / b to half a unit in the last place: the
// remainder of a first quotient is exact and corrects it. Operands and results
// of ordinary size only; the division operator has a branch for the others.
// Where b's digits are all ones and a is a power of two, the power of two just
// below the quotient may come out, which makes the same quant.
__device__ inline float Corrected(float a, float b, float reciprocal) {
  const float quotient = __fmul_rn(a, reciprocal);
  const float rest = __fmaf_rn(-b, quotient, a);
  return __fmaf_rn(rest, reciprocal, quotient);
}

__device__ inline float Reciprocal(float b) {
  float first;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(first) : "f"(b));
  return __fmaf_rn(first, __fmaf_rn(-b, first, 1.0f), first);
}

// Whether Corrected divides by it, or by a 127th of it, as the operator does.
__device__ inline bool IsOrdinary(float amax) {
  return amax >= 0x1p-64f && amax <= 0x1p64f;
}

// To nearest, ties away from zero, saturated; NaN gives 0.
// REQUIRES: |value| < 2^23, or not finite. Adding the float below a half makes
// the truncation right for the float below a half too, which adding a half
// would take to 1.
__device__ inline int RoundHalfAway(float value) {
  return __float2int_rz(value + copysignf(0x1.fffffep-2f, value));
}

// Each lane stores its own quant, the first one the rest.
__device__ inline void StoreBlock(int quant, float scale, float sum,
                                  unsigned lane, BlockQ8_1* block) {
  block->quants[lane] = static_cast<std::int8_t>(quant);
  if (lane == 0) {
    *reinterpret_cast<ushort2*>(block) =
        make_ushort2(__half_as_ushort(__float2half_rn(scale)),
                     __half_as_ushort(__float2half_rn(sum)));
  }
}

struct WarpQuant {
  int quant;  // the lane's, of which the low byte counts
  float scale;
};

// All lanes call these, each with its value; a lane past the row's end with 0.
__device__ inline WarpQuant QuantOfWarp(float value) {
  const float amax = WarpMaxSize(value);
  float scale = Corrected(amax, 127.0f, 1.0f / 127.0f);
  float quotient = Corrected(value, scale, Reciprocal(scale));
  if (!IsOrdinary(amax)) {
    scale = amax / 127.0f;
    quotient = value / scale;
  }
  return {RoundHalfAway(quotient), scale};
}

__device__ inline void QuantizeWarp(float value, unsigned lane,
                                    BlockQ8_1* block) {
  const float sum = WarpSumOfLanes(value);
  const WarpQuant quant = QuantOfWarp(value);
  StoreBlock(quant.quant, quant.scale, sum, lane, block);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_QUANTIZE_WARP_CUH_
