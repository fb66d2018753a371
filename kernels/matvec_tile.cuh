// The body of the matrix kernels for two to eight tokens: rows of quantized
// weights times the images, by the tensor core.
//
// A warp streams its run of units through shared memory (matvec_tiling.h) and
// multiplies tiles of sixteen rows and eight tokens (integer_mma.cuh). Lane l
// is lane t = l % 4 of the rows g = l / 4 and g + 8.
#ifndef REPRISE_KERNELS_MATVEC_TILE_CUH_
#define REPRISE_KERNELS_MATVEC_TILE_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"
#include "kernels/block_lanes_32.cuh"
#include "kernels/block_lanes_iq.cuh"
#include "kernels/block_lanes_k.cuh"
#include "kernels/block_q8_1.h"
#include "kernels/integer_mma.cuh"
#include "kernels/lane_scales.cuh"
#include "kernels/matvec_tiling.h"
#include "kernels/shared_address.cuh"
#include "kernels/stage_row.cuh"

namespace reprise {

// Where a thread block's operands lie and where its values go.
struct TileOperands {
  const std::uint8_t* weights;  // of its first row
  std::int64_t weight_row_bytes;
  const std::uint8_t* image;  // of token 0
  std::int64_t image_row_bytes;
  int columns;
  float* output;  // of its first row and token 0
  std::int64_t output_row_stride;
  int rows_left;  // in the matrix, from the first row on
  int tokens;     // 1..kTileTokens
};

// The units that a warp multiplies.
struct UnitRun {
  int first;
  int last;  // exclusive
};

__device__ inline UnitRun RunOfWarp(int units) {
  const int warps = static_cast<int>(blockDim.y);
  const int longest = (units + warps - 1) / warps;
  const int first = static_cast<int>(threadIdx.y) * longest;
  return {min(first, units), min(first + longest, units)};
}

// What the activations of one step add to every row, whatever its weights: the
// center's part of the dots, and their sums where the format has a min. Tiles
// of equal weights make both.
template <typename Lane, int kScaleColumns = Lane::kScaleColumns>
struct StepBase;

template <typename Lane>
struct StepBase<Lane, 32> {
  IntTile dots;
  IntTile sums;

  __device__ explicit StepBase(WordPair activations) {
    if constexpr (Lane::kCenter != 0) dots = Equal(-Lane::kCenter, activations);
    if constexpr (Lane::kHasMin) sums = Equal(1, activations);
  }

 private:
  __device__ static IntTile Equal(int weight, WordPair activations) {
    const std::uint32_t word = Bytes(static_cast<std::uint8_t>(weight));
    return Multiply32({}, {word, word}, {word, word}, activations);
  }
};

template <typename Lane>
struct StepBase<Lane, 16> {
  IntTile low;
  IntTile high;
  IntTile low_sums;
  IntTile high_sums;

  __device__ explicit StepBase(WordPair activations) {
    if constexpr (Lane::kCenter != 0) {
      low = Equal(-Lane::kCenter, activations.low);
      high = Equal(-Lane::kCenter, activations.high);
    }
    if constexpr (Lane::kHasMin) {
      low_sums = Equal(1, activations.low);
      high_sums = Equal(1, activations.high);
    }
  }

 private:
  __device__ static IntTile Equal(int weight, std::uint32_t activations) {
    const std::uint32_t word = Bytes(static_cast<std::uint8_t>(weight));
    return Multiply16({}, word, word, activations);
  }
};

// The dots of a tile in one step, scaled: value i is that of IntTile.
template <typename Lane>
class TileDots {
 public:
  __device__ TileDots(const StepBase<Lane>& base, WordPair row_g,
                      WordPair row_g8, WordPair activations)
      : base_(base) {
    if constexpr (Lane::kScaleColumns == 32) {
      low_ = Multiply32(base.dots, row_g, row_g8, activations);
    } else {
      low_ = Multiply16(base.low, row_g.low, row_g8.low, activations.low);
      high_ = Multiply16(base.high, row_g.high, row_g8.high, activations.high);
    }
  }
  __device__ float Scaled(int i, const LaneScales<Lane>& scales) const {
    if constexpr (Lane::kScaleColumns == 32) {
      return ScaledDot(scales, low_.at[i], 0, base_.sums.at[i], 0);
    } else {
      return ScaledDot(scales, low_.at[i], high_.at[i], base_.low_sums.at[i],
                       base_.high_sums.at[i]);
    }
  }

 private:
  const StepBase<Lane>& base_;
  IntTile low_;
  IntTile high_;
};

template <typename Block>
class WarpTile {
 public:
  // Rows g and g + 8, tokens 2t and 2t + 1.
  struct Sums {
    float at[2][2] = {};
  };

