// What a warp does for sixteen tokens of one head in attention by the tensor
// core: a running softmax over the rows of the cache that its thread block has
// staged.
#ifndef REPRISE_KERNELS_ATTENTION_TILE_CUH_
#define REPRISE_KERNELS_ATTENTION_TILE_CUH_

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/half_mma.cuh"
#include "kernels/load_matrices.cuh"
#include "kernels/softmax_weight.cuh"
#include "kernels/warp_sum.cuh"

namespace reprise {

__device__ inline int LargestOfLanes(int value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = max(value, __shfl_xor_sync(kWholeWarp, value, distance));
  }
  return value;
}

// Of the four lanes that share a row of the tensor core's tile.
__device__ inline float LargestOfRow(float value) {
  value = fmaxf(value, __shfl_xor_sync(kWholeWarp, value, 1));
  return fmaxf(value, __shfl_xor_sync(kWholeWarp, value, 2));
}
__device__ inline float SumOfRow(float value) {
  value += __shfl_xor_sync(kWholeWarp, value, 1);
  return value + __shfl_xor_sync(kWholeWarp, value, 2);
}

// The cache rows that a token sees.
__device__ inline int Seen(const AttentionParams& params, int token) {
  if (token >= params.tokens) return 0;
  const int position = params.positions[token];
  return position < 0 ? 0 : min(position, params.capacity - 1) + 1;
}

// A warp's sixteen tokens of one head. Lane l has, of tokens l / 4 and l / 4 +
// 8, the values 2t and 2t + 1 of every eight, t = l % 4.
template <int kHeadDim>
class AttentionTile {
 public:
  __device__ AttentionTile(const AttentionParams& params, int first_token,
                           int head)
      : params_(params), first_token_(first_token), head_(head) {
    int most = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      seen_[i] = Seen(params, TokenOf(i));
      most = max(most, seen_[i]);
    }
    limit_ = LargestOfLanes(most);
    ReadQueries();
  }

  // Adds the rows first..first + kRows - 1 of the cache, which lie at shared
  // addresses.
  __device__ void Add(int first, std::uint32_t keys, std::uint32_t values) {
    if (first >= limit_) return;
    FloatTile scores[kRowTiles];
    Score(keys, scores);
    Weigh(first, scores);
    Sum(values, scores);
  }

  __device__ void Store() const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float total = SumOfRow(totals_[i]);
      if (TokenOf(i) >= params_.tokens) continue;
      float* out =
          params_.output +
          (std::int64_t{TokenOf(i)} * params_.heads + head_) * kHeadDim;
#pragma unroll
      for (int n = 0; n < kDimTiles; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          out[8 * n + 2 * Quarter() + j] =
              seen_[i] > 0 ? outputs_[n].at[2 * i + j] / total : 0;
        }
      }
    }
  }

  static constexpr int kRows = AttentionStagedRows(kHeadDim);
  static constexpr int kPitch = AttentionRowPitch(kHeadDim);

 private:
  static constexpr int kRowTiles = kRows / 8;
  static constexpr int kDimTiles = kHeadDim / 8;
  static constexpr int kDimSteps = kHeadDim / 16;

  __device__ static int Quarter() { return static_cast<int>(threadIdx.x) % 4; }
  __device__ int TokenOf(int i) const {
    return first_token_ + static_cast<int>(threadIdx.x) / 4 + 8 * i;
  }

  // Splits q as fractions of a power of two, so that no half overflows.
  __device__ void ReadQueries() {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float* q =
          params_.q +
          min(TokenOf(i), params_.tokens - 1) * params_.q_token_stride +
          std::int64_t{head_} * kHeadDim + 2 * Quarter();
      float values[kDimTiles][2];
      float largest = 0;
#pragma unroll
      for (int n = 0; n < kDimTiles; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          values[n][j] = q[8 * n + j];
          largest = fmaxf(largest, fabsf(values[n][j]));
        }
      }
      int exponent = 0;
      frexpf(LargestOfRow(largest), &exponent);
      scales_[i] = ldexpf(params_.scale, exponent);
#pragma unroll
      for (int n = 0; n < kDimTiles; ++n) {
        queries_[n / 2].Set(i + 2 * (n % 2), ldexpf(values[n][0], -exponent),
                            ldexpf(values[n][1], -exponent));
      }
    }
  }

  __device__ void Score(std::uint32_t keys, FloatTile (&scores)[kRowTiles]) {
    const int lane = static_cast<int>(threadIdx.x);
    keys += lane % 8 * kPitch + lane / 8 * 16;
#pragma unroll
    for (int n = 0; n < kRowTiles; ++n) {
#pragma unroll
      for (int d = 0; d < kDimSteps; d += 2) {
        const uint4 key = LoadMatrices(keys + n * 8 * kPitch + d * 32);
        Multiply(scores[n], queries_[d], key.x, key.y);
        Multiply(scores[n], queries_[d + 1], key.z, key.w);
      }
    }
  }

  // Makes the scores weights relative to the largest so far.
  __device__ void Weigh(int first, FloatTile (&scores)[kRowTiles]) {
    first += 2 * Quarter();
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float top = tops_[i];
#pragma unroll
      for (int n = 0; n < kRowTiles; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float& score = scores[n].at[2 * i + j];
          score = first + 8 * n + j < seen_[i] ? score * scales_[i] : -INFINITY;
          top = fmaxf(top, score);
        }
      }
      top = LargestOfRow(top);
      const float kept = SoftmaxWeight(tops_[i], top);
      tops_[i] = top;
      totals_[i] *= kept;
#pragma unroll
      for (int n = 0; n < kDimTiles; ++n) {
        outputs_[n].at[2 * i] *= kept;
        outputs_[n].at[2 * i + 1] *= kept;
      }
#pragma unroll
      for (int n = 0; n < kRowTiles; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float& score = scores[n].at[2 * i + j];
          score = SoftmaxWeight(score, top);
          totals_[i] += score;
        }
      }
    }
  }

  __device__ void Sum(std::uint32_t values,
                      const FloatTile (&weights)[kRowTiles]) {
    const int lane = static_cast<int>(threadIdx.x);
    values += lane % 16 * kPitch + lane / 16 * 16;
#pragma unroll
    for (int r = 0; r < kRowTiles; r += 2) {
      SplitRows rows;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const FloatTile& tile = weights[r + k / 2];
        rows.Set(k, tile.at[2 * (k % 2)], tile.at[2 * (k % 2) + 1]);
      }
#pragma unroll
      for (int n = 0; n < kDimTiles; n += 2) {
        const uint4 value = LoadTransposed(values + r * 8 * kPitch + n * 16);
        Multiply(outputs_[n], rows, value.x, value.y);
        Multiply(outputs_[n + 1], rows, value.z, value.w);
      }
    }
  }

  const AttentionParams& params_;
  const int first_token_;
  const int head_;
  int limit_;  // the rows that any of the warp's tokens sees
  int seen_[2];
  float scales_[2];
  SplitRows queries_[kDimSteps];
  float tops_[2] = {-INFINITY, -INFINITY};
  float totals_[2] = {};  // of this lane's rows
  FloatTile outputs_[kDimTiles];
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_ATTENTION_TILE_CUH_
