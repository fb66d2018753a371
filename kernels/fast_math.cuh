// The arithmetic of a kernel that was compiled with -use_fast_math, for sources
// that are themselves compiled with --ftz=true -fmad=false: what that option
// makes of C++'s operators and functions, by name. Sums and products are plain
// there, a fused multiply-add is written __fmaf_rn, rsqrtf, fmaxf, fminf,
// roundf and erff are the same with the option as without.
//
// An approximation has the same bits on one kind of device, and perhaps others
// on another. Denormals count as 0, going in and coming out.
#ifndef REPRISE_KERNELS_FAST_MATH_CUH_
#define REPRISE_KERNELS_FAST_MATH_CUH_

#include "kernels/block_q8_1.h"
#include "kernels/quantize_warp.cuh"
#include "kernels/warp_sum.cuh"

namespace reprise {

// a / b.
__device__ inline float FastDivide(float a, float b) {
  return __fdividef(a, b);
}

// 1 / x.
__device__ inline float FastReciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// expf(x).
__device__ inline float FastExp(float x) { return __expf(x); }

// tanhf(x).
__device__ inline float FastTanh(float x) {
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// One block of the q8_1 image as a quantizer makes it that divides in this
// arithmetic: QuantizeWarp (quantize_warp.cuh) with other last bits.
__device__ inline void FastQuantizeWarp(float value, unsigned lane,
                                        BlockQ8_1* block) {
  const float sum = WarpSumOfLanes(value);
  const float amax = WarpMaxSize(value);
  const float scale = FastDivide(amax, 127.0f);
  const float quotient = roundf(FastDivide(value, scale));
  const int quant = amax == 0 ? 0 : __float2int_rz(quotient);
  StoreBlock(quant, scale, sum, lane, block);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_FAST_MATH_CUH_
