// The body of the matrix kernel for many tokens: rows of quantized weights
// times a tile of 64 tokens, by the tensor core.
//
// Lane l of a warp is lane t = l % 4 of the rows g = l / 4 and g + 8
// (integer_mma.cuh). The block copies the units of its rows and of the image
// ahead; the image comes as its layout has it, which is how the tensor core
// wants it. A warp has so many sums that few warps fit a multiprocessor: little
// hides a stall at the end of a unit, or a value that its loop has no register
// for, and either costs more than a few instructions (benchmarks/README.md).
#ifndef REPRISE_KERNELS_MATMUL_TILE_CUH_
#define REPRISE_KERNELS_MATMUL_TILE_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"
#include "kernels/block_lanes_32.cuh"
#include "kernels/block_lanes_iq.cuh"
#include "kernels/block_lanes_k.cuh"
#include "kernels/bulk_copy.cuh"
#include "kernels/image_q8_0.h"
#include "kernels/load_matrices.cuh"
#include "kernels/matmul_dots.cuh"
#include "kernels/matmul_tiling.h"
#include "kernels/shared_address.cuh"
#include "kernels/stage_rows.cuh"

namespace reprise {

struct MatMulOperands {
  const std::uint8_t* weights;  // of the thread block's first row
  std::int64_t weight_row_bytes;
  const std::uint8_t* quants;  // of the image's tile
  const std::uint8_t* scales;
  int columns;
  int rows_left;  // in the matrix, from the first row on
  float* output;  // of the first row and the tile's first token
  std::int64_t output_row_stride;
  int tokens;  // of the tile that there are, 1..64
};

// kRowWarps and kLayers are the rows and tokens of MatMulWarps.
template <typename Block, int kRowWarps, int kLayers>
class MatMulTile {
 public:
  // `stages` is the shared address of the thread block's stages.
  __device__ MatMulTile(const MatMulOperands& operands, std::uint32_t stages)
      : operands_(operands),
        stages_(stages),
        stager_(operands.weights + StagedRow() * operands.weight_row_bytes,
                operands.weight_row_bytes, operands.rows_left - StagedRow()) {
    skew_ = Skew(operands.weights +
                 (WarpRow() + Group()) * operands.weight_row_bytes);
    const std::uintptr_t starts =
        reinterpret_cast<std::uintptr_t>(operands.weights) |
        static_cast<std::uintptr_t>(operands.weight_row_bytes);
    const bool uneven =
        operands.columns % kUnitColumns != 0 || starts % kPieceBytes != 0;
    units_ = (operands.columns + kUnitColumns - 1) / kUnitColumns;
    whole_units_ = uneven ? units_ - 1 : units_;
  }

  __device__ void Multiply() {
    for (int stage = 0; stage < kStages; ++stage) ImageOf(stage).Init();
    __syncthreads();
    for (int unit = 0; unit < kStages - 1; ++unit) Fetch(unit);
#pragma unroll 1
    for (int unit = 0; unit < units_; ++unit) {
      AwaitCopies<kStages - 2>();
      ImageOf(unit).Await(unit / kStages);
      // The unit has arrived, and nobody reads the one before it any more.
      __syncthreads();
      Fetch(unit + kStages - 1);
      if constexpr (Lane::kHasMin) {
        SumTokens(unit);
        __syncthreads();
      }
      MultiplyUnit(unit);
    }
  }

