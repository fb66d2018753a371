// Tensor core products of int8 tiles: 16 rows times 8 tokens over 16 or 32
// columns, exact in int32.
//
// Lane l of the warp has g = l / 4 and t = l % 4. It gives, as four columns a
// word, the weights of rows g and g + 8 and the activations of token g: columns
// 4t..4t+3, and for 32 columns those 16 further as well. It gets rows g and
// g + 8 of tokens 2t and 2t + 1.
#ifndef REPRISE_KERNELS_INTEGER_MMA_CUH_
#define REPRISE_KERNELS_INTEGER_MMA_CUH_

#include <cstdint>

#include "kernels/byte_words.cuh"

namespace reprise {

struct IntTile {
  int at[4] = {};  // (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1)
};

#if __CUDA_ARCH__ < 800
// Turing's tile has eight rows; the lanes' words lie as in the larger one.
__device__ inline void MultiplyEightRows(int& first, int& second,
                                         std::uint32_t weights,
                                         std::uint32_t activations) {
  asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
      "{%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+r"(first), "+r"(second)
      : "r"(weights), "r"(activations));
}
#endif

// `sums` and 16 columns more.
__device__ inline IntTile Multiply16(const IntTile& sums, std::uint32_t row_g,
                                     std::uint32_t row_g8,
                                     std::uint32_t activations) {
#if __CUDA_ARCH__ >= 800
  IntTile out;
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=r"(out.at[0]), "=r"(out.at[1]), "=r"(out.at[2]), "=r"(out.at[3])
      : "r"(row_g), "r"(row_g8), "r"(activations), "r"(sums.at[0]),
        "r"(sums.at[1]), "r"(sums.at[2]), "r"(sums.at[3]));
#else
  IntTile out = sums;
  MultiplyEightRows(out.at[0], out.at[1], row_g, activations);
  MultiplyEightRows(out.at[2], out.at[3], row_g8, activations);
#endif
  return out;
}

// `sums` and 32 columns more.
__device__ inline IntTile Multiply32(const IntTile& sums, WordPair row_g,
                                     WordPair row_g8, WordPair activations) {
#if __CUDA_ARCH__ >= 800
  IntTile out;
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=r"(out.at[0]), "=r"(out.at[1]), "=r"(out.at[2]), "=r"(out.at[3])
      : "r"(row_g.low), "r"(row_g8.low), "r"(row_g.high), "r"(row_g8.high),
        "r"(activations.low), "r"(activations.high), "r"(sums.at[0]),
        "r"(sums.at[1]), "r"(sums.at[2]), "r"(sums.at[3]));
  return out;
#else
  return Multiply16(Multiply16(sums, row_g.low, row_g8.low, activations.low),
                    row_g.high, row_g8.high, activations.high);
#endif
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_INTEGER_MMA_CUH_
