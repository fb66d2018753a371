// The norm, the GLUs and the quantizer of ggml-cuda in our own words: its
// symbols, parameters, launch shapes and order of operations. Compiled with
// -use_fast_math they have the arithmetic of that engine's build, without it
// another one. Only a source that defines kGgmlKernels includes this.
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/programmatic.cuh"
#include "tests/kernels/ggml_kernels.h"

namespace {

constexpr unsigned kAllLanes = 0xFFFFFFFF;

__device__ float LaneSum(float x) {
  for (int mask = 16; mask > 0; mask >>= 1) {
    x += __shfl_xor_sync(kAllLanes, x, mask, 32);
  }
  return x;
}

__device__ std::uint32_t Quotient(std::uint32_t n, uint3 by) {
  return (__umulhi(n, by.x) + n) >> by.y;
}
__device__ std::uint32_t Remainder(std::uint32_t n, uint3 by) {
  return n - Quotient(n, by) * by.z;
}

}  // namespace

// Where a kernel stands in no namespace and is static, its symbol is the
// engine's, and every source may have its own.
template <int kBlock, bool kMultiply, bool kAdd>
static __global__ void rms_norm_f32(
    const float* x, float* dst, const int ncols, const std::int64_t stride_row,
    const std::int64_t stride_channel, const std::int64_t stride_sample,
    const float eps, const float* mul, const std::int64_t mul_stride_row,
    const std::int64_t mul_stride_channel, const std::int64_t mul_stride_sample,
    const uint3 mul_ncols, const uint3 mul_nrows, const uint3 mul_nchannels,
    const uint3 mul_nsamples, const float* add,
    const std::int64_t add_stride_row, const std::int64_t add_stride_channel,
    const std::int64_t add_stride_sample, const uint3 add_ncols,
    const uint3 add_nrows, const uint3 add_nchannels,
    const uint3 add_nsamples) {
  reprise::TriggerDependents();
  extern __shared__ float totals[];
  const int thread = static_cast<int>(threadIdx.x);
  x += blockIdx.z * stride_sample + blockIdx.y * stride_channel +
       blockIdx.x * stride_row;
  dst += ((std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x +
          blockIdx.x) *
         ncols;
  if constexpr (kMultiply) {
    mul += Remainder(blockIdx.z, mul_nsamples) * mul_stride_sample +
           Remainder(blockIdx.y, mul_nchannels) * mul_stride_channel +
           Remainder(blockIdx.x, mul_nrows) * mul_stride_row;
  }
  if constexpr (kAdd) {
    add += Remainder(blockIdx.z, add_nsamples) * add_stride_sample +
           Remainder(blockIdx.y, add_nchannels) * add_stride_channel +
           Remainder(blockIdx.x, add_nrows) * add_stride_row;
  }
  reprise::WaitForPrimaries();
  float total = 0;
  for (int column = thread; column < ncols; column += kBlock) {
    total += x[column] * x[column];
  }
  total = LaneSum(total);
  if (thread % 32 == 0) totals[thread / 32] = total;
  __syncthreads();
  total = LaneSum(thread % 32 < kBlock / 32 ? totals[thread % 32] : 0.0f);
  const float mean = total / ncols;
  const float scale = rsqrtf(mean + eps);
  for (int column = thread; column < ncols; column += kBlock) {
    float y = scale * x[column];
    if constexpr (kMultiply) y *= mul[Remainder(column, mul_ncols)];
    if constexpr (kAdd) y += add[Remainder(column, add_ncols)];
    dst[column] = y;
  }
}

// Static functions, because their names then are part of a kernel's symbol as
// the engine's are.
static __device__ __forceinline__ float op_silu(float x) {
  return x / (1.0f + expf(-x));
}
static __device__ __forceinline__ float op_gelu(float x) {
  return 0.5f * x *
         (1.0f + tanhf(0.79788456080286535587989211986876f * x *
                       (1.0f + 0.044715f * x * x)));
}
static __device__ __forceinline__ float op_gelu_erf(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678118654752440084436210484f));
}
static __device__ __forceinline__ float op_gelu_quick(float x) {
  return x * (1.0f / (1.0f + expf(-1.702f * x)));
}
static __device__ __forceinline__ float op_relu(float x) {
  return fmaxf(x, 0.0f);
}

