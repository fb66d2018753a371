// Where the warps of a producer put the image of one row of its output, a block
// of 32 columns a warp: one type for each form of emission.
//
//   Padded(columns)           the columns that warps have to come by
//   Put(value, lane, column)  the lane's value of that block; 0 past the row
//
// All lanes of a warp call Put together.
#ifndef REPRISE_KERNELS_IMAGE_ROW_CUH_
#define REPRISE_KERNELS_IMAGE_ROW_CUH_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/emission.h"
#include "kernels/image_q8_0.h"
#include "kernels/quantize_warp.cuh"

namespace reprise {

// `row` of `rows` rows; `image` is the first byte of them all.
template <Emission kEmission>
struct ImageRow;

template <>
struct ImageRow<Emission::kPlain> {
  static constexpr bool kWritten = false;

  __device__ ImageRow(void*, std::int64_t, std::int64_t, std::int64_t) {}
  __device__ static int Padded(int columns) { return columns; }
};

template <>
struct ImageRow<Emission::kEmit> {
  static constexpr bool kWritten = true;
  BlockQ8_1* blocks;

  __device__ ImageRow(void* image, std::int64_t row, std::int64_t,
                      std::int64_t columns)
      : blocks(static_cast<BlockQ8_1*>(image) + row * ImageRowBlocks(columns)) {
  }
  __device__ static int Padded(int columns) {
    return static_cast<int>(PaddedColumns(columns));
  }
  __device__ void Put(float value, unsigned lane, int column) const {
    QuantizeWarp(value, lane, blocks + column / kImageBlockValues);
  }
};

// Row r also writes the padding rows r + rows, r + 2 rows and so on, so that
// all rows have about as many.
template <>
struct ImageRow<Emission::kEmitTransposed> {
  static constexpr bool kWritten = true;
  std::uint8_t* image;
  TransposedImage places;
  std::int64_t row;
  std::int64_t rows;

  __device__ ImageRow(void* to, std::int64_t which, std::int64_t count,
                      std::int64_t columns)
      : image(static_cast<std::uint8_t*>(to)),
        places(columns, count),
        row(which),
        rows(count) {}
  __device__ static int Padded(int columns) {
    return static_cast<int>(Q8_0Blocks(columns)) * kQ8_0Values;
  }
  __device__ void Put(float value, unsigned lane, int column) const {
    const int block = column / kQ8_0Values;
    const WarpQuant quant = QuantOfWarp(value);
    Store(quant.quant, quant.scale, lane, row, block);
    const std::int64_t padded = places.tiles * kQ8_0TileTokens;
    for (std::int64_t token = row + rows; token < padded; token += rows) {
      Store(0, 0, lane, token, block);
    }
  }

 private:
  __device__ void Store(int quant, float scale, unsigned lane,
                        std::int64_t token, int block) const {
    image[places.QuantsAt(token, block) + lane / 16 * kTransposedHalfBytes +
          lane % 16] = static_cast<std::uint8_t>(quant);
    if (lane == 0) {
      *reinterpret_cast<float*>(image + places.ScaleAt(token, block)) = scale;
    }
  }
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_IMAGE_ROW_CUH_
