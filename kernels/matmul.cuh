// The device kernels of matmul.h on the tensor core.
#ifndef REPRISE_KERNELS_MATMUL_CUH_
#define REPRISE_KERNELS_MATMUL_CUH_

#include <cstdint>

#include "kernels/image_q8_0.h"
#include "kernels/matmul.h"
#include "kernels/matmul_tile.cuh"
#include "kernels/programmatic.cuh"
#include "kernels/shared_address.cuh"

namespace reprise {

extern __shared__ uint4 matmul_shared[];

template <typename Block, int kTokenTiles>
__device__ void MultiplyTile(const MatMulParams& params) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.y * kTileRows;
  const std::int64_t token = std::int64_t{blockIdx.y} * kQ8_0TileTokens;
  const TransposedImage image(params.columns, params.tokens);
  const auto* bytes = static_cast<const std::uint8_t*>(params.image);
  MatMulTile<Block, kTokenTiles> tile(
      {static_cast<const std::uint8_t*>(params.weights) +
           row * params.weight_row_stride * int{sizeof(Block)},
       params.weight_row_stride * int{sizeof(Block)},
       bytes + image.QuantsAt(token, 0), bytes + image.ScaleAt(token, 0),
       static_cast<int>(params.columns),
       static_cast<int>(min(params.rows - row, std::int64_t{1} << 30)),
       params.output + token * params.output_row_stride + row,
       params.output_row_stride,
       static_cast<int>(
           min(params.tokens - token, std::int64_t{kQ8_0TileTokens}))},
      SharedAddress(matmul_shared));
  WaitForPrimaries();
  tile.Multiply();
  TriggerDependents();
  tile.Store();
}

template <typename Block>
__device__ void MatMul(const MatMulParams& params) {
  if (blockDim.z == 1) {
    MultiplyTile<Block, kQ8_0TileTokens / 8>(params);
  } else {
    MultiplyTile<Block, kQ8_0TileTokens / 16>(params);
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_CUH_
