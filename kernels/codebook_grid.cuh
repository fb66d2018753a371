// The grid that an iq format looks its codes up in, in shared memory.
#ifndef REPRISE_KERNELS_CODEBOOK_GRID_CUH_
#define REPRISE_KERNELS_CODEBOOK_GRID_CUH_

#include <cstdint>

#include "kernels/block_lanes_32.cuh"
#include "kernels/block_lanes_iq.cuh"
#include "kernels/block_lanes_k.cuh"

namespace reprise {

// Filled by the whole thread block; null for a format without one.
template <typename Block>
__device__ const std::uint32_t* FillGrid() {
  constexpr int kWords = BlockLane<Block>::kGridWords;
  if constexpr (kWords == 0) {
    return nullptr;
  } else {
    __shared__ uint4 grid[kWords / 4];
    const auto* from =
        reinterpret_cast<const uint4*>(BlockLane<Block>::GridOf().words);
    const int threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    const int thread = static_cast<int>(
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
#pragma unroll 1
    for (int i = thread; i < kWords / 4; i += threads) grid[i] = from[i];
    __syncthreads();
    return reinterpret_cast<const std::uint32_t*>(grid);
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_CODEBOOK_GRID_CUH_
