// RMS normalisation of rows, with what often follows folded in, and optionally
// the image of the result (emission.h).
//
// Shapes   x [rows][columns] with a row stride; output [rows][columns] dense;
//          mul and add [rows][columns] with their own row strides, where stride
//          0 is one row for all; image of the output, one plane.
//          x may be the output itself (same first byte, dense rows). A row
//          has fewer than 2^30 columns.
// Cost     reads 4 bytes a value of x, mul and add, writes 4, and 36/32 a
//          padded value for the image.
// Formula  r = 1 / sqrt(sum(x * x) / columns + epsilon)
//          kPlain   x * r                   kMul     (x * r) * mul
//          kScale   (x * r) * scale         kMulAdd  ((x * r) * mul) + add
// Bytes    The sum's order is that of a thread block that reads the whole row:
//          thread t of RmsNormThreads adds columns t, t + threads, ..., then
//          warps add their lanes and the warps' totals in warp order
//          (warp_sum.h). Each product and sum is rounded on its own. However a
//          row is cut into slices, the bytes are the same.
// Symbols  reprise_rms_norm, reprise_rms_norm_mul, reprise_rms_norm_mul_add,
//          reprise_rms_norm_scale, and each with _emit and _emit_t
#ifndef REPRISE_KERNELS_RMS_NORM_H_
#define REPRISE_KERNELS_RMS_NORM_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/emission.h"
#include "kernels/launch_shape.h"

namespace reprise {

enum class RmsNormForm { kPlain, kMul, kMulAdd, kScale };

struct RmsNormParams {
  const float* x = nullptr;
  float* output = nullptr;     // emitting forms: null: floats not stored
  void* image = nullptr;       // emitting forms only
  const float* mul = nullptr;  // kMul and kMulAdd only
  const float* add = nullptr;  // kMulAdd only
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t x_row_stride = 0;
  std::int64_t mul_row_stride = 0;
  std::int64_t add_row_stride = 0;
  float epsilon = 0;
  float scale = 1;  // kScale only
};
static_assert(sizeof(RmsNormParams) == 88);

inline constexpr std::uint32_t kRmsNormMinThreads = 512;
inline constexpr std::uint32_t kRmsNormMaxThreads = 1024;
inline constexpr std::int64_t kRmsNormMaxSlices = 8;
// About the multiprocessors of a large device.
inline constexpr std::int64_t kRmsNormSlicedBlocks = 128;

// A short row would leave most of a large block idle.
constexpr std::uint32_t RmsNormThreads(std::int64_t columns) {
  return columns < kRmsNormMaxThreads ? kRmsNormMinThreads : kRmsNormMaxThreads;
}

// How many thread blocks share a row. Each of them reads all of it and makes
// the same sum, but normalizes, stores and emits only its slice: a decode step
// has one row, and a second block for it costs less than a second turn of the
// first. A turn is the columns that a block's threads take at once, 1024 of
// them, so that a block of the image and the padding lie in one turn; turn k is
// in slice k mod slices. Rows that fill the device are not cut, nor is a row
// that its own output replaces, of which other blocks might have still to read.
constexpr std::uint32_t RmsNormSlices(const RmsNormParams& params) {
  const std::int64_t turns = GroupsOf(kRmsNormMaxThreads, params.columns);
  if (turns < 2 || params.x == params.output || params.rows <= 0) return 1;
  const std::int64_t room = kRmsNormSlicedBlocks / params.rows;
  if (room < 2) return 1;
  const std::int64_t most = room < kRmsNormMaxSlices ? room : kRmsNormMaxSlices;
  return GroupsOf(GroupsOf(most, turns), turns);
}

// Shared memory holds one total a warp.
constexpr LaunchShape RmsNormShape(const RmsNormParams& params) {
  return {{Extent(params.rows), RmsNormSlices(params), 1},
          {RmsNormThreads(params.columns), 1, 1},
          kWarpThreads * sizeof(float)};
}

void RmsNormHost(RmsNormForm form, Emission emission,
                 const RmsNormParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_RMS_NORM_H_
