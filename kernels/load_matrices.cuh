// Loads the tensor core's operands from shared memory: four matrices of eight
// rows of 16 bytes. Lane l gives the shared address of row l % 8 of matrix
// l / 8.
#ifndef REPRISE_KERNELS_LOAD_MATRICES_CUH_
#define REPRISE_KERNELS_LOAD_MATRICES_CUH_

#include <cstdint>

namespace reprise {

// Lane l gets the word l % 4 of each matrix's row l / 4.
__device__ inline uint4 LoadMatrices(std::uint32_t address) {
  uint4 words = {};
#if __CUDA_ARCH__ >= 750
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
      : "r"(address)
      : "memory");
#endif
  return words;
}

// Of matrices of halves: lane l gets, as a word, column l / 4 of the rows
// 2 (l % 4) and 2 (l % 4) + 1.
__device__ inline uint4 LoadTransposed(std::uint32_t address) {
  uint4 words = {};
#if __CUDA_ARCH__ >= 750
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
      : "r"(address)
      : "memory");
#endif
  return words;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_LOAD_MATRICES_CUH_