  // `stages` is the shared address of the warp's own stages.
  __device__ WarpTile(const TileOperands& operands, UnitRun run,
                      std::uint32_t stages, const std::uint32_t* grid)
      : run_(run), columns_(operands.columns), grid_(grid) {
    const int g = threadIdx.x / 4;
    const int t = threadIdx.x % 4;
    const int tokens = operands.tokens;
    slot_bytes_ = TilingOf<Block>().StageBytes(tokens);

    const std::int64_t done = std::int64_t{run.first} * kTiling.weight_bytes;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      // Rows past the last repeat it; nobody stores what they give.
      const int row = min(g + 8 * i, operands.rows_left - 1);
      rows_[i] = operands.weights + row * operands.weight_row_bytes + done;
      skews_[i] = Skew(rows_[i]);
    }
    // So do tokens.
    const std::uint32_t images = stages + kWeightPitch * kTileRows;
    const auto image_row = [&](int token) {
      return operands.image + min(token, tokens - 1) * operands.image_row_bytes;
    };
    const auto staged_image = [&](int token) {
      return images + kImagePitch * min(token, tokens - 1) +
             Skew(image_row(token));
    };
    image_ = image_row(g) + std::int64_t{run.first} * kImageBytes;
    copies_token_ = g < tokens;

    row_at_ = Opaque(stages + kWeightPitch * g);
    image_at_ = Opaque(images + kImagePitch * g);
    quants_at_ = Opaque(staged_image(g) + 4 + 4 * t);
    scales_at_[0] = Opaque(staged_image(2 * t));
    scales_at_[1] = Opaque(staged_image(2 * t + 1));

    const std::uintptr_t starts =
        reinterpret_cast<std::uintptr_t>(operands.weights) |
        reinterpret_cast<std::uintptr_t>(operands.image) |
        static_cast<std::uintptr_t>(operands.weight_row_bytes) |
        static_cast<std::uintptr_t>(operands.image_row_bytes);
    const bool uneven =
        columns_ % kUnitColumns != 0 || starts % kPieceBytes != 0;
    careful_unit_ = uneven ? (columns_ - 1) / kUnitColumns : -1;
  }

  __device__ Sums Multiply() {
#pragma unroll 1
    for (int ahead = 0; ahead < kMatVecStages; ++ahead) {
      Fetch(run_.first + ahead, ahead * slot_bytes_);
    }
    int slot = 0;
#pragma unroll 1
    for (int unit = run_.first; unit < run_.last; ++unit) {
      AwaitCopies<kMatVecStages - 1>();
      __syncwarp();
      MultiplyUnit(unit, slot);
      __syncwarp();
      Fetch(unit + kMatVecStages, slot);
      slot += slot_bytes_;
      if (slot == kMatVecStages * slot_bytes_) slot = 0;
    }
    return sums_;
  }

 private:
  using Lane = BlockLane<Block>;
  static constexpr MatVecTiling kTiling = TilingOf<Block>();
  static constexpr int kSteps = Block::kValues / 32;
  static constexpr int kImageBytes =
      kUnitColumns / kImageBlockValues * int{sizeof(BlockQ8_1)};
  static constexpr int kWeightPitch = kPieceBytes * kTiling.weight_pieces;
  static constexpr int kImagePitch = kPieceBytes * kTiling.image_pieces;
  // Steps at once, so that they hide one another's latency.
  static constexpr int kGroup = 2;
  static_assert(kImageBytes % kPieceBytes == 0,
                "an image row's skew never changes");

