// The body of the matrix kernels that take a token at a time: rows of quantized
// weights times one image row.
//
// A lane multiplies 32 columns of four rows, four bytes at a time, and keeps
// their sums while its warp walks along the rows (matvec_row_tiling.h). At the
// end the lanes' sums are added in a fixed order.
#ifndef REPRISE_KERNELS_MATVEC_ROWS_CUH_
#define REPRISE_KERNELS_MATVEC_ROWS_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"
#include "kernels/block_lanes_32.cuh"
#include "kernels/block_lanes_iq.cuh"
#include "kernels/block_lanes_k.cuh"
#include "kernels/block_q8_1.h"
#include "kernels/byte_words.cuh"
#include "kernels/lane_scales.cuh"
#include "kernels/matvec_row_tiling.h"
#include "kernels/programmatic.cuh"
#include "kernels/shared_address.cuh"

namespace reprise {

// Where a warp's operands lie and where its values go.
struct RowOperands {
  const std::uint8_t* weights;  // of the first row
  std::int64_t weight_row_bytes;
  const std::uint8_t* image;
  float* output;  // of the first row
  int columns;
  int rows_left;  // in the matrix, from the first row on; may be none
};

// 32 columns of the image: words 0..3 and 4..7 are its sixteens.
struct LaneImage {
  int words[8];
  int low_sum = 0;
  int high_sum = 0;
  float scale;

  __device__ explicit LaneImage(const std::uint8_t* block)
      : scale(HalfBits(Word4(block))) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      words[i] = static_cast<int>(Word4(block + 4 + 4 * i));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      low_sum = __dp4a(words[i], 0x01010101, low_sum);
      high_sum = __dp4a(words[4 + i], 0x01010101, high_sum);
    }
  }
};

// The product of the image with 32 columns of weights, the image's scale aside.
template <typename Block>
__device__ float LaneDot(BlockLane<Block> lane, int step,
                         const LaneImage& image) {
  using Lane = BlockLane<Block>;
  int low = -Lane::kCenter * image.low_sum;
  int high = -Lane::kCenter * image.high_sum;
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    lane.t = t;
    const WordPair words = lane.Words(step);
    low = __dp4a(static_cast<int>(words.low), image.words[t], low);
    high = __dp4a(static_cast<int>(words.high), image.words[4 + t], high);
  }
  return ScaledDot(StepScales(lane, step), low, high, image.low_sum,
                   image.high_sum);
}

template <typename Block>
class RowWarp {
 public:
  // A run of chunks of kWarpRows rows. `stages` is the shared address of the
  // warp's own stages.
  __device__ RowWarp(const RowOperands& operands, int first_chunk,
                     int last_chunk, std::uint32_t stages,
                     const std::uint32_t* grid)
      : row_stride_(operands.weight_row_bytes),
        rows_(min(kWarpRows, operands.rows_left)),
        stages_(Opaque(stages)),
        grid_(grid) {
    const int row_bytes =
        operands.columns / Block::kValues * int{sizeof(Block)};
    const std::uint32_t first_skew = Skew(operands.weights);
    row_skew_ = static_cast<std::uint32_t>(row_stride_) % kPieceBytes;
    even_ = row_skew_ == 0 && (first_skew + row_bytes) % kPieceBytes == 0;
    even_rows_ = even_ && rows_ == kWarpRows;
    last_row_ = operands.rows_left - 1;

    next_ = operands.weights + std::int64_t{first_chunk} * kChunkBytes;
    bytes_left_ =
        min(row_bytes, last_chunk * kChunkBytes) - first_chunk * kChunkBytes;
    skew_ = Skew(next_);
    first_column_ = first_chunk * kChunkColumns;
    columns_ =
        min(operands.columns, last_chunk * kChunkColumns) - first_column_;
  }

  // Starts to stage the first chunks.
  __device__ void Start() {
#pragma unroll 1
    for (int slot = 0; slot < kStages * kStageBytes; slot += kStageBytes) {
      Fetch(slot);
    }
  }

  // `image` is the shared address of the image row.
  __device__ void Multiply(std::uint32_t image) {
    image += first_column_ / kImageBlockValues * int{sizeof(BlockQ8_1)};
    if (even_) {
      MultiplyChunks<true>(image);
    } else {
      MultiplyChunks<false>(image);
    }
  }

