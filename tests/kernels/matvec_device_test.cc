#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/half.h"
#include "kernels/matvec.h"
#include "kernels/rms_norm.h"
#include "tests/kernels/device_formats.h"
#include "tests/kernels/matvec_operands.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Layout {
  std::int64_t gap = 0;  // blocks or floats after each row and each plane
  std::int32_t planes = 1;
  std::int32_t weight_share = 1;
  std::int64_t weight_offset = 0;  // bytes before the first row
  std::int64_t image_offset = 0;
};

// Runs the kernel twice into poisoned memory; gives what it left there.
std::vector<float> OutputOf(const DeviceFormat& format, MatVecParams params) {
  DeviceArray<float> output((params.planes - 1) * params.output_plane_stride +
                            (params.tokens - 1) * params.output_row_stride +
                            params.rows);
  params.output = output.data();
  RunOnDevice(format.symbol(), params);
  std::vector<float> values = output.Download();
  EXPECT_TRUE(output.guards_intact());
  RunOnDevice(format.symbol(), params);
  EXPECT_TRUE(SameBytes(output.Download(), values)) << "a second run";
  return values;
}

// Random weights, images, and what their products must be near to.
class Problem {
 public:
  Problem(const DeviceFormat& format, std::int64_t columns, std::int64_t rows,
          std::int32_t tokens, const Layout& layout, ImageBlocks image)
      : format_(format),
        columns_(columns),
        rows_(rows),
        tokens_(tokens),
        layout_(layout),
        weights_(format, columns,
                 {.matrices = (layout.planes - 1) / layout.weight_share + 1,
                  .rows = rows,
                  .gap = layout.gap,
                  .offset = layout.weight_offset}),
        image_(columns,
               {.matrices = layout.planes,
                .rows = tokens,
                .gap = layout.gap,
                .offset = layout.image_offset},
               std::move(image)) {
    for (std::int32_t p = 0; p < layout.planes; ++p) {
      for (std::int32_t t = 0; t < tokens; ++t) {
        for (std::int64_t r = 0; r < rows; ++r) {
          dots_.push_back(DotOf(weights_.row(p / layout.weight_share, r),
                                image_.row(p, t)));
        }
      }
    }
  }
  Problem(const DeviceFormat& format, std::int64_t columns, std::int64_t rows,
          std::int32_t tokens, const Layout& layout = {})
      : Problem(format, columns, rows, tokens, layout,
                RandomImage(columns, layout.planes * tokens)) {}

  DeviceWeights& weights() { return weights_; }

  // The last `rows` rows of each plane with its last `tokens` tokens, so that
  // both inputs end where their allocation does.
  MatVecParams Params(std::int64_t rows, std::int32_t tokens) const {
    MatVecParams params{.weights = weights_.at(0, rows_ - rows),
                        .image = image_.at(0, tokens_ - tokens),
                        .columns = columns_,
                        .rows = rows,
                        .weight_row_stride = weights_.row_stride(),
                        .image_row_stride = image_.row_stride(),
                        .output_row_stride = rows + layout_.gap,
                        .weight_plane_stride = weights_.matrix_stride(),
                        .image_plane_stride = image_.matrix_stride(),
                        .tokens = tokens,
                        .planes = layout_.planes,
                        .weight_share = layout_.weight_share};
    params.output_plane_stride =
        tokens * params.output_row_stride + layout_.gap;
    return params;
  }
  MatVecParams Params() const { return Params(rows_, tokens_); }

  bool Fits(std::int64_t rows, std::int32_t tokens) const {
    return FitsOnDevice(format_.symbol(), Params(rows, tokens));
  }

