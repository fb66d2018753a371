#include <cstdint>

#include "kernels/image_q8_0.h"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_warp.cuh"
#include "kernels/warp_sum.cuh"

namespace reprise {
namespace {

struct LaneValues {
  float at[4] = {};
};

__device__ LaneValues Load(const float* from, std::int64_t left) {
  LaneValues values;
  if (left >= 4 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    const float4 all = *reinterpret_cast<const float4*>(from);
    return {{all.x, all.y, all.z, all.w}};
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i < left) values.at[i] = from[i];
  }
  return values;
}

// Of the eight lanes that share a block.
__device__ float BlockMaxSize(const LaneValues& values) {
  int largest = max(max(SizeBits(values.at[0]), SizeBits(values.at[1])),
                    max(SizeBits(values.at[2]), SizeBits(values.at[3])));
#pragma unroll
  for (int distance = kQ8_0BlockLanes / 2; distance > 0; distance /= 2) {
    largest = max(largest, __shfl_xor_sync(kWholeWarp, largest, distance));
  }
  return __int_as_float(largest);
}

struct LaneQuants {
  float scale;
  std::uint32_t word;
};

__device__ LaneQuants QuantizeLane(const LaneValues& values) {
  const float amax = BlockMaxSize(values);
  const bool ordinary = IsOrdinary(amax);
  const float scale =
      ordinary ? Corrected(amax, 127.0f, 1.0f / 127.0f) : amax / 127.0f;
  const float reciprocal = Reciprocal(scale);
  std::uint32_t word = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float quotient = ordinary ? Corrected(values.at[i], scale, reciprocal)
                                    : values.at[i] / scale;
    word |= static_cast<std::uint32_t>(RoundHalfAway(quotient) & 0xFF)
            << (8 * i);
  }
  return {scale, word};
}

// Where a lane's word goes, and where its block's scale does.
struct Pad40Place {
  std::uint8_t* block;

  __device__ Pad40Place(const QuantizeQ8_0Params& params, std::int64_t token,
                        std::int64_t number)
      : block(static_cast<std::uint8_t*>(params.image) +
              (token * Q8_0Blocks(params.columns) + number) *
                  static_cast<std::int64_t>(sizeof(BlockQ8_0Pad40))) {}

  __device__ void Store(const LaneQuants& quants, int lane) const {
    reinterpret_cast<std::uint32_t*>(block)[lane] = quants.word;
    if (lane == 0) {
      *reinterpret_cast<uint2*>(block + kQ8_0Values) =
          make_uint2(__float_as_uint(quants.scale), 0);
    }
  }
};

struct TransposedPlace {
  std::uint8_t* quants;
  std::uint8_t* scale;

  __device__ TransposedPlace(const QuantizeQ8_0Params& params,
                             std::int64_t token, std::int64_t number) {
    const TransposedImage image(params.columns, params.tokens);
    auto* bytes = static_cast<std::uint8_t*>(params.image);
    quants = bytes + image.QuantsAt(token, number);
    scale = bytes + image.ScaleAt(token, number);
  }

  __device__ void Store(const LaneQuants& values, int lane) const {
    std::uint8_t* half = quants + lane / 4 * kTransposedHalfBytes;
    reinterpret_cast<std::uint32_t*>(half)[lane % 4] = values.word;
    if (lane == 0) *reinterpret_cast<float*>(scale) = values.scale;
  }
};

template <typename Place>
__device__ void Quantize(const QuantizeQ8_0Params& params) {
  TriggerDependents();
  const std::int64_t number =
      std::int64_t{blockIdx.x} * kQ8_0Warps + threadIdx.y;
  const std::int64_t token = std::int64_t{blockIdx.y} * kQ8_0WarpTokens +
                             threadIdx.x / kQ8_0BlockLanes;
  const int lane = static_cast<int>(threadIdx.x) % kQ8_0BlockLanes;
  const std::int64_t column = number * kQ8_0Values + 4 * lane;
  WaitForPrimaries();
  if (number >= Q8_0Blocks(params.columns)) return;  // a whole warp
  LaneValues values;
  if (token < params.tokens) {
    values = Load(params.source + token * params.row_stride + column,
                  params.columns - column);
  }
  const LaneQuants quants = QuantizeLane(values);
  Place(params, token, number).Store(quants, lane);
}

}  // namespace
}  // namespace reprise

extern "C" __global__ void __launch_bounds__(
    reprise::kWarpThreads* reprise::kQ8_0Warps)
    reprise_quantize_q8_0_pad40(const reprise::QuantizeQ8_0Params params) {
  reprise::Quantize<reprise::Pad40Place>(params);
}

extern "C" __global__ void __launch_bounds__(
    reprise::kWarpThreads* reprise::kQ8_0Warps)
    reprise_quantize_q8_0_pad40_t(const reprise::QuantizeQ8_0Params params) {
  reprise::Quantize<reprise::TransposedPlace>(params);
}
