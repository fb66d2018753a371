// The matrix kernel for many tokens in any format and shape, by byte dots: the
// one to fall back on where there is none on the tensor core.
//
// A warp has a row and eight tokens. Lane l is lane t = l % 4 of the row's
// blocks, for token l / 4; the four of a token add their dots as integers,
// which is exact in any order.
#ifndef REPRISE_KERNELS_MATMUL_PAD40_CUH_
#define REPRISE_KERNELS_MATMUL_PAD40_CUH_

#include <cstdint>

#include "kernels/block_lanes_32.cuh"
#include "kernels/block_lanes_iq.cuh"
#include "kernels/block_lanes_k.cuh"
#include "kernels/image_q8_0.h"
#include "kernels/lane_scales.cuh"
#include "kernels/matmul.h"
#include "kernels/programmatic.cuh"
#include "kernels/warp_sum.cuh"
#include "kernels/weight_values_base.h"

namespace reprise {

__device__ inline int SumOfFour(int value) {
  value += __shfl_xor_sync(kWholeWarp, value, 1);
  return value + __shfl_xor_sync(kWholeWarp, value, 2);
}

// A block in shared memory, between words that may be read too: a BlockLane
// loads whole words, and behind a matrix's last block there may be no memory.
template <typename Block>
struct StagedBlock {
  static constexpr int kWords = (static_cast<int>(sizeof(Block)) + 11) / 4;

  // By the whole warp. A staged byte keeps its address modulo 4.
  __device__ static const std::uint8_t* Fill(std::uint32_t (&words)[kWords],
                                             const std::uint8_t* from) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(words) + 4 +
                  reinterpret_cast<std::uintptr_t>(from) % 4;
    __syncwarp();
    for (int i = threadIdx.x; i < static_cast<int>(sizeof(Block)); i += 32) {
      bytes[i] = from[i];
    }
    __syncwarp();
    return bytes;
  }
};

template <typename Block>
__device__ void MatMulPad40(const MatMulParams& params,
                            const std::uint32_t* grid) {
  using Lane = BlockLane<Block>;
  constexpr int kSteps = Block::kValues / 32;
  static_assert(Lane::kScaleColumns == kScaleColumns<Block>);
  __shared__ std::uint32_t staged[kPad40Warps][StagedBlock<Block>::kWords + 1];
  const std::int64_t row = blockIdx.x;
  const std::int64_t token =
      (std::int64_t{blockIdx.y} * kPad40Warps + threadIdx.y) *
          kPad40WarpTokens +
      threadIdx.x / 4;
  const std::int64_t read_token = min(token, params.tokens - 1);
  const auto* weights = static_cast<const std::uint8_t*>(params.weights) +
                        row * params.weight_row_stride * int{sizeof(Block)};
  const auto* image = static_cast<const BlockQ8_0Pad40*>(params.image) +
                      read_token * Q8_0Blocks(params.columns);
  Lane lane;
  lane.t = threadIdx.x % 4;
  if constexpr (Lane::kGridWords > 0) lane.grid = grid;
  float sum = 0;
  for (std::int64_t b = 0; b < params.columns / Block::kValues; ++b) {
    auto& words =
        reinterpret_cast<std::uint32_t(&)[StagedBlock<Block>::kWords]>(
            staged[threadIdx.y]);
    lane.block =
        StagedBlock<Block>::Fill(words, weights + b * int{sizeof(Block)});
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      const BlockQ8_0Pad40& activations = image[b * kSteps + step];
      const auto* quants = reinterpret_cast<const int*>(activations.quants);
      const int x[2] = {quants[lane.t], quants[4 + lane.t]};
      const WordPair w = lane.Words(step);
      const int sums[2] = {SumOfFour(__dp4a(x[0], 0x01010101, 0)),
                           SumOfFour(__dp4a(x[1], 0x01010101, 0))};
      const int dots[2] = {
          SumOfFour(__dp4a(static_cast<int>(w.low), x[0], 0)) -
              Lane::kCenter * sums[0],
          SumOfFour(__dp4a(static_cast<int>(w.high), x[1], 0)) -
              Lane::kCenter * sums[1]};
      sum = __fmaf_rn(
          activations.scale,
          ScaledDot(StepScales(lane, step), dots[0], dots[1], sums[0], sums[1]),
          sum);
    }
  }
  TriggerDependents();
  if (threadIdx.x % 4 == 0 && token < params.tokens) {
    params.output[token * params.output_row_stride + row] = sum;
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_PAD40_CUH_