  void ExpectNearTheProduct(std::int64_t rows, std::int32_t tokens) const {
    SCOPED_TRACE(testing::Message() << columns_ << " columns, " << rows
                                    << " rows, " << tokens << " tokens");
    const MatVecParams params = Params(rows, tokens);
    const std::vector<float> output = OutputOf(format_, params);
    for (std::int32_t p = 0; p < params.planes; ++p) {
      for (std::int32_t t = 0; t < tokens; ++t) {
        for (std::int64_t r = 0; r < rows; ++r) {
          const SlowDot& dot = DotAt(p, tokens_ - tokens + t, rows_ - rows + r);
          const float value = output[static_cast<std::size_t>(
              p * params.output_plane_stride + t * params.output_row_stride +
              r)];
          ASSERT_NEAR(value, dot.value, dot.bound)
              << "plane " << p << " token " << t << " row " << r;
        }
      }
    }
    // All others are poison: a NaN.
    EXPECT_EQ(std::count_if(output.begin(), output.end(),
                            [](float value) { return !std::isnan(value); }),
              params.planes * tokens * rows)
        << "wrote between rows";
  }
  void ExpectNearTheProduct() const { ExpectNearTheProduct(rows_, tokens_); }

 private:
  const SlowDot& DotAt(std::int64_t plane, std::int64_t token,
                       std::int64_t row) const {
    return dots_[static_cast<std::size_t>((plane * tokens_ + token) * rows_ +
                                          row)];
  }

  DeviceFormat format_;
  std::int64_t columns_, rows_;
  std::int32_t tokens_;
  Layout layout_;
  DeviceWeights weights_;
  DeviceImage image_;
  std::vector<SlowDot> dots_;
};

