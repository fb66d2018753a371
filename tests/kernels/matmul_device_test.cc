#include <gtest/gtest.h>

#include <algorithm>
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
    const std::vector<std::uint8_t> weights = Weights(shape);
    DeviceArray<float> output(shape.tokens * (shape.rows + shape.gap));
    // With the poison between rows.
    std::vector<float> expected = output.Download();
    RunOnHost(prefix + format().name,
              Product(shape, weights.data(), image.data(), expected.data()));
    Multiply(prefix, shape, weights, image, output);
    EXPECT_TRUE(SameBytes(output.Download(), expected));
    EXPECT_TRUE(output.guards_intact());
  }

  // As many tokens as tell a thread block's way of working from another's; the
  // host multiplies only every 21st, which is a product of its own.
  void ExpectTheHostsBytesOfSomeTokens(const Shape& shape) const {
    SCOPED_TRACE(testing::Message()
                 << shape.columns << " columns, " << shape.rows << " rows");
    const std::vector<std::uint8_t> weights = Weights(shape);
    const std::vector<float> source = Source(shape);
    DeviceArray<float> output(shape.tokens * shape.rows);
    Multiply("reprise_matmul_", shape, weights,
             TransposedImageOf(shape, source), output);
    const std::vector<float> got = output.Download();
    Shape some = shape;
    some.tokens = 0;
    std::vector<float> some_source, some_got;
    for (std::int64_t token = 0; token < shape.tokens; token += 21) {
      AppendRow(source, token, shape.columns, some_source);
      AppendRow(got, token, shape.rows, some_got);
      ++some.tokens;
    }
    const std::vector<std::uint8_t> image =
        TransposedImageOf(some, some_source);
    std::vector<float> expected(some_got.size());
    RunOnHost("reprise_matmul_" + std::string(format().name),
              Product(some, weights.data(), image.data(), expected.data()));
    EXPECT_TRUE(SameBytes(some_got, expected));
    EXPECT_TRUE(output.guards_intact());
  }

  void ExpectTheHostsBytesInTiles(const Shape& shape) const {
    ExpectTheHostsBytes("reprise_matmul_", shape,
                        TransposedImageOf(shape, Source(shape)));
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
  // Exactly as long as their rows, so that a read behind them is seen.
  std::vector<std::uint8_t> Weights(const Shape& shape) const {
    RandomFloats random(91);
    const std::int64_t blocks =
        shape.rows * (shape.columns / format().block_values + shape.gap) -
        shape.gap;
    std::vector<std::uint8_t> weights(static_cast<std::size_t>(shape.offset));
    const auto random_blocks = format().random(random, blocks);
    weights.insert(weights.end(), random_blocks.begin(), random_blocks.end());
    return weights;
  }
  MatMulParams Product(const Shape& shape, const std::uint8_t* weights,
                       const std::uint8_t* image, float* output) const {
    return {
        .weights = weights + shape.offset,
        .image = image,
        .output = output,
        .columns = shape.columns,
        .rows = shape.rows,
        .weight_row_stride = shape.columns / format().block_values + shape.gap,
        .output_row_stride = shape.rows + shape.gap,
        .tokens = shape.tokens};
  }
  void Multiply(const std::string& prefix, const Shape& shape,
                const std::vector<std::uint8_t>& weights,
                const std::vector<std::uint8_t>& image,
                DeviceArray<float>& output) const {
    const DeviceArray<std::uint8_t> device_weights(weights);
    const DeviceArray<std::uint8_t> device_image(image);
    RunOnDevice(prefix + format().name,
                Product(shape, device_weights.data(), device_image.data(),
                        output.data()));
  }
  static std::vector<float> Source(const Shape& shape) {
    return RandomFloats(92).Row(
        static_cast<std::size_t>(shape.columns * shape.tokens));
  }
  static void AppendRow(const std::vector<float>& rows, std::int64_t row,
                        std::int64_t length, std::vector<float>& out) {
    const auto begin = rows.begin() + row * length;
    out.insert(out.end(), begin, begin + length);
  }
  static std::vector<std::uint8_t> TransposedImageOf(
      const Shape& shape, const std::vector<float>& source) {
    std::vector<std::uint8_t> image(static_cast<std::size_t>(
        TransposedImage(shape.columns, shape.tokens).bytes()));
    QuantizeTransposedHost(Quantize(shape, source, image));
    return image;
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
  const std::int64_t columns =
      3 * std::max<std::int64_t>(format().block_values, 128);
  for (const std::int64_t rows : {820, 1800, 3400, 4300}) {
    if (Sanitized() && std::string_view(format().name) != "q4_k") continue;
    ExpectTheHostsBytesOfSomeTokens({columns, rows, 505});
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
