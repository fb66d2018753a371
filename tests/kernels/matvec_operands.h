// Weights and images on the device for tests of the matrix kernels, with the
// rows that they stand for beside them.
//
// Rows lie as the test says, with 0xFF bytes before the first, between rows and
// between matrices: a scale that is read there is a NaN. Behind the last row
// the allocation ends, where compute-sanitizer sees a read.
#ifndef REPRISE_TESTS_KERNELS_MATVEC_OPERANDS_H_
#define REPRISE_TESTS_KERNELS_MATVEC_OPERANDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/block_q8_1.h"
#include "kernels/half.h"
#include "kernels/quantize_q8_1.h"
#include "tests/kernels/device_formats.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/slow_dot.h"

namespace reprise {

struct RowLayout {
  std::int64_t matrices = 1;
  std::int64_t rows = 1;    // of a matrix
  std::int64_t gap = 0;     // blocks after each row and after each matrix
  std::int64_t offset = 0;  // bytes before the first row
};

// Rows of `blocks` blocks of `block_bytes` bytes.
struct RowPlaces {
  RowLayout layout;
  std::int64_t blocks;
  std::int64_t block_bytes;

  std::int64_t row_stride() const { return blocks + layout.gap; }
  std::int64_t matrix_stride() const {
    return layout.rows * row_stride() + layout.gap;
  }
  std::int64_t row_bytes() const { return blocks * block_bytes; }
  std::int64_t RowOf(std::int64_t matrix, std::int64_t row) const {
    return matrix * layout.rows + row;
  }
  std::int64_t ByteOf(std::int64_t matrix, std::int64_t row) const {
    return layout.offset +
           block_bytes * (matrix * matrix_stride() + row * row_stride());
  }

  // `dense` holds the rows one after the other.
  std::vector<std::uint8_t> Spread(const std::uint8_t* dense) const {
    const std::int64_t last = ByteOf(layout.matrices - 1, layout.rows - 1);
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(last + row_bytes()), 0xFF);
    for (std::int64_t m = 0; m < layout.matrices; ++m) {
      for (std::int64_t r = 0; r < layout.rows; ++r) {
        std::memcpy(bytes.data() + ByteOf(m, r),
                    dense + RowOf(m, r) * row_bytes(),
                    static_cast<std::size_t>(row_bytes()));
      }
    }
    return bytes;
  }
};

// Random weights.
class DeviceWeights {
 public:
  DeviceWeights(const DeviceFormat& format, std::int64_t columns,
                const RowLayout& layout)
      : DeviceWeights(format, columns, layout, [&] {
          RandomFloats random(12);
          return format.random(random, layout.matrices * layout.rows * columns /
                                           format.block_values);
        }()) {}

  // Where a row begins.
  const std::uint8_t* at(std::int64_t matrix, std::int64_t row) const {
    return bytes_.data() + places_.ByteOf(matrix, row);
  }
  const SlowRow& row(std::int64_t matrix, std::int64_t row) const {
    return rows_[static_cast<std::size_t>(places_.RowOf(matrix, row))];
  }
  std::int64_t row_stride() const { return places_.row_stride(); }
  std::int64_t matrix_stride() const { return places_.matrix_stride(); }

  // Gives one block of each row named a scale that is no number. False, and
  // nothing happens, where the format has no such scale.
  bool Spoil(const std::vector<std::int64_t>& rows, float scale) {
    for (const std::int64_t row : rows) {
      const std::int64_t block = places_.blocks / 2;
      if (!format_.spoil(host_.data() + places_.ByteOf(0, row) +
                             block * places_.block_bytes,
                         scale)) {
        return false;
      }
    }
    bytes_.Upload(host_);
    return true;
  }

  // Fills a matrix with 0xFF bytes.
  void Poison(std::int64_t matrix) {
    std::fill_n(host_.begin() + places_.ByteOf(matrix, 0),
                places_.ByteOf(matrix, places_.layout.rows - 1) +
                    places_.row_bytes() - places_.ByteOf(matrix, 0),
                std::uint8_t{0xFF});
    bytes_.Upload(host_);
  }

 private:
  DeviceWeights(const DeviceFormat& format, std::int64_t columns,
                const RowLayout& layout, const std::vector<std::uint8_t>& dense)
      : format_(format),
        places_{layout, columns / format.block_values, format.block_bytes},
        host_(places_.Spread(dense.data())),
        bytes_(host_) {
    for (std::int64_t r = 0; r < layout.matrices * layout.rows; ++r) {
      rows_.push_back(
          format.row(dense.data() + r * places_.row_bytes(), columns));
    }
  }

  DeviceFormat format_;
  RowPlaces places_;
  std::vector<std::uint8_t> host_;
  DeviceArray<std::uint8_t> bytes_;
  std::vector<SlowRow> rows_;
};

// Blocks of an image, row after row.
using ImageBlocks = std::vector<BlockQ8_1>;

// What the quantizer makes of random floats.
inline ImageBlocks RandomImage(std::int64_t columns, std::int64_t rows) {
  RandomFloats random(13);
  ImageBlocks image;
  ImageBlocks row(static_cast<std::size_t>(ImageRowBlocks(columns)));
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto values = random.Row(static_cast<std::size_t>(columns));
    QuantizeRowQ8_1(values.data(), columns, row.data());
    image.insert(image.end(), row.begin(),
                 row.begin() + columns / kImageBlockValues);
  }
  return image;
}

// Every sum is a NaN on the device: no matrix kernel reads it.
class DeviceImage {
 public:
  DeviceImage(std::int64_t columns, const RowLayout& layout, ImageBlocks blocks)
      : places_{layout, columns / kImageBlockValues, sizeof(BlockQ8_1)},
        blocks_(WithoutSums(std::move(blocks))),
        bytes_(places_.Spread(
            reinterpret_cast<const std::uint8_t*>(blocks_.data()))) {}
  DeviceImage(std::int64_t columns, const RowLayout& layout)
      : DeviceImage(columns, layout,
                    RandomImage(columns, layout.matrices * layout.rows)) {}

  const BlockQ8_1* at(std::int64_t matrix, std::int64_t row) const {
    return reinterpret_cast<const BlockQ8_1*>(bytes_.data() +
                                              places_.ByteOf(matrix, row));
  }
  // On the host.
  const BlockQ8_1* row(std::int64_t matrix, std::int64_t row) const {
    return blocks_.data() + places_.RowOf(matrix, row) * places_.blocks;
  }
  std::int64_t row_stride() const { return places_.row_stride(); }
  std::int64_t matrix_stride() const { return places_.matrix_stride(); }

 private:
  static ImageBlocks WithoutSums(ImageBlocks blocks) {
    for (BlockQ8_1& block : blocks) block.sum = kHalfNan;
    return blocks;
  }

  RowPlaces places_;
  ImageBlocks blocks_;
  DeviceArray<std::uint8_t> bytes_;
};

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_MATVEC_OPERANDS_H_