class MatVecOnDevice : public OnDevice,
                       public testing::WithParamInterface<DeviceFormat> {
 protected:
  const DeviceFormat& format() const { return GetParam(); }

  // Those of `lengths` that are whole blocks.
  std::vector<std::int64_t> Whole(std::vector<std::int64_t> lengths) const {
    std::erase_if(lengths, [this](std::int64_t columns) {
      return columns % format().block_values != 0;
    });
    return lengths;
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, MatVecOnDevice,
                         testing::ValuesIn(DeviceFormats()), NameOf);

std::vector<std::int64_t> Lengths() {
  if (Sanitized()) return {32, 256, 288, 1280};
  return {32,   64,   96,   128,  256,  288,  512,  544,   768,   896,
          1024, 1056, 2048, 2560, 2880, 4096, 5120, 11008, 14336, 65536};
}

// About the edges of a thread block's rows.
constexpr std::int64_t kHeights[] = {1, 3, 4, 5, 15, 16, 17, 31, 33};

TEST_P(MatVecOnDevice, IsNearTheDequantizedProductAtEveryLength) {
  std::size_t next_height = 0;
  for (const std::int64_t columns : Whole(Lengths())) {
    const Problem problem(format(), columns, 33, kMatVecMaxTokens);
    const std::int32_t step = Sanitized() ? 3 : 1;
    for (std::int32_t tokens = 1; tokens <= kMatVecMaxTokens; tokens += step) {
      const std::int64_t rows = kHeights[next_height++ % std::size(kHeights)];
      if (!problem.Fits(rows, tokens)) continue;
      problem.ExpectNearTheProduct(rows, tokens);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(MatVecOnDevice, IsNearTheDequantizedProductAtEveryHeight) {
  if (Sanitized()) {
    Problem(format(), 256, 100, 5).ExpectNearTheProduct();
    return;
  }
  const Problem problem(format(), 2560, 513, kMatVecMaxTokens);
  for (std::int32_t tokens = 1; tokens <= kMatVecMaxTokens; ++tokens) {
    for (const std::int64_t rows : kHeights) {
      problem.ExpectNearTheProduct(rows, tokens);
    }
    problem.ExpectNearTheProduct(100, tokens);
    problem.ExpectNearTheProduct(513, tokens);
    if (HasFatalFailure()) return;
  }
}

TEST_P(MatVecOnDevice, LeavesGapsAloneAndGivesEachPlaneTheWeightsItShares) {
  const std::vector<Layout> layouts = {
      {.gap = 2, .planes = 5, .weight_share = 3},
      {.gap = 1},
      {.gap = 3, .planes = 3},
      {.planes = 4, .weight_share = 2}};
  for (const std::int64_t columns : Whole({96, 256, 544, 1280})) {
    for (const std::int32_t tokens : {1, 2, kMatVecMaxTokens}) {
      for (const Layout& layout : layouts) {
        Problem(format(), columns, Sanitized() ? 5 : 18, tokens, layout)
            .ExpectNearTheProduct();
        if (Sanitized()) break;
      }
      if (HasFatalFailure()) return;
    }
    if (Sanitized() && columns >= 256) return;
  }
}

// So many output values that fewer warps share a row, or none.
TEST_P(MatVecOnDevice, IsNearTheDequantizedProductOfManyPlanes) {
  struct Extents {
    std::int64_t columns, rows;
    std::int32_t planes, tokens;
  };
  std::vector<Extents> all = {{256, 33, 128, 1},  {2048, 33, 64, 1},
                              {4096, 16, 450, 1}, {11008, 17, 256, 1},
                              {256, 4101, 1, 1},  {2048, 513, 17, 2},
                              {768, 513, 64, 2}};
  if (Sanitized()) all.resize(1);
  for (const auto& [columns, rows, planes, tokens] : all) {
    Problem(format(), columns, rows, tokens,
            {.planes = planes, .weight_share = planes})
        .ExpectNearTheProduct();
  }
}

TEST_P(MatVecOnDevice, TakesWeightsAndImagesAtAnyAlignedAddress) {
  std::vector<Layout> layouts;
  const std::int64_t weight_step = format().alignment() * (Sanitized() ? 5 : 1);
  for (std::int64_t offset = 0; offset < 16; offset += weight_step) {
    layouts.push_back({.weight_offset = offset});
  }
  const std::int64_t image_step = Sanitized() ? 12 : 4;
  for (std::int64_t offset = 4; offset < 36; offset += image_step) {
    layouts.push_back({.image_offset = offset});
  }
  for (const std::int64_t columns : Whole({256, 544, 768})) {
    for (const Layout& layout : layouts) {
      const Problem problem(format(), columns, 6, kMatVecMaxTokens, layout);
      problem.ExpectNearTheProduct(6, 1);
      problem.ExpectNearTheProduct(6, kMatVecMaxTokens);
      if (Sanitized()) continue;
      problem.ExpectNearTheProduct(6, 3);
    }
    if (HasFatalFailure() || Sanitized()) return;
  }
}

// An image that is 1 in one column gives that column's weight, rounded once, as
// dequantizing does: every position of a block, and most entries of a codebook.
void ExpectEachWeightAlone(const DeviceFormat& format, std::int32_t tokens) {
  constexpr std::int64_t kColumns = 256;
  ImageBlocks image(kColumns * kColumns / kImageBlockValues);
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t b = 0; b < kColumns / kImageBlockValues; ++b) {
      image[c * kColumns / kImageBlockValues + b].scale = FloatToHalf(1);
    }
    image[(c * kColumns + c) / kImageBlockValues].quants[c % 32] = 1;
  }
  const std::int64_t rows = Sanitized() ? 4 : 513;
  const auto planes = static_cast<std::int32_t>(kColumns / tokens);
  Problem problem(format, kColumns, rows, tokens,
                  {.planes = planes, .weight_share = planes}, image);
  const std::vector<float> output = OutputOf(format, problem.Params());
  for (std::int64_t c = 0; c < kColumns; ++c) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto at = static_cast<std::size_t>(c * rows + r);
      const auto column = static_cast<std::size_t>(c);
      ASSERT_EQ(output[at], problem.weights().row(0, r).weights[column])
          << "row " << r << " column " << c;
    }
  }
}

TEST_P(MatVecOnDevice, ReadsEachWeightOfARowExactly) {
  ExpectEachWeightAlone(format(), 1);
  ExpectEachWeightAlone(format(), kMatVecMaxTokens);
}