  // Adds each row's sums over the lanes. Halves of the warp trade rows until a
  // lane is left with one, then the lanes of a row add up. The first of the
  // 32 / kWarpRows lanes of row r has its sum.
  __device__ float SumOfLanes() {
    int offset = int{kWarpThreads} / 2;
#pragma unroll
    for (int rows = kWarpRows / 2; rows > 0; rows /= 2) {
      const bool upper = (threadIdx.x & offset) != 0;
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        const float given = upper ? sums_[i] : sums_[rows + i];
        const float kept = upper ? sums_[rows + i] : sums_[i];
        sums_[i] = kept + __shfl_xor_sync(0xFFFFFFFF, given, offset);
      }
      offset /= 2;
    }
#pragma unroll
    for (; offset > 0; offset /= 2) {
      sums_[0] += __shfl_xor_sync(0xFFFFFFFF, sums_[0], offset);
    }
    return sums_[0];
  }

 private:
  static constexpr int kSteps = Block::kValues / 32;
  static constexpr int kStages = RowStages<Block>();
  static constexpr int kPitch = StagedRowBytes<Block>();
  static constexpr int kStageBytes = kWarpRows * kPitch;
  static constexpr int kChunkBytes =
      kChunkColumns / Block::kValues * int{sizeof(Block)};
  static constexpr int kCopyBytes = kPieceBytes * int{kWarpThreads};

  __device__ BlockLane<Block> LaneAt(const std::uint8_t* block) const {
    BlockLane<Block> lane;
    lane.block = block;
    lane.t = 0;
    if constexpr (BlockLane<Block>::kGridWords > 0) lane.grid = grid_;
    return lane;
  }

  template <bool kEven>
  __device__ void MultiplyChunks(std::uint32_t image) {
    std::uint32_t lane_image =
        Opaque(image + int{sizeof(BlockQ8_1)} * threadIdx.x);
    const std::uint32_t lane_block =
        Opaque(stages_ + threadIdx.x / kSteps * int{sizeof(Block)});
    const int lane_column = 32 * static_cast<int>(threadIdx.x);
    std::uint32_t skew = skew_;
    int slot = 0;
#pragma unroll 1
    for (int left = columns_; left > 0; left -= kChunkColumns) {
      AwaitCopies<kStages - 1>();
      __syncwarp();
      if (lane_column < left) {
        MultiplyChunk<kEven>(lane_block + slot, skew, lane_image);
      }
      if constexpr (kChunkBytes % kPieceBytes != 0) {
        skew = (skew + kChunkBytes) % kPieceBytes;
      }
      lane_image += kChunkColumns / kImageBlockValues * sizeof(BlockQ8_1);
      __syncwarp();
      Fetch(slot);
      slot = slot == (kStages - 1) * kStageBytes ? 0 : slot + kStageBytes;
    }
  }

  template <bool kEven>
  __device__ void MultiplyChunk(std::uint32_t lane_block, std::uint32_t skew,
                                std::uint32_t lane_image) {
    const LaneImage image(Shared(lane_image));
    const std::uint8_t* block = Shared(lane_block + skew);
#pragma unroll
    for (int i = 0; i < kWarpRows; ++i) {
      const float dot =
          LaneDot<Block>(LaneAt(block), threadIdx.x % kSteps, image);
      sums_[i] = __fmaf_rn(image.scale, dot, sums_[i]);
      if constexpr (kEven) {
        block += kPitch;
      } else {
        const std::uint32_t next = (skew + row_skew_) % kPieceBytes;
        block += kPitch + static_cast<int>(next - skew);
        skew = next;
      }
    }
  }

  // Starts to stage the next chunk of the rows, if there is one.
  __device__ void Fetch(int slot) {
    if (bytes_left_ >= kChunkBytes && even_rows_) {
      FetchEven<true>(slot);
    } else if (bytes_left_ > 0) {
      if (even_) {
        FetchEven<false>(slot);
      } else {
        FetchUneven(slot);
      }
    }
    next_ += kChunkBytes;
    bytes_left_ -= kChunkBytes;
    CommitCopies();
  }

  // All rows have one skew and end with a whole piece, so that a lane copies
  // the same pieces of each. kWhole: there are four rows and a whole chunk.
  template <bool kWhole>
  __device__ void FetchEven(int slot) const {
    const int lane = kPieceBytes * static_cast<int>(threadIdx.x);
    const int lane_piece =
        lane - (kChunkBytes % kPieceBytes == 0 ? static_cast<int>(skew_)
                                               : static_cast<int>(Skew(next_)));
    const std::uint8_t* from = next_ + lane_piece;
    const std::uint32_t to = stages_ + slot + lane;
    const int bytes = kWhole ? kChunkBytes : min(bytes_left_, kChunkBytes);
#pragma unroll
    for (int i = 0; i < kWarpRows; ++i) {
#pragma unroll
      for (int at = 0; at < kPitch; at += kCopyBytes) {
        const bool every_lane = kWhole && at + kCopyBytes <= kChunkBytes;
        if (every_lane || (lane_piece + at < bytes && (kWhole || i < rows_))) {
          CopyPiece<Reuse::kNone>(to + i * kPitch + at, from + at);
        }
      }
      from += row_stride_;
    }
  }

  // Any skew. Behind the last row there may be no memory: it is copied byte by
  // byte.
  __device__ void FetchUneven(int slot) const {
    const int bytes = min(bytes_left_, kChunkBytes);
    const std::uint8_t* from = next_;
#pragma unroll 1
    for (int i = 0; i < rows_; ++i) {
      const int skew = static_cast<int>(Skew(from));
      const std::uint32_t to = stages_ + slot + i * kPitch;
      if (i == last_row_) {
#pragma unroll 1
        for (int at = threadIdx.x; at < bytes; at += int{kWarpThreads}) {
          *Shared(to + skew + at) = from[at];
        }
      } else {
#pragma unroll 1
        for (int at = kPieceBytes * threadIdx.x; at < skew + bytes;
             at += kCopyBytes) {
          CopyPiece<Reuse::kNone>(to + at, from - skew + at);
        }
      }
      from += row_stride_;
    }
  }

  const std::int64_t row_stride_;
  const int rows_;
  const std::uint32_t stages_;
  const std::uint32_t* const grid_;
  const std::uint8_t* next_;  // the first row's chunk that is staged next
  int bytes_left_;            // of the run of each row, from there on
  int first_column_;
  int columns_;             // of the run
  std::uint32_t skew_;      // of the first row's first chunk
  std::uint32_t row_skew_;  // how a row's skew differs from the one before
  bool even_;
  bool even_rows_;  // and four
  int last_row_;    // of the matrix
  float sums_[kWarpRows] = {};
};