  __device__ void Store() const {
    const int row = WarpRow() + Group();
#pragma unroll
    for (int n = 0; n < kTokenTiles; ++n) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int token = FirstToken() + 8 * n + 2 * (threadIdx.x % 4) + j;
        if (token >= operands_.tokens) continue;
        float* out = operands_.output + token * operands_.output_row_stride;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          if (row + 8 * i < operands_.rows_left) {
            out[row + 8 * i] = sums_[n][2 * i + j];
          }
        }
      }
    }
  }

 private:
  using Lane = BlockLane<Block>;
  static constexpr MatMulTiling kTiling = MatMulTilingOf<Block>();
  static constexpr int kUnitColumns = kTiling.unit_columns;
  static constexpr int kUnitSteps = kTiling.steps();
  static constexpr int kWeightBytes = kTiling.weight_bytes;
  static constexpr int kWeightPitch = kTiling.weight_pitch;
  static constexpr int kImageBytes = kTiling.image_bytes();
  static constexpr int kSumBytes = kTiling.sum_bytes();
  static constexpr int kStageBytes = kTiling.StageBytes(kRowWarps);
  static constexpr int kBlockSteps = Block::kValues / 32;
  // The eights of tokens of a warp.
  static constexpr int kTokenTiles = kQ8_0TileTokens / 8 / kLayers;
  static constexpr int kStages = MatMulWarps{kRowWarps, kLayers}.stages();
  static_assert(kLayers == 1 || kLayers == 2);
  static_assert(Lane::kGridWords == 0, "no codebook is staged");
  static_assert(8 * sizeof(Block) % kPieceBytes == 0,
                "rows g and g + 8 have one skew");
  static_assert(Lane::kHasMin == kTiling.token_sums);

  static constexpr int kThreads = kRowWarps * 32 * kLayers;
  __device__ static int Thread() {
    return static_cast<int>((threadIdx.z * kRowWarps + threadIdx.y) * 32 +
                            threadIdx.x);
  }
  __device__ static int Group() { return static_cast<int>(threadIdx.x) / 4; }
  __device__ static int WarpRow() {
    return static_cast<int>(threadIdx.y) * kTileRows;
  }

  // Of the tile's tokens the warp's first.
  __device__ static int FirstToken() {
    return kLayers == 1 ? 0 : static_cast<int>(threadIdx.z) * kTokenTiles * 8;
  }

  // Of warps that share their rows each stages a part.
  static constexpr int kStagedRows = kTileRows / kLayers;
  __device__ static int StagedRow() {
    return WarpRow() +
           (kLayers == 1 ? 0 : static_cast<int>(threadIdx.z) * kStagedRows);
  }

  __device__ int StepsOf(int unit) const {
    return min(kUnitSteps, operands_.columns / 32 - unit * kUnitSteps);
  }

  __device__ std::uint32_t Stage(int unit) const {
    return stages_ + unit % kStages * kStageBytes;
  }
  __device__ std::uint32_t StagedAt(int unit, int row) const {
    return Stage(unit) + row * kWeightPitch;
  }
  __device__ std::uint32_t QuantsOf(int unit) const {
    return StagedAt(unit, kRowWarps * kTileRows);
  }
  __device__ std::uint32_t ScalesOf(int unit) const {
    return QuantsOf(unit) + kUnitSteps * kTransposedBlockBytes;
  }

  // Behind all stages: for each step and pair of tokens of the unit at hand,
  // their scales and the sums of their quants.
  __device__ std::uint32_t TokenSums() const {
    return stages_ + kStages * kStageBytes;
  }

  // The copies of a unit's image.
  __device__ BulkCopies ImageOf(int unit) const {
    return {TokenSums() + kSumBytes + unit % kStages * kMatMulBarrierBytes,
            Thread(), kThreads};
  }

  __device__ void Fetch(int unit) {
    if (unit < units_) {
      FetchImage(unit);
      const std::uint32_t to = StagedAt(unit, StagedRow());
      if (unit < whole_units_) {
        stager_.Stage(to);
      } else {
        stager_.StageLast(
            to, StepsOf(unit) * 32 / Block::kValues * int{sizeof(Block)});
      }
      stager_.Advance();
    }
    CommitCopies();
  }

  __device__ void FetchImage(int unit) const {
    const int steps = StepsOf(unit);
    const std::int64_t first = std::int64_t{unit} * kUnitSteps;
    const BulkCopies image = ImageOf(unit);
    image.Expect(steps * (kTransposedBlockBytes + kTransposedScaleBytes));
    image.Copy(QuantsOf(unit), operands_.quants + first * kTransposedBlockBytes,
               steps * kTransposedBlockBytes);
    image.Copy(ScalesOf(unit), operands_.scales + first * kTransposedScaleBytes,
               steps * kTransposedScaleBytes);
  }

  // By the whole thread block: once for all its rows.
  __device__ void SumTokens(int unit) const {
    const std::uint32_t image = QuantsOf(unit);
    const std::uint32_t scales = ScalesOf(unit);
    const int pairs = StepsOf(unit) * kQ8_0TileTokens / 2;
    for (int i = Thread(); i < pairs; i += kThreads) {
      const int step = 2 * i / kQ8_0TileTokens;
      const int token = 2 * i % kQ8_0TileTokens;
      const std::uint32_t quants =
          image + step * kTransposedBlockBytes + token * 16;
      const float2 scale = *reinterpret_cast<const float2*>(
          Shared(scales + 2 * i * int{sizeof(float)}));
      *reinterpret_cast<float4*>(Shared(TokenSums() + i * 16)) = make_float4(
          scale.x, scale.y, SumOfQuants(quants), SumOfQuants(quants + 16));
    }
  }

  __device__ static float SumOfQuants(std::uint32_t quants) {
    int sum = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint4 words = *reinterpret_cast<const uint4*>(
          Shared(quants + half * kTransposedHalfBytes));
      sum = __dp4a(static_cast<int>(words.x), 0x01010101, sum);
      sum = __dp4a(static_cast<int>(words.y), 0x01010101, sum);
      sum = __dp4a(static_cast<int>(words.z), 0x01010101, sum);
      sum = __dp4a(static_cast<int>(words.w), 0x01010101, sum);
    }
    return static_cast<float>(sum);
  }

  // The lanes that read step `step` of a unit.
  __device__ Lane LaneOf(const std::uint8_t* row, int step) const {
    Lane lane;
    lane.block = row + step / kBlockSteps * int{sizeof(Block)};
    lane.t = threadIdx.x % 4;
    return lane;
  }

  __device__ void MultiplyUnit(int unit) {
    const std::uint32_t advance =
        static_cast<std::uint32_t>(unit) * kWeightBytes;
    const std::uint8_t* row = Shared(StagedAt(unit, WarpRow() + Group()) +
                                     (skew_ + advance) % kPieceBytes);
    // A unit of one block is all there.
    const int steps = StepsOf(unit);
    if (kUnitSteps != kBlockSteps && steps != kUnitSteps) {
#pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        MultiplyStep(row, step, unit);
      }
    } else {
#pragma unroll
      for (int step = 0; step < kUnitSteps; ++step) {
        MultiplyStep(row, step, unit);
      }
    }
  }

  // `row` is row g of the warp's, staged.
  __device__ void MultiplyStep(const std::uint8_t* row, int step, int unit) {
    const Lane lanes[2] = {LaneOf(row, step),
                           LaneOf(row + 8 * kWeightPitch, step)};
    const int block_step = step % kBlockSteps;
    WordPair words[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const WordPair raw = lanes[i].Words(block_step);
      words[i] = {Centered<Lane::kCenter>(raw.low),
                  Centered<Lane::kCenter>(raw.high)};
    }
    const RowScales<Lane> scales[2] = {{lanes[0], block_step},
                                       {lanes[1], block_step}};
    const int lane = static_cast<int>(threadIdx.x);
    // Matrices: the low and the high columns of eight tokens, and of the next.
    const std::uint32_t quants = QuantsOf(unit) + step * kTransposedBlockBytes +
                                 lane / 8 % 2 * kTransposedHalfBytes +
                                 (FirstToken() + lane / 16 * 8 + lane % 8) * 16;
    const std::uint8_t* image_scales =
        Shared(ScalesOf(unit) + step * kTransposedScaleBytes) +
        (FirstToken() + lane % 4 * 2) * sizeof(float);
    const std::uint8_t* scales_and_sums =
        Shared(TokenSums() + 2 * step * kTransposedScaleBytes) +
        (FirstToken() + lane % 4 * 2) * sizeof(float2);
#pragma unroll
    for (int n = 0; n < kTokenTiles; n += 2) {
      const uint4 loaded = LoadMatrices(quants + n * 8 * 16);
      const WordPair activations[2] = {{loaded.x, loaded.y},
                                       {loaded.z, loaded.w}};
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int at = (n + k) * 8;
        float2 image_scale;
        float2 token_sums = {};
        if constexpr (Lane::kHasMin) {
          const float4 both = *reinterpret_cast<const float4*>(
              scales_and_sums + at * sizeof(float2));
          image_scale = {both.x, both.y};
          token_sums = {both.z, both.w};
        } else {
          image_scale = *reinterpret_cast<const float2*>(image_scales +
                                                         at * sizeof(float));
        }
        const StepDots<Lane> dots(words, activations[k], token_sums);
#pragma unroll
        for (int place = 0; place < 4; ++place) {
          sums_[n + k][place] = __fmaf_rn(
              place % 2 == 0 ? image_scale.x : image_scale.y,
              dots.Scaled(place, scales[place / 2]), sums_[n + k][place]);
        }
      }
    }
  }

  const MatMulOperands operands_;
  const std::uint32_t stages_;
  RowStager<kStagedRows, kWeightBytes, kWeightPitch> stager_;
  int units_;
  int whole_units_;     // all but an uneven row's last: behind may be no memory
  std::uint32_t skew_;  // of each of a lane's rows
  float sums_[kTokenTiles][4] = {};
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_TILE_CUH_
