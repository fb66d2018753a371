// What a thread block does for a row of an RMS norm, whatever the arithmetic.
//
// The arithmetic and the operands are a Row:
//   Prefetch(column)               ahead of the wait; of weights alone
//   Load(column)                   the operands of one output value
//   Square(value, partial)         partial + value^2; 0 changes no partial
//   Scale(sum, columns, epsilon)   1 / sqrt(sum / columns + epsilon)
//   Normalized(operands, scale)    the output value
// The image is an ImageRow of image_row.cuh, or what has its members.
#ifndef REPRISE_KERNELS_RMS_NORM_ROW_CUH_
#define REPRISE_KERNELS_RMS_NORM_ROW_CUH_

#include <cstdint>

#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/warp_sum.cuh"

namespace reprise {

struct NormOperands {
  float x;
  float mul;
  float add;
};

// At one row there is little but a thread's own loads to hide a load behind, so
// it has several in flight: for the sum, and for the columns that it stores.
inline constexpr int kSumTurns = 8;
inline constexpr int kStoreTurns = 2;

// This thread's part of the sum: columns thread, thread + kThreads, and so on.
// A turn past the row's end adds 0, which changes no sum of squares.
template <typename Row, int kThreads>
__device__ inline float SumOfSquares(const float* x, int columns) {
  const int thread = static_cast<int>(threadIdx.x);
  float partial = 0;
#pragma unroll 1
  for (int first = 0; first < columns; first += kSumTurns * kThreads) {
    const float* here = x + first + thread;
    const int left = columns - first - thread;
    float values[kSumTurns];
#pragma unroll
    for (int i = 0; i < kSumTurns; ++i) {
      values[i] = i * kThreads < left ? here[i * kThreads] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kSumTurns; ++i) {
      partial = Row::Square(values[i], partial);
    }
  }
  return partial;
}

// The whole thread block calls it; `totals` holds a float a lane.
template <int kThreads>
__device__ inline float BlockSum(float partial, float* totals) {
  const unsigned lane = threadIdx.x % kWarpThreads;
  const float total = WarpSumOfLanes(partial);
  if (lane == 0) totals[threadIdx.x / kWarpThreads] = total;
  __syncthreads();
  const bool warp_exists = lane < kThreads / kWarpThreads;
  return WarpSumOfLanes(warp_exists ? totals[lane] : 0.0f);
}

__device__ inline void PrefetchToL2(const float* address) {
  asm volatile("prefetch.L2 [%0];" ::"l"(address));
}

// Null where there is no output.
__device__ inline float* RowOfOutput(float* output, std::int64_t row,
                                     std::int64_t columns) {
  return output == nullptr ? nullptr : output + row * columns;
}

// Of a row, the columns that this thread block stores: turns `slice`,
// `slice` + `slices` and so on, where a turn is kThreads columns.
struct RowSlice {
  std::uint32_t slice;
  std::uint32_t slices;
};

// Triggering is left to the caller; the wait is here. `totals` is shared
// memory of a float a lane. Without an output no floats are stored.
// The output may be x: a thread loads what it replaces before it stores there,
// and others have read it before the sum, for then there is no other block.
template <int kThreads, typename Row, typename Image>
__device__ inline void NormalizeRow(const Row& row, int columns, float epsilon,
                                    RowSlice slice, float* output,
                                    const Image& image, float* totals) {
  const int padded = Image::Padded(columns);
  const int begin = static_cast<int>(slice.slice * kThreads + threadIdx.x);
  const int stride = static_cast<int>(slice.slices * kThreads);
  if (begin < columns) row.Prefetch(begin);
  WaitForPrimaries();

  NormOperands loaded[kStoreTurns] = {};
  const auto load = [&](int first) {
#pragma unroll
    for (int i = 0; i < kStoreTurns; ++i) {
      const int column = first + i * stride;
      if (column >= columns) break;
      loaded[i] = row.Load(column);
    }
  };
  load(begin);  // on its way while the sum is made
  const float sum =
      BlockSum<kThreads>(SumOfSquares<Row, kThreads>(row.x, columns), totals);
  const float scale = Row::Scale(sum, columns, epsilon);

#pragma unroll 1
  for (int first = begin; first < padded; first += kStoreTurns * stride) {
    if (first != begin) load(first);
#pragma unroll
    for (int i = 0; i < kStoreTurns; ++i) {
      const int column = first + i * stride;
      if (column >= padded) break;  // for a whole warp at once
      float value = 0;
      if (column < columns) {
        value = row.Normalized(loaded[i], scale);
        if (output != nullptr) output[column] = value;
      }
      if constexpr (Image::kWritten) {
        image.Put(value, threadIdx.x % kWarpThreads, column);
      }
    }
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_RMS_NORM_ROW_CUH_
