// The engine's kernels: a row of `columns` floats, a multiple of 32. Compiled
// as a part of the programs on the runtime, and to a module for those on the
// driver.
#include <cuda_fp16.h>

#include "tests/victims/engine/blocks.h"
#include "tests/victims/engine/kernel_addresses.h"

using victims::ImageBlock;
using victims::WeightBlock;

namespace {

// The kernels in front may still run, where the launch is programmatic.
__device__ void WaitForThoseBefore() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

__device__ int Thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Of all 32 lanes, in every one.
__device__ float WarpSum(float value) {
  for (int lane = 16; lane > 0; lane /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, lane);
  }
  return value;
}

__device__ float WarpMax(float value) {
  for (int lane = 16; lane > 0; lane /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, lane));
  }
  return value;
}

__device__ float FromHalf(unsigned short bits) {
  return __half2float(__ushort_as_half(bits));
}

}  // namespace

extern "C" {

// y = x / rms(x) * weight, by one thread block.
__global__ void victim_norm(const float* x, const float* weight, float* y,
                            int columns) {
  WaitForThoseBefore();
  __shared__ float sums[32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[i] * x[i];
  sum = WarpSum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  float total = 0;
  for (int warp = 0; warp < blockDim.x / 32; ++warp) total += sums[warp];
  const float scale = 1 / sqrtf(total / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    y[i] = x[i] * scale * weight[i];
  }
}

// A warp a block of the image.
__global__ void victim_quantize(const float* x, ImageBlock* image,
                                int columns) {
  WaitForThoseBefore();
  const int i = Thread();
  if (i >= columns) return;
  const int lane = i % 32;
  ImageBlock& block = image[i / 32];
  const float scale = WarpMax(fabsf(x[i])) / 127;
  const float sum = WarpSum(x[i]);
  block.quants[lane] = scale == 0 ? 0 : static_cast<int>(rintf(x[i] / scale));
  if (lane == 0) {
    block.scale = __half_as_ushort(__float2half_rn(scale));
    block.sum = __half_as_ushort(__float2half_rn(sum));
  }
}

// out[r] = weights[r] . image, a warp a row of the weights.
__global__ void victim_project(const WeightBlock* weights,
                               const ImageBlock* image, float* out,
                               int columns) {
  WaitForThoseBefore();
  const int row = Thread() / 32;
  const int lane = threadIdx.x % 32;
  const int blocks = columns / 32;
  float sum = 0;
  for (int b = lane; b < blocks; b += 32) {
    const WeightBlock& weight = weights[row * blocks + b];
    int dot = 0;
    for (int i = 0; i < 32; ++i) dot += weight.quants[i] * image[b].quants[i];
    sum += FromHalf(weight.scale) * FromHalf(image[b].scale) * dot;
  }
  sum = WarpSum(sum);
  if (lane == 0) out[row] = sum;
}

// y = gate / (1 + |gate|) * up.
__global__ void victim_glu(const float* gate, const float* up, float* y,
                           int columns) {
  WaitForThoseBefore();
  const int i = Thread();
  if (i < columns) y[i] = gate[i] / (1 + fabsf(gate[i])) * up[i];
}

// x += y.
__global__ void victim_add(float* x, const float* y, int columns) {
  WaitForThoseBefore();
  const int i = Thread();
  if (i < columns) x[i] += y[i];
}

}  // extern "C"

namespace victims {

const void* AddressOf(Kernel kernel) {
  switch (kernel) {
    case Kernel::kNorm:
      return reinterpret_cast<const void*>(victim_norm);
    case Kernel::kQuantize:
      return reinterpret_cast<const void*>(victim_quantize);
    case Kernel::kProject:
      return reinterpret_cast<const void*>(victim_project);
    case Kernel::kGlu:
      return reinterpret_cast<const void*>(victim_glu);
    case Kernel::kAdd:
      return reinterpret_cast<const void*>(victim_add);
  }
  return nullptr;
}

}  // namespace victims
