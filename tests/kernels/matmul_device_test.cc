#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/matmul.h"
#include "kernels/quantize_q8_0.h"
#include "tests/kernels/device_formats.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

struct Shape {
  std::int64_t columns, rows, tokens;
  std::int64_t gap = 0;  // blocks between weight rows, floats between outputs
  std::int64_t offset = 0;  // bytes before the first weight
};

class MatMulOnDevice : public OnDevice,
                       public testing::WithParamInterface<DeviceFormat> {
 protected:
  const DeviceFormat& format() const { return GetParam(); }

  // Of `symbol` + format, on the device as on the host.
  void ExpectTheHostsBytes(const std::string& prefix, const Shape& shape,
                           const std::vector<std::uint8_t>& image) const {
    SCOPED_TRACE(testing::Message()
                 << prefix << shape.columns << " columns, " << shape.rows
                 << " rows, " << shape.tokens << " tokens");
    RandomFloats random(91);
    const std::int64_t stride =
        shape.columns / format().block_values + shape.gap;
    // Exactly as long as its rows, so that a read behind them is seen.
    const std::int64_t blocks = shape.rows * stride - shape.gap;
    std::vector<std::uint8_t> weights(static_cast<std::size_t>(shape.offset));
    const auto random_blocks = format().random(random, blocks);
    weights.insert(weights.end(), random_blocks.begin(), random_blocks.end());
    MatMulParams params{.columns = shape.columns,
                        .rows = shape.rows,
                        .weight_row_stride = stride,
                        .output_row_stride = shape.rows + shape.gap,
                        .tokens = shape.tokens};
    const std::int64_t size = shape.tokens * params.output_row_stride;
    std::vector<float> expected(static_cast<std::size_t>(size));
    DeviceArray<float> output(size);
    expected = output.Download();  // the poison between rows
    params.weights = weights.data() + shape.offset;
    params.image = image.data();
    params.output = expected.data();
    const std::string symbol = prefix + format().name;
    RunOnHost(symbol, params);
    const DeviceArray<std::uint8_t> device_weights(weights);
    const DeviceArray<std::uint8_t> device_image(image);
    params.weights = device_weights.data() + shape.offset;
    params.image = device_image.data();
    params.output = output.data();
    RunOnDevice(symbol, params);
    EXPECT_TRUE(SameBytes(output.Download(), expected));
    EXPECT_TRUE(output.guards_intact());
  }

  void ExpectTheHostsBytesInTiles(const Shape& shape) const {
    const std::vector<float> source = Source(shape);
    std::vector<std::uint8_t> image(static_cast<std::size_t>(
        TransposedImage(shape.columns, shape.tokens).bytes()));
    QuantizeTransposedHost(Quantize(shape, source, image));
    ExpectTheHostsBytes("reprise_matmul_", shape, image);
  }

  void ExpectTheHostsBytes(const Shape& shape) const {
    const std::vector<float> source = Source(shape);
    std::vector<std::uint8_t> image(
        static_cast<std::size_t>(Pad40Blocks(shape.columns, shape.tokens)) *
        sizeof(BlockQ8_0Pad40));
    QuantizePad40Host(Quantize(shape, source, image));
    ExpectTheHostsBytes("reprise_matmul_pad40_", shape, image);
    if (ReadsTransposedImage(format().name)) ExpectTheHostsBytesInTiles(shape);
  }

 private:
  static std::vector<float> Source(const Shape& shape) {
    return RandomFloats(92).Row(
        static_cast<std::size_t>(shape.columns * shape.tokens));
  }
  static QuantizeQ8_0Params Quantize(const Shape& shape,
                                     const std::vector<float>& source,
                                     std::vector<std::uint8_t>& image) {
    return {.source = source.data(),
            .image = image.data(),
            .columns = shape.columns,
            .tokens = shape.tokens,
            .row_stride = shape.columns};
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, MatMulOnDevice,
                         testing::ValuesIn(DeviceFormats()), NameOf);

TEST_P(MatMulOnDevice, GivesTheHostsBytesAtEveryNumberOfTokens) {
  for (const std::int64_t tokens : {1, 9, 63, 64, 65, 129}) {
    if (Sanitized() && tokens > 65) continue;
    ExpectTheHostsBytes({format().block_values * 2, 33, tokens});
    if (HasFailure()) return;
  }
}

TEST_P(MatMulOnDevice, GivesTheHostsBytesAtEveryLengthAndHeight) {
  for (const std::int64_t columns : {32, 64, 128, 160, 256, 512, 544, 1280}) {
    if (columns % format().block_values != 0) continue;
    for (const std::int64_t rows : {1, 15, 16, 17, 130}) {
      if (Sanitized() && (rows > 17 || columns > 544)) continue;
      ExpectTheHostsBytes({columns, rows, 10});
      if (HasFailure()) return;
    }
  }
}

TEST_P(MatMulOnDevice, ReadsRowsAtEveryAlignmentAndWithGaps) {
  const std::int64_t step = format().alignment();
  for (std::int64_t offset = 0; offset < 16; offset += step) {
    ExpectTheHostsBytes({format().block_values * 4, 18, 5, offset % 3, offset});
    if (HasFailure()) return;
  }
}

// 505 tokens and rows for each way in which thread blocks share them out: two
// warps of 32 tokens for each of two and of four sixteens of rows, and eight
// and four warps of 64.
TEST_P(MatMulOnDevice, GivesTheHostsBytesHoweverManyRowsABlockHas) {
  if (!ReadsTransposedImage(format().name)) return;
  for (const std::int64_t rows : {820, 1800, 3400, 4300}) {
    if (Sanitized() &&
        (rows != 3400 || std::string_view(format().name) != "q4_k"))
      continue;
    ExpectTheHostsBytesInTiles({Sanitized() ? 256 : 768, rows, 505});
    if (HasFailure()) return;
  }
  if (!Sanitized()) ExpectTheHostsBytesInTiles({2048, 300, 200});
}

// Rows at multiples of 4 and 8, so that the last unit of each ends within a
// piece.
TEST_P(MatMulOnDevice, ReadsLastUnitsThatEndWithinAPiece) {
  if (!ReadsTransposedImage(format().name)) return;
  for (const std::int64_t blocks : {3, 5, 14}) {
    ExpectTheHostsBytesInTiles({format().block_values * blocks, 20, 70});
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace reprise
