// How a quantized activation lies in memory: all that anybody but the kernels
// knows of it. An image is a function of the values of its rows alone, in what
// order they come (a routed quantizer picks them by numbers in memory), and of
// its layout; so two are the same where rows and layout are, and an image in
// one layout is never made from one in another.
//
//   q8_1          row after row, a block of 36 bytes for 32 values: half scale,
//                 half sum, 32 int8. A row is padded to 512 values.
//   d4, ds4, d2s6 ggml-cuda's for many tokens: a block of 144 bytes for 128
//                 values, 16 bytes of scales (d4: four floats; ds4: four pairs
//                 of half scale and half sum; d2s6: two half scales, six half
//                 sums) and 128 int8; block k of column c is number
//                 k * columns + c. A row is padded to 512 values.
//   q8_0_pad40    a block of 40 bytes for 32 values, row after row: 32 int8,
//                 the float scale, 4 zero bytes; so that every block, and the
//                 int8 in it, can be loaded by 8 bytes.
//   q8_0_pad40_t  the same numbers for tiles of 64 rows, in two planes. First
//                 the int8, [rows / 64][K / 32][2048], and right behind them
//                 the float scales, [rows / 64][K / 32][64]; more in
//                 kernels/image_q8_0.h.
//
// Padding is written: zero values and zero scales, in the tail of a row and in
// rows up to the next multiple of 64 of the last two, so that a kernel writes
// and reads whole tiles. No reader has to ask how many rows are real.
#ifndef REPRISE_GRAPH_IMAGE_LAYOUT_H_
#define REPRISE_GRAPH_IMAGE_LAYOUT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace reprise {

enum class ImageLayout : std::uint8_t {
  kQ8_1,
  kD4,
  kDs4,
  kD2s6,
  kQ8_0Pad40,
  kQ8_0Pad40Tiles,
};

struct ImageLayoutInfo {
  absl::string_view name;
  std::int64_t block_values;
  std::int64_t block_bytes;  // of all planes
  std::int64_t row_values;   // a row is padded to a multiple of these
  std::int64_t rows;         // and the rows to a multiple of that
};

const ImageLayoutInfo& InfoOf(ImageLayout layout);
std::optional<ImageLayout> FindImageLayout(absl::string_view name);

// Bytes of the image of that many rows of `columns` values, padding included.
std::int64_t ImageBytes(ImageLayout layout, std::int64_t rows,
                        std::int64_t columns);

}  // namespace reprise

#endif  // REPRISE_GRAPH_IMAGE_LAYOUT_H_
