// The window memo on a GPU: a loop that is launched call by call leaves the
// same bytes with the memo as without it, in every layout that our matrix
// kernels read.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "kernels/matmul.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "replay/window_memo.h"
#include "tests/kernels/device_formats.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr int kProducts = 3;
constexpr int kLayers = 4;

// Layers of a norm and three products of its output, the first of which is the
// next layer's input: at the same addresses each time, with new contents.
class Layers {
 public:
  Layers(const DeviceFormat& format, ImageLayout layout, std::int64_t tokens)
      : format_(format),
        layout_(layout),
        tokens_(tokens),
        columns_(2 * format.block_values),
        scratch_(ImageBytes(layout, tokens, columns_)),
        normed_(tokens * columns_),
        outputs_(kProducts * tokens * columns_) {
    RandomFloats random(41);
    for (int i = 0; i < kProducts; ++i) {
      weights_.push_back(std::make_unique<DeviceArray<std::uint8_t>>(
          format.random(random, columns_ * columns_ / format.block_values)));
    }
  }

  std::int64_t image_bytes() const {
    return ImageBytes(layout_, tokens_, columns_);
  }

  void Fill(std::uint32_t seed) {
    const std::vector<float> values = RandomFloats(seed).Row(outputs_.size());
    outputs_.Upload(values);
  }

  // As the program does it without a memo: each product quantizes.
  void Run(cudaStream_t stream) {
    for (int layer = 0; layer < kLayers; ++layer) {
      Norm(stream);
      for (int i = 0; i < kProducts; ++i) {
        Quantize(scratch_.data(), stream);
        Multiply(i, scratch_.data(), stream);
      }
    }
  }

  absl::Status Run(WindowMemo& memo, const std::vector<cudaStream_t>& streams) {
    return memo.Run(image_bytes(), [&] {
      for (int layer = 0; layer < kLayers; ++layer) {
        const cudaStream_t stream =
            streams[static_cast<std::size_t>(layer) % streams.size()];
        memo.Other([&] {
              // What the layer in front left, on whatever stream.
              for (const cudaStream_t other : streams) {
                if (other == stream) continue;
                Require(cudaStreamSynchronize(other), "cudaStreamSynchronize");
              }
              Norm(stream);
            })
            .IgnoreError();
        for (int i = 0; i < kProducts; ++i) {
          memo.Product(
                  stream,
                  {.source = normed_.data(),
                   .rows = tokens_,
                   .columns = columns_,
                   .row_stride = columns_,
                   .layout = layout_,
                   .output = Output(i),
                   .output_bytes = tokens_ * columns_ *
                                   static_cast<std::int64_t>(sizeof(float))},
                  [&](void* image) { Quantize(image, stream); },
                  [&](const void* image) { Multiply(i, image, stream); })
              .IgnoreError();
        }
      }
    });
  }

  std::vector<float> Outputs() const { return outputs_.Download(); }

 private:
  float* Output(int product) {
    return outputs_.data() + product * tokens_ * columns_;
  }

  void Norm(cudaStream_t stream) {
    Launch("reprise_rms_norm",
           RmsNormParams{.x = Output(0),
                         .output = normed_.data(),
                         .columns = columns_,
                         .rows = tokens_,
                         .x_row_stride = columns_,
                         .epsilon = 1e-5f},
           Dependency::kFull, stream);
  }

  void Quantize(void* image, cudaStream_t stream) {
    if (layout_ == ImageLayout::kQ8_1) {
      Launch("reprise_quantize_q8_1",
             QuantizeQ8_1Params{.source = normed_.data(),
                                .image = static_cast<BlockQ8_1*>(image),
                                .columns = columns_,
                                .rows = tokens_,
                                .planes = 1,
                                .row_stride = columns_},
             Dependency::kFull, stream);
      return;
    }
    Launch("reprise_quantize_" + std::string(InfoOf(layout_).name),
           QuantizeQ8_0Params{.source = normed_.data(),
                              .image = image,
                              .columns = columns_,
                              .tokens = tokens_,
                              .row_stride = columns_},
           Dependency::kFull, stream);
  }

