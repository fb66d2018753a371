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

template <typename Block, int kRowWarps, int kLayers>
__device__ void MultiplyTile(const MatMulParams& params) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kRowWarps * kTileRows;
  const std::int64_t token = std::int64_t{blockIdx.y} * kQ8_0TileTokens;
  const TransposedImage image(params.columns, params.tokens);
  const auto* bytes = static_cast<const std::uint8_t*>(params.image);
  MatMulTile<Block, kRowWarps, kLayers> tile(
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

// Each of the MatMulWarps as numbers that the compiler knows: of others it
// keeps more in registers than there are.
template <typename Block>
__device__ void MatMul(const MatMulParams& params) {
  if (blockDim.z == 1) {
    if (blockDim.y == 8) {
      MultiplyTile<Block, 8, 1>(params);
    } else {
      MultiplyTile<Block, 4, 1>(params);
    }
  } else if (blockDim.y == 4) {
    MultiplyTile<Block, 4, 2>(params);
  } else if (blockDim.y == 2) {
    MultiplyTile<Block, 2, 2>(params);
  } else {
    MultiplyTile<Block, 1, 2>(params);
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_CUH_
