// The body of the matrix kernel for many tokens: rows of quantized weights
// times a tile of 64 tokens, by the tensor core.
//
// Lane l of a warp is lane t = l % 4 of the rows g = l / 4 and g + 8
// (integer_mma.cuh). The block copies the units of its rows and of the image
// ahead; the image comes as its layout has it, which is how the tensor core
// wants it.
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

// kTokenTiles are the eights of tokens of a warp.
template <typename Block, int kTokenTiles>
class MatMulTile {
 public:
  // `stages` is the shared address of the thread block's stages.
  __device__ MatMulTile(const MatMulOperands& operands, std::uint32_t stages)
      : operands_(operands), stages_(stages) {
    first_token_ = static_cast<int>(threadIdx.z) * kTokenTiles * 8;
    stage_bytes_ =
        MatMulTilingOf<Block>().StageBytes(static_cast<int>(blockDim.y));
    image_at_ = static_cast<int>(blockDim.y) * kTileRows * kWeightPitch;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      skews_[i] = Skew(operands.weights + (WarpRow() + Group() + 8 * i) *
                                              operands.weight_row_bytes);
    }
    const std::uintptr_t starts =
        reinterpret_cast<std::uintptr_t>(operands.weights) |
        static_cast<std::uintptr_t>(operands.weight_row_bytes);
    const bool uneven =
        operands.columns % kUnitColumns != 0 || starts % kPieceBytes != 0;
    units_ = (operands.columns + kUnitColumns - 1) / kUnitColumns;
    careful_unit_ = uneven ? units_ - 1 : -1;
  }

  __device__ void Multiply() {
    for (int stage = 0; stage < kMatMulStages; ++stage) ImageOf(stage).Init();
    __syncthreads();
    Fetch(0);
#pragma unroll 1
    for (int unit = 0; unit < units_; ++unit) {
      AwaitCopies<0>();
      ImageOf(unit % kMatMulStages).Await(unit / kMatMulStages);
      // The unit has arrived, and nobody reads the one before it any more.
      __syncthreads();
      Fetch(unit + 1);
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
        const int token = first_token_ + 8 * n + 2 * (threadIdx.x % 4) + j;
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
  static constexpr int kUnitColumns = MatMulTilingOf<Block>().unit_columns;
  static constexpr int kUnitSteps = MatMulTilingOf<Block>().steps();
  static constexpr int kWeightBytes = MatMulTilingOf<Block>().weight_bytes;
  static constexpr int kWeightPitch = MatMulTilingOf<Block>().weight_pitch;
  static constexpr int kBlockSteps = Block::kValues / 32;
  // Warps that share their rows.
  static constexpr int kLayers = kQ8_0TileTokens / (kTokenTiles * 8);
  static_assert(kLayers == 1 || kLayers == 2);
  static_assert(Lane::kGridWords == 0, "no codebook is staged");
  static_assert(Lane::kHasMin == MatMulTilingOf<Block>().token_sums);

  __device__ static int Thread() {
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * 32 +
                            threadIdx.x);
  }
  __device__ static int Threads() {
    return static_cast<int>(blockDim.y) * 32 * kLayers;
  }
  __device__ static int Group() { return static_cast<int>(threadIdx.x) / 4; }
  __device__ static int WarpRow() {
    return static_cast<int>(threadIdx.y) * kTileRows;
  }

  __device__ int StepsOf(int unit) const {
    return min(kUnitSteps, (operands_.columns - unit * kUnitColumns) / 32);
  }

  __device__ std::uint32_t Stage(int unit) const {
    return stages_ + unit % kMatMulStages * stage_bytes_;
  }

  __device__ std::uint32_t StagedRow(int unit, int i) const {
    return Stage(unit) + (WarpRow() + Group() + 8 * i) * kWeightPitch;
  }

  // Behind all stages: for each step and pair of tokens of the unit at hand,
  // their scales and the sums of their quants.
  __device__ std::uint32_t TokenSums() const {
    return stages_ + kMatMulStages * stage_bytes_;
  }

  // The copies of a stage's image.
  __device__ BulkCopies ImageOf(int stage) const {
    return {TokenSums() + MatMulTilingOf<Block>().sum_bytes() +
                stage * kMatMulBarrierBytes,
            Thread(), Threads()};
  }

  __device__ void Fetch(int unit) {
    if (unit < units_) {
      const int steps = StepsOf(unit);
      const BulkCopies image = ImageOf(unit % kMatMulStages);
      const std::int64_t first = std::int64_t{unit} * kUnitSteps;
      const std::uint32_t to = Stage(unit) + image_at_;
      image.Expect(steps * (kTransposedBlockBytes + kTransposedScaleBytes));
      image.Copy(to, operands_.quants + first * kTransposedBlockBytes,
                 steps * kTransposedBlockBytes);
      image.Copy(to + kUnitSteps * kTransposedBlockBytes,
                 operands_.scales + first * kTransposedScaleBytes,
                 steps * kTransposedScaleBytes);
      FetchWeights(unit);
    }
    CommitCopies();
  }

  __device__ void FetchWeights(int unit) const {
    // Of warps that share their rows each copies a part.
    constexpr int kRows = kTileRows / kLayers;
    const int row = WarpRow() + static_cast<int>(threadIdx.z) * kRows;
    const RowsToStage<kRows> rows = {
        operands_.weights + row * operands_.weight_row_bytes +
            std::int64_t{unit} * kWeightBytes,
        operands_.weight_row_bytes, operands_.rows_left - row};
    const std::uint32_t to = Stage(unit) + row * kWeightPitch;
    if (unit != careful_unit_) {
      StageRows<Behind::kReadable, kWeightBytes, kWeightPitch>(to, rows,
                                                               kWeightBytes);
    } else {
      StageRows<Behind::kNothing, kWeightBytes, kWeightPitch>(
          to, rows, StepsOf(unit) * 32 / Block::kValues * int{sizeof(Block)});
    }
  }

  // By the whole thread block: once for all its rows.
  __device__ void SumTokens(int unit) const {
    const std::uint32_t image = Stage(unit) + image_at_;
    const std::uint32_t scales = image + kUnitSteps * kTransposedBlockBytes;
    const int pairs = StepsOf(unit) * kQ8_0TileTokens / 2;
    for (int i = Thread(); i < pairs; i += Threads()) {
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
    const std::uint8_t* rows[2];
    const std::uint32_t advance =
        static_cast<std::uint32_t>(unit) * kWeightBytes;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      rows[i] =
          Shared(StagedRow(unit, i) + (skews_[i] + advance) % kPieceBytes);
    }
    const std::uint32_t image = Stage(unit) + image_at_;
    if (unit != careful_unit_) {
#pragma unroll
      for (int step = 0; step < kUnitSteps; ++step) {
        MultiplyStep(rows, step, image);
      }
    } else {
      const int steps = StepsOf(unit);
#pragma unroll 1
      for (int step = 0; step < steps; ++step) MultiplyStep(rows, step, image);
    }
  }

  __device__ void MultiplyStep(const std::uint8_t* const (&rows)[2], int step,
                               std::uint32_t image) {
    const Lane lanes[2] = {LaneOf(rows[0], step), LaneOf(rows[1], step)};
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
    const std::uint32_t quants = image + step * kTransposedBlockBytes +
                                 lane / 8 % 2 * kTransposedHalfBytes +
                                 (first_token_ + lane / 16 * 8 + lane % 8) * 16;
    const std::uint8_t* image_scales =
        Shared(image + kUnitSteps * kTransposedBlockBytes +
               step * kTransposedScaleBytes) +
        (first_token_ + lane % 4 * 2) * sizeof(float);
    const std::uint8_t* scales_and_sums =
        Shared(TokenSums() + 2 * step * kTransposedScaleBytes) +
        (first_token_ + lane % 4 * 2) * sizeof(float2);
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
  int stage_bytes_;
  int image_at_;     // in a stage
  int first_token_;  // of the tile
  int units_;
  int careful_unit_;  // an uneven row's last, behind which may be no memory
  std::uint32_t skews_[2];  // of a lane's rows
  float sums_[kTokenTiles][4] = {};
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_TILE_CUH_