TEST_P(MatVecOnDevice, GivesEqualTokensEqualBytes) {
  const std::int64_t columns = 2560, rows = 37;
  ImageBlocks image = RandomImage(columns, 1);
  const ImageBlocks one = image;
  while (image.size() < kMatVecMaxTokens * one.size()) {
    image.insert(image.end(), one.begin(), one.end());
  }
  const Problem problem(format(), columns, rows, kMatVecMaxTokens, {}, image);
  for (const std::int32_t tokens : {2, 5, kMatVecMaxTokens}) {
    const auto output = OutputOf(format(), problem.Params(rows, tokens));
    const std::vector<float> first(output.begin(), output.begin() + rows);
    for (std::int32_t t = 1; t < tokens; ++t) {
      const auto row = output.begin() + t * rows;
      EXPECT_TRUE(SameBytes(std::vector<float>(row, row + rows), first))
          << "token " << t << " of " << tokens;
    }
  }
}

// The smallest and the largest halves, and every quant as large as can be.
ImageBlocks ExtremeImage(std::int64_t columns, std::int64_t rows) {
  constexpr std::uint16_t kScales[] = {0,      0x8000, 0x0001, 0x03FF,
                                       0x0400, 0x3C00, 0x7BFF, 0xFBFF};
  constexpr std::int8_t kQuants[] = {-128, -128, 127, 127, -1, 0};
  RandomFloats random(14);
  ImageBlocks image(
      static_cast<std::size_t>(rows * columns / kImageBlockValues));
  for (BlockQ8_1& block : image) {
    block.scale = kScales[random.Bits() % std::size(kScales)];
    const std::uint32_t kind = random.Bits() % 8;
    for (std::int8_t& quant : block.quants) {
      const std::uint32_t any = random.Bits();
      quant = kQuants[(kind < 4 ? kind : any) % std::size(kQuants)];
    }
  }
  return image;
}

TEST_P(MatVecOnDevice, IsNearTheProductOfImagesOfExtremeScales) {
  for (const std::int64_t columns : {256, 2560}) {
    for (const std::int32_t tokens : {1, kMatVecMaxTokens}) {
      Problem(format(), columns, 17, tokens, {}, ExtremeImage(columns, tokens))
          .ExpectNearTheProduct();
    }
    if (Sanitized()) return;
  }
}

TEST_P(MatVecOnDevice, KeepsARowThatIsNoNumberFromTheOthers) {
  constexpr std::int64_t kRows = 33;
  const std::vector<std::int64_t> spoiled = {0, 6, 16, 32};
  for (const float scale : {kNan, kInfinity}) {
    for (const std::int32_t tokens : {1, 3, kMatVecMaxTokens}) {
      Problem problem(format(), 768, kRows, tokens);
      const auto clean = OutputOf(format(), problem.Params());
      if (!problem.weights().Spoil(spoiled, scale)) continue;
      const auto output = OutputOf(format(), problem.Params());
      for (std::size_t i = 0; i < output.size(); ++i) {
        const std::int64_t row = static_cast<std::int64_t>(i) % kRows;
        if (std::ranges::find(spoiled, row) == spoiled.end()) {
          ASSERT_EQ(output[i], clean[i]) << "row " << row;
        } else {
          ASSERT_FALSE(std::isfinite(output[i])) << "row " << row;
          ASSERT_TRUE(std::isnan(output[i]) || !std::isnan(scale));
        }
      }
    }
    if (Sanitized()) return;
  }
}

TEST_P(MatVecOnDevice, KeepsATokenThatIsNoNumberFromTheOthers) {
  constexpr std::int64_t kColumns = 768, kRows = 33;
  constexpr std::int32_t kSpoiled = 3;
  const ImageBlocks image = RandomImage(kColumns, kMatVecMaxTokens);
  for (const std::uint16_t scale : {kHalfNan, kHalfInfinity}) {
    ImageBlocks spoiled = image;
    spoiled[kSpoiled * kColumns / kImageBlockValues + 5].scale = scale;
    const auto Output = [this](const ImageBlocks& blocks) {
      const Problem problem(format(), kColumns, kRows, kMatVecMaxTokens, {},
                            blocks);
      return OutputOf(format(), problem.Params());
    };
    const auto clean = Output(image), output = Output(spoiled);
    for (std::size_t i = 0; i < output.size(); ++i) {
      const std::int64_t token = static_cast<std::int64_t>(i) / kRows;
      if (token != kSpoiled) {
        ASSERT_EQ(output[i], clean[i]) << "token " << token;
      } else {
        ASSERT_FALSE(std::isfinite(output[i])) << "token " << token;
      }
    }
    if (Sanitized()) return;
  }
}

