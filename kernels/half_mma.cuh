// Tensor core products of tiles of halves: 16 rows times 8 columns over a depth
// of 16, summed in float.
//
// Lane l of the warp has g = l / 4 and t = l % 4. A word is two halves, of the
// depths 2t and 2t + 1, or of those 8 further.
#ifndef REPRISE_KERNELS_HALF_MMA_CUH_
#define REPRISE_KERNELS_HALF_MMA_CUH_

#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

namespace reprise {

struct FloatTile {
  float at[4] = {};  // (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1)
};

// Of rows g and g + 8, and of both 8 deeper.
struct HalfRows {
  std::uint32_t word[4] = {};
};

// Floats of magnitude 1 at most as the sum of two halves: off by 2^-24 at most.
struct SplitRows {
  HalfRows high;
  HalfRows low;

  __device__ void Set(int word, float first, float second) {
    const __half2 rounded = __floats2half2_rn(first, second);
    const __half2 rest = __floats2half2_rn(first - __low2float(rounded),
                                           second - __high2float(rounded));
    std::memcpy(&high.word[word], &rounded, sizeof(rounded));
    std::memcpy(&low.word[word], &rest, sizeof(rest));
  }
};

#if __CUDA_ARCH__ < 800
__device__ inline void MultiplyEightDeep(FloatTile& sums, std::uint32_t row_g,
                                         std::uint32_t row_g8,
                                         std::uint32_t column) {
#if __CUDA_ARCH__ >= 750
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sums.at[0]), "+f"(sums.at[1]), "+f"(sums.at[2]), "+f"(sums.at[3])
      : "r"(row_g), "r"(row_g8), "r"(column));
#endif
}
#endif

// Adds to `sums`. The words are of column g.
__device__ inline void Multiply(FloatTile& sums, const HalfRows& rows,
                                std::uint32_t column, std::uint32_t deeper) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums.at[0]), "+f"(sums.at[1]), "+f"(sums.at[2]), "+f"(sums.at[3])
      : "r"(rows.word[0]), "r"(rows.word[1]), "r"(rows.word[2]),
        "r"(rows.word[3]), "r"(column), "r"(deeper));
#else
  MultiplyEightDeep(sums, rows.word[0], rows.word[1], column);
  MultiplyEightDeep(sums, rows.word[2], rows.word[3], deeper);
#endif
}

// As precise as the columns' halves are: small terms first.
__device__ inline void Multiply(FloatTile& sums, const SplitRows& rows,
                                std::uint32_t column, std::uint32_t deeper) {
  Multiply(sums, rows.low, column, deeper);
  Multiply(sums, rows.high, column, deeper);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_HALF_MMA_CUH_