  void Multiply(int product, const void* image, cudaStream_t stream) {
    const std::uint8_t* weights =
        weights_[static_cast<std::size_t>(product)]->data();
    if (layout_ == ImageLayout::kQ8_1) {
      Launch(format_.symbol(),
             MatVecParams{.weights = weights,
                          .image = static_cast<const BlockQ8_1*>(image),
                          .output = Output(product),
                          .columns = columns_,
                          .rows = columns_,
                          .weight_row_stride = columns_ / format_.block_values,
                          .image_row_stride = ImageRowBlocks(columns_),
                          .output_row_stride = columns_,
                          .tokens = static_cast<std::int32_t>(tokens_)},
             Dependency::kFull, stream);
      return;
    }
    const bool tiles = layout_ == ImageLayout::kQ8_0Pad40Tiles;
    Launch((tiles ? "reprise_matmul_" : "reprise_matmul_pad40_") +
               std::string(format_.name),
           MatMulParams{.weights = weights,
                        .image = image,
                        .output = Output(product),
                        .columns = columns_,
                        .rows = columns_,
                        .weight_row_stride = columns_ / format_.block_values,
                        .output_row_stride = columns_,
                        .tokens = tokens_},
           Dependency::kFull, stream);
  }

  DeviceFormat format_;
  ImageLayout layout_;
  std::int64_t tokens_;
  std::int64_t columns_;
  DeviceArray<std::uint8_t> scratch_;
  DeviceArray<float> normed_;
  DeviceArray<float> outputs_;
  std::vector<std::unique_ptr<DeviceArray<std::uint8_t>>> weights_;
};

class WindowMemoOnDevice : public OnDevice,
                           public ::testing::WithParamInterface<DeviceFormat> {
 protected:
  static std::vector<ImageLayout> Layouts() {
    std::vector<ImageLayout> layouts = {ImageLayout::kQ8_1,
                                        ImageLayout::kQ8_0Pad40};
    if (ReadsTransposedImage(GetParam().name)) {
      layouts.push_back(ImageLayout::kQ8_0Pad40Tiles);
    }
    return layouts;
  }
  // In growing order, so that the planes grow from run to run.
  static std::vector<std::int64_t> TokensOf(ImageLayout layout) {
    if (layout == ImageLayout::kQ8_1) return {1, 3, kMatVecMaxTokens};
    if (Sanitized()) return {9, 65};
    return {9, 63, 64, 65, 129, 512};
  }

  static void ExpectTheBytesOfTheLoopItself(
      const std::vector<cudaStream_t>& streams) {
    const absl::StatusOr<const Driver*> driver = LoadDriver();
    ASSERT_OK(driver);
    for (const ImageLayout layout : Layouts()) {
      WindowMemo memo(**driver);
      WindowMemoCounts expected;
      for (const std::int64_t tokens : TokensOf(layout)) {
        SCOPED_TRACE(::testing::Message()
                     << InfoOf(layout).name << ", " << tokens << " tokens");
        Layers layers(GetParam(), layout, tokens);
        for (std::uint32_t run = 0; run < 3; ++run) {
          layers.Fill(run);
          layers.Run(streams[0]);
          Require(cudaStreamSynchronize(streams[0]), "cudaStreamSynchronize");
          const std::vector<float> alone = layers.Outputs();
          layers.Fill(run);
          ASSERT_OK(layers.Run(memo, streams));
          for (const cudaStream_t stream : streams) {
            Require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
          }
          ASSERT_TRUE(SameBytes(layers.Outputs(), alone)) << "run " << run;
          ++expected.runs;
          expected.others += kLayers;
          expected.misses += kLayers;
          expected.hits += kLayers * (kProducts - 1);
        }
      }
      expected.allocations = memo.counts().allocations;
      EXPECT_GT(expected.allocations, 1u);
      EXPECT_EQ(memo.counts(), expected);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, WindowMemoOnDevice,
                         ::testing::ValuesIn(DeviceFormats()),
                         [](const auto& test) { return test.param.name; });

TEST_P(WindowMemoOnDevice, LeavesTheBytesOfTheLoopItself) {
  const DeviceStream stream;
  ExpectTheBytesOfTheLoopItself({stream.get()});
}

TEST_P(WindowMemoOnDevice, LeavesTheBytesOfTheLoopItselfOnTwoStreams) {
  const DeviceStream first;
  const DeviceStream second;
  ExpectTheBytesOfTheLoopItself({first.get(), second.get()});
}

}  // namespace
}  // namespace reprise::testing