// Stages an image row by all threads of a block. `to` is a multiple of 16 with
// StagedImageBytes behind it. Returns where the row begins.
__device__ inline std::uint32_t StartImage(std::uint32_t to,
                                           const std::uint8_t* image,
                                           int columns) {
  const int bytes = columns / kImageBlockValues * int{sizeof(BlockQ8_1)};
  const int skew = static_cast<int>(Skew(image));
  const int warp = threadIdx.z * blockDim.y + threadIdx.y;
  const int thread = warp * int{kWarpThreads} + threadIdx.x;
  const int threads = blockDim.y * blockDim.z * kWarpThreads;
  if (skew == 0 && bytes % kPieceBytes == 0) {
#pragma unroll 1
    for (int at = kPieceBytes * thread; at < bytes;
         at += kPieceBytes * threads) {
      CopyPiece<Reuse::kByOthers>(to + at, image + at);
    }
  } else {
#pragma unroll 1
    for (int at = 4 * thread; at < bytes; at += 4 * threads) {
      *reinterpret_cast<std::uint32_t*>(Shared(to + skew + at)) =
          Word4(image + at);
    }
  }
  return to + skew;
}

// The rows of a thread block. `shared` is the address of RowSharedBytes.
// Nothing is read before the wait.
template <typename Block>
__device__ void MultiplyRows(const RowOperands& operands, int chunks_per_warp,
                             std::uint32_t shared, const std::uint32_t* grid) {
  constexpr std::uint32_t kStagesBytes = RowStagesBytes<Block>();
  const int first_chunk = threadIdx.y * chunks_per_warp;
  const std::uint32_t warp_stages =
      shared + StagedImageBytes(operands.columns) +
      (threadIdx.z * blockDim.y + threadIdx.y) * kStagesBytes;
  RowWarp<Block> warp(operands, first_chunk, first_chunk + chunks_per_warp,
                      warp_stages, grid);
  WaitForPrimaries();
  const std::uint32_t image =
      StartImage(shared, operands.image, operands.columns);
  CommitCopies();
  warp.Start();
  AwaitCopies<RowStages<Block>()>();
  __syncthreads();
  warp.Multiply(image);
  float sum = warp.SumOfLanes();

  constexpr int kLanesOfRow = int{kWarpThreads} / kWarpRows;
  const int row = threadIdx.x / kLanesOfRow;
  const bool has_row = threadIdx.x % kLanesOfRow == 0;
  if (blockDim.y > 1) {
    // Each warp's stages are free now; the first one gets the others' sums.
    float* sums = reinterpret_cast<float*>(Shared(warp_stages));
    if (has_row) sums[row] = sum;
    __syncthreads();
    if (threadIdx.y != 0) return;
#pragma unroll 1
    for (int i = 1; i < static_cast<int>(blockDim.y); ++i) {
      sums += kStagesBytes / sizeof(float);
      sum += sums[row];
    }
  }
  if (has_row && row < operands.rows_left) operands.output[row] = sum;
}

// Asks for the first weights of a warp's rows, before anything may be read.
// More would push out of the cache what others asked for.
template <typename Block>
__device__ void PrefetchRows(const RowOperands& operands) {
  constexpr std::int64_t kBytes = 4 * 1024;
  if (threadIdx.x != 0 || threadIdx.y != 0 || operands.rows_left <= 0) return;
  const int last = min(kWarpRows, operands.rows_left) - 1;
  const std::int64_t bytes =
      last * operands.weight_row_bytes +
      operands.columns / Block::kValues * int{sizeof(Block)};
  PrefetchToL2(operands.weights, min(bytes, kBytes));
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATVEC_ROWS_CUH_