  // The four lanes of a row copy what they will read.
  __device__ void Fetch(int unit, int slot) {
    if (unit < run_.last) {
      if (unit != careful_unit_) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          CopyWhole<kTiling.weight_bytes, Reuse::kNone>(
              row_at_ + slot + 8 * i * kWeightPitch, rows_[i]);
        }
        if (copies_token_) {
          CopyWhole<kImageBytes, Reuse::kByOthers>(image_at_ + slot, image_);
        }
      } else {
        const int columns = ColumnsOf(unit);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          CopyExactly(row_at_ + slot + 8 * i * kWeightPitch, rows_[i],
                      columns / Block::kValues * int{sizeof(Block)});
        }
        if (copies_token_) {
          CopyExactly(image_at_ + slot, image_,
                      columns / kImageBlockValues * int{sizeof(BlockQ8_1)});
        }
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) rows_[i] += kTiling.weight_bytes;
      image_ += kImageBytes;
    }
    CommitCopies();
  }

  __device__ int ColumnsOf(int unit) const {
    return min(kUnitColumns, columns_ - unit * kUnitColumns);
  }

  // The lanes that read step `step` of a unit.
  __device__ Lane LaneOf(const std::uint8_t* row, int step) const {
    Lane lane;
    lane.block = row + step / kSteps * int{sizeof(Block)};
    lane.t = threadIdx.x % 4;
    if constexpr (Lane::kGridWords > 0) lane.grid = grid_;
    return lane;
  }

  __device__ void MultiplyUnit(int unit, int slot) {
    const std::uint8_t* rows[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      rows[i] = Shared(row_at_ + slot + skews_[i]) + 8 * i * kWeightPitch;
      skews_[i] = (skews_[i] + kTiling.weight_bytes) % kPieceBytes;
    }
    if (unit != careful_unit_) {
#pragma unroll
      for (int step = 0; step < kUnitColumns / 32; step += kGroup) {
        MultiplySteps<kGroup>(rows, step, slot);
      }
    } else {
      const int steps = ColumnsOf(unit) / 32;
#pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        MultiplySteps<1>(rows, step, slot);
      }
    }
  }

  template <int kCount>
  __device__ void MultiplySteps(const std::uint8_t* const (&rows)[2], int first,
                                int slot) {
#pragma unroll
    for (int i = first; i < first + kCount; ++i) {
      const int at = i * int{sizeof(BlockQ8_1)};
      const std::uint8_t* quants = Shared(quants_at_ + slot) + at;
      const WordPair activations = {Word4(quants), Word4(quants + 16)};
      const float image_scales[2] = {HalfAt(Shared(scales_at_[0] + slot) + at),
                                     HalfAt(Shared(scales_at_[1] + slot) + at)};
      const StepBase<Lane> base(activations);
      const int step = i % kSteps;
      const Lane lanes[2] = {LaneOf(rows[0], i), LaneOf(rows[1], i)};
      const TileDots<Lane> dots(base, lanes[0].Words(step),
                                lanes[1].Words(step), activations);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const LaneScales<Lane> scales = StepScales(lanes[row], step);
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          sums_.at[row][j] =
              __fmaf_rn(image_scales[j], dots.Scaled(2 * row + j, scales),
                        sums_.at[row][j]);
        }
      }
    }
  }

  const UnitRun run_;
  const int columns_;
  const std::uint32_t* const grid_;
  int slot_bytes_;
  int careful_unit_;  // an uneven row's last, behind which may be no memory

  // Where the lane's rows and its copied token go on, in global memory.
  const std::uint8_t* rows_[2];
  const std::uint8_t* image_;
  bool copies_token_;

  // Shared addresses in the first slot.
  std::uint32_t row_at_;    // of row g, before its skew
  std::uint32_t image_at_;  // of the copied token, before its skew
  std::uint32_t quants_at_;
  std::uint32_t scales_at_[2];
  std::uint32_t skews_[2];  // of the unit that is multiplied next

  Sums sums_;
};

// Adds the warps' sums in warp order and stores the rows.
template <typename Sums>
__device__ void StoreTile(const TileOperands& operands, const Sums& sums,
                          float* shared) {
  const int warp_values = kTileRows * operands.tokens;
  __syncthreads();  // the stages are read; the sums take their place
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const int token = 2 * (threadIdx.x % 4) + j;
    if (token < operands.tokens) {
      float* to = shared + threadIdx.y * warp_values + kTileRows * token;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        to[threadIdx.x / 4 + 8 * i] = sums.at[i][j];
      }
    }
  }
  __syncthreads();
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
#pragma unroll 1
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < warp_values;
       i += threads) {
    const int row = i % kTileRows;
    if (row >= operands.rows_left) continue;
    float total = 0;
#pragma unroll 1
    for (int warp = 0; warp < static_cast<int>(blockDim.y); ++warp) {
      total += shared[warp * warp_values + i];
    }
    operands.output[i / kTileRows * operands.output_row_stride + row] = total;
  }
}

// Asks for the weights of a warp's run, before anything may be read.
template <typename Block>
__device__ void PrefetchTile(const TileOperands& operands, UnitRun run) {
  constexpr MatVecTiling kTiling = TilingOf<Block>();
  const int row = threadIdx.x;
  if (row >= min(kTileRows, operands.rows_left)) return;
  const int row_bytes = operands.columns / Block::kValues * int{sizeof(Block)};
  const int begin = run.first * kTiling.weight_bytes;
  const int end = min(run.last * kTiling.weight_bytes, row_bytes);
  if (begin >= end) return;
  PrefetchToL2(operands.weights + row * operands.weight_row_bytes + begin,
               end - begin);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATVEC_TILE_CUH_