template <float (*op)(float), typename T>
static __global__ void unary_gated_op_kernel(const T* x, const T* g, T* dst,
                                             const std::int64_t k,
                                             const std::int64_t n,
                                             const std::int64_t o0,
                                             const std::int64_t o1) {
  reprise::TriggerDependents();
  const std::int64_t i = std::int64_t{blockDim.x} * blockIdx.x + threadIdx.x;
  if (i >= k) return;
  reprise::WaitForPrimaries();
  dst[i] = op(x[i / n * o0 + i % n]) * g[i / n * o1 + i % n];
}

template <typename T>
static __global__ void swiglu_oai_kernel(const T* x, const T* g, T* dst,
                                         const std::int64_t k,
                                         const std::int64_t n,
                                         const std::int64_t o0,
                                         const std::int64_t o1,
                                         const float alpha, const float limit) {
  const std::int64_t i = std::int64_t{blockDim.x} * blockIdx.x + threadIdx.x;
  if (i >= k) return;
  const float low = fminf(x[i / n * o0 + i % n], limit);
  const float clamped = fmaxf(fminf(g[i / n * o1 + i % n], limit), -limit);
  dst[i] = low / (1.0f + expf(-low * alpha)) * (1.0f + clamped);
}

static __global__ void quantize_q8_1(
    const float* x, void* vy, const std::int64_t ne00, const std::int64_t s01,
    const std::int64_t s02, const std::int64_t s03, const std::int64_t ne0,
    const std::uint32_t ne1, const uint3 ne2) {
  reprise::TriggerDependents();
  const std::int64_t i0 = std::int64_t{blockDim.x} * blockIdx.x + threadIdx.x;
  if (i0 >= ne0) return;
  const std::int64_t i3 = Quotient(blockIdx.z, ne2);
  const std::int64_t i2 = Remainder(blockIdx.z, ne2);
  const std::int64_t row = std::int64_t{blockIdx.z} * ne1 + blockIdx.y;
  auto* block = static_cast<reprise::BlockQ8_1*>(vy) + (row * ne0 + i0) / 32;
  reprise::WaitForPrimaries();
  const float value =
      i0 < ne00 ? x[i3 * s03 + i2 * s02 + blockIdx.y * s01 + i0] : 0.0f;
  float largest = fabsf(value);
  for (int mask = 16; mask > 0; mask >>= 1) {
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, mask, 32));
  }
  const float sum = LaneSum(value);
  const float d = largest / 127.0f;
  const float q = largest == 0.0f ? 0.0f : roundf(value / d);
  block->quants[i0 % 32] = static_cast<std::int8_t>(q);
  if (i0 % 32 != 0) return;
  block->scale = __half_as_ushort(__float2half_rn(d));
  block->sum = __half_as_ushort(__float2half_rn(sum));
}

// A kernel as the runtime names it.
template <typename Kernel>
static const void* Named(Kernel* kernel) {
  return reinterpret_cast<const void*>(kernel);
}

static reprise::GgmlKernels GgmlKernelsOfThisSource() {
  return {
      .norms = {{Named(rms_norm_f32<256, false, false>),
                 Named(rms_norm_f32<256, true, false>),
                 Named(rms_norm_f32<256, true, true>)},
                {Named(rms_norm_f32<1024, false, false>),
                 Named(rms_norm_f32<1024, true, false>),
                 Named(rms_norm_f32<1024, true, true>)}},
      .gated = {Named(unary_gated_op_kernel<op_silu, float>),
                Named(unary_gated_op_kernel<op_gelu, float>),
                Named(unary_gated_op_kernel<op_gelu_erf, float>),
                Named(unary_gated_op_kernel<op_gelu_quick, float>),
                Named(unary_gated_op_kernel<op_relu, float>)},
      .swiglu_oai = Named(swiglu_oai_kernel<float>),
      .quantize = Named(quantize_q8_1),
  };
}