TEST_P(MatVecOnDevice, DoesNothingWithoutRowsTokensOrPlanes) {
  const Problem problem(format(), 256, 8, 2);
  DeviceArray<float> output(16);
  for (const auto& [rows, tokens, planes] :
       {std::tuple{0, 2, 1}, {8, 0, 1}, {8, 2, 0}}) {
    MatVecParams params = problem.Params(8, 2);
    params.output = output.data();
    params.rows = rows;
    params.tokens = tokens;
    params.planes = planes;
    RunOnDevice(format().symbol(), params);
  }
  EXPECT_TRUE(output.untouched());
}

// Its image alone would take ten times what the largest device has.
TEST_P(MatVecOnDevice, RefusesARowThatSharedMemoryCannotHold) {
  if (Sanitized()) return;  // a sanitizer counts the refusal as an error
  DeviceArray<float> output(1);
  const MatVecParams params{
      .output = output.data(), .columns = 1 << 21, .rows = 1, .tokens = 1};
  EXPECT_FALSE(FitsOnDevice(format().symbol(), params));
  EXPECT_EQ(LaunchOnStream(KernelOf<MatVecParams>(format().symbol()), &params,
                           Dependency::kFull, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_TRUE(output.untouched());
}

// Each link norms and quantizes what the one before multiplied, so that a
// kernel that ran ahead of its wait would read, or write over, what is still at
// work.
ImageBlocks ImagesOfAChain(const DeviceFormat& format,
                           const DeviceWeights& weights, std::int64_t size,
                           std::int32_t tokens, Dependency dependency) {
  const std::int64_t links = Sanitized() ? 4 : 60;
  const std::int64_t blocks = ImageRowBlocks(size);
  DeviceArray<float> state(tokens * size), normal(tokens * size);
  state.Upload(RandomFloats(15).Row(state.size()));
  DeviceArray<BlockQ8_1> images(links * tokens * blocks);
  const DeviceStream stream;
  for (std::int64_t link = 0; link < links; ++link) {
    BlockQ8_1* image = images.data() + link * tokens * blocks;
    Launch("reprise_rms_norm_emit",
           RmsNormParams{.x = state.data(),
                         .output = normal.data(),
                         .image = image,
                         .columns = size,
                         .rows = tokens,
                         .x_row_stride = size,
                         .epsilon = 1e-5f},
           dependency, stream.get());
    Launch(format.symbol(),
           MatVecParams{.weights = weights.at(0, 0),
                        .image = image,
                        .output = state.data(),
                        .columns = size,
                        .rows = size,
                        .weight_row_stride = weights.row_stride(),
                        .image_row_stride = blocks,
                        .output_row_stride = size,
                        .tokens = tokens},
           dependency, stream.get());
  }
  stream.Wait();
  return images.Download();
}

TEST_P(MatVecOnDevice, LeavesTheBytesOfFullEdgesOnProgrammaticOnes) {
  constexpr std::int64_t kSize = 512;
  const DeviceWeights weights(format(), kSize, {.rows = kSize});
  for (const std::int32_t tokens : {1, kMatVecMaxTokens}) {
    const auto Images = [&](Dependency dependency) {
      return ImagesOfAChain(format(), weights, kSize, tokens, dependency);
    };
    EXPECT_TRUE(SameBytes(Images(Dependency::kProgrammatic),
                          Images(Dependency::kFull)));
  }
}

}  // namespace
}  // namespace reprise
