// The device kernels of matvec.h and routed_matvec.h for one weight format.
#ifndef REPRISE_KERNELS_MATVEC_CUH_
#define REPRISE_KERNELS_MATVEC_CUH_

#include <cstdint>

#include "kernels/codebook_grid.cuh"
#include "kernels/format_block.h"
#include "kernels/matvec.h"
#include "kernels/matvec_rows.cuh"
#include "kernels/matvec_tile.cuh"
#include "kernels/programmatic.cuh"
#include "kernels/routed_matvec.h"
#include "kernels/shared_address.cuh"

namespace reprise {

extern __shared__ uint4 matvec_shared[];

// Row `row` of the weights from block `first` on, and how many rows follow.
template <typename Block>
__device__ const std::uint8_t* WeightsAt(const void* weights,
                                         std::int64_t first_block,
                                         std::int64_t row,
                                         std::int64_t row_stride) {
  return static_cast<const std::uint8_t*>(weights) +
         (first_block + row * row_stride) * int{sizeof(Block)};
}

__device__ inline int RowsLeft(std::int64_t rows, std::int64_t first) {
  return static_cast<int>(
      max(std::int64_t{0}, min(rows - first, std::int64_t{1} << 30)));
}

// Most launches have one plane, and a division is slow.
__device__ inline std::int64_t WeightPlane(const MatVecParams& params) {
  return blockIdx.y == 0
             ? 0
             : blockIdx.y / static_cast<std::uint32_t>(params.weight_share);
}

__device__ inline int Chunks(std::int64_t columns) {
  return max(1,
             (static_cast<int>(columns) + kChunkColumns - 1) / kChunkColumns);
}

// The launch says how many warps share a row, so how long their runs are.
__device__ inline int ChunksPerWarp(std::int64_t columns) {
  const int chunks = Chunks(columns);
  const int warps = static_cast<int>(blockDim.y);
  return warps == 1 ? chunks : (chunks + warps - 1) / warps;
}

__device__ inline std::int64_t FirstRowOfWarp() {
  return (std::int64_t{blockIdx.x} * blockDim.z + threadIdx.z) * kWarpRows;
}

template <typename Block>
__device__ void MatVecOneByOne(const MatVecParams& params) {
  const std::int64_t row = FirstRowOfWarp();
  const std::int64_t plane = blockIdx.y;
  const std::int64_t token = blockIdx.z;
  const RowOperands operands = {
      WeightsAt<Block>(params.weights,
                       WeightPlane(params) * params.weight_plane_stride, row,
                       params.weight_row_stride),
      params.weight_row_stride * int{sizeof(Block)},
      reinterpret_cast<const std::uint8_t*>(params.image +
                                            plane * params.image_plane_stride +
                                            token * params.image_row_stride),
      params.output + plane * params.output_plane_stride +
          token * params.output_row_stride + row,
      static_cast<int>(params.columns),
      RowsLeft(params.rows, row)};
  PrefetchRows<Block>(operands);
  MultiplyRows<Block>(operands, ChunksPerWarp(params.columns),
                      SharedAddress(matvec_shared), FillGrid<Block>());
}

template <typename Block>
__device__ void MatVecTogether(const MatVecParams& params) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kTileRows;
  const std::int64_t plane = blockIdx.y;
  const TileOperands operands = {
      WeightsAt<Block>(params.weights,
                       WeightPlane(params) * params.weight_plane_stride, row,
                       params.weight_row_stride),
      params.weight_row_stride * int{sizeof(Block)},
      reinterpret_cast<const std::uint8_t*>(params.image +
                                            plane * params.image_plane_stride),
      params.image_row_stride * int{sizeof(BlockQ8_1)},
      static_cast<int>(params.columns),
      params.output + plane * params.output_plane_stride + row,
      params.output_row_stride,
      RowsLeft(params.rows, row),
      params.tokens};
  const UnitRun run =
      RunOfWarp((operands.columns + kUnitColumns - 1) / kUnitColumns);
  PrefetchTile<Block>(operands, run);
  WarpTile<Block> tile(operands, run,
                       SharedAddress(matvec_shared) +
                           threadIdx.y * kMatVecStages *
                               TilingOf<Block>().StageBytes(params.tokens),
                       FillGrid<Block>());
  WaitForPrimaries();
  StoreTile(operands, tile.Multiply(), reinterpret_cast<float*>(matvec_shared));
}

template <typename Block>
__device__ void MatVec(const MatVecParams& params) {
  TriggerDependents();
  if (TakesTokensOneByOne(params)) {
    MatVecOneByOne<Block>(params);
  } else {
    MatVecTogether<Block>(params);
  }
}

template <typename Block>
__device__ void RoutedMatVec(const RoutedMatVecParams& params) {
  TriggerDependents();
  const std::uint32_t* grid = FillGrid<Block>();
  WaitForPrimaries();
  const std::int64_t row = FirstRowOfWarp();
  const std::int64_t slot = blockIdx.y;
  const std::int64_t token = blockIdx.z;
  const int rows_left = RowsLeft(params.rows, row);
  float* output =
      params.output + (token * params.slots + slot) * params.rows + row;
  const std::int32_t id = params.ids[token * params.ids_stride + slot];
  if (id < 0 || id >= params.experts) {
    if (threadIdx.y != 0) return;
    const int lane = threadIdx.x;
    if (lane < min(kWarpRows, rows_left)) output[lane] = 0;
    if (row == 0 && lane == 0 && params.invalid_ids != nullptr) {
      atomicAdd(params.invalid_ids, 1u);
    }
    return;
  }
  const std::int64_t image_row =
      token * params.image_rows + (params.image_rows == 1 ? 0 : slot);
  const RowOperands operands = {
      WeightsAt<Block>(params.weights, id * params.expert_stride, row,
                       params.weight_row_stride),
      params.weight_row_stride * int{sizeof(Block)},
      reinterpret_cast<const std::uint8_t*>(
          params.image + image_row * params.image_row_stride),
      output,
      static_cast<int>(params.columns),
      rows_left};
  MultiplyRows<Block>(operands, ChunksPerWarp(params.columns),
                      SharedAddress(matvec_shared), grid);
}

}  // namespace reprise

#define REPRISE_DEFINE_MATVECS(format)                              \
  extern "C" __global__ void __launch_bounds__(                     \
      reprise::kWarpThreads* reprise::kMatVecMaxWarps, 1)           \
      reprise_matvec_##format(const reprise::MatVecParams params) { \
    reprise::MatVec<reprise::block_of::format>(params);             \
  }                                                                 \
  extern "C" __global__ void __launch_bounds__(                     \
      reprise::kWarpThreads* reprise::kMatVecMaxWarps, 1)           \
      reprise_routed_matvec_##format(                               \
          const reprise::RoutedMatVecParams params) {               \
    reprise::RoutedMatVec<reprise::block_of::format>(params);       \
  }

#endif  // REPRISE_KERNELS_MATVEC_CUH_
