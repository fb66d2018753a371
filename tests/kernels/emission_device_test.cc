// What twins cost and leave on the device.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/emission.h"
#include "kernels/glu.h"
#include "kernels/host_kernels.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/rms_norm.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

cudaFuncAttributes AttributesOf(const std::string& symbol) {
  cudaFuncAttributes attributes{};
  Require(cudaFuncGetAttributes(&attributes, FindDeviceFunction(symbol)),
          symbol);
  return attributes;
}

// A producer that emits nothing pays nothing for its twins: the compiler has
// left no trace of the emission in it.
TEST_F(OnDevice, APlainProducerUsesNoMoreOfItThanItsTwins) {
  int pairs = 0;
  for (const HostKernel& kernel : HostKernels()) {
    const std::string symbol(kernel.symbol);
    for (const std::string_view suffix : {kEmitSuffix, kEmitTransposedSuffix}) {
      const std::string twin_symbol = symbol + std::string(suffix);
      if (FindHostKernel(twin_symbol) == nullptr) continue;
      SCOPED_TRACE(twin_symbol);
      const cudaFuncAttributes plain = AttributesOf(symbol);
      const cudaFuncAttributes twin = AttributesOf(twin_symbol);
      EXPECT_LE(plain.numRegs, twin.numRegs);
      EXPECT_LE(plain.sharedSizeBytes, twin.sharedSizeBytes);
      EXPECT_EQ(plain.localSizeBytes, 0u);
      EXPECT_EQ(twin.localSizeBytes, 0u);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 22);
}

struct Shape {
  std::int64_t columns, rows;
};

// The plain producer and then the quantizer, on the device too.
template <typename Params>
void ExpectTheTransposedImageOfItsFloats(const std::string& symbol,
                                         Params params, Shape shape) {
  SCOPED_TRACE(testing::Message() << symbol << ", " << shape.columns
                                  << " columns, " << shape.rows << " rows");
  const std::int64_t bytes = TransposedImage(shape.columns, shape.rows).bytes();
  DeviceArray<float> floats(shape.rows * shape.columns);
  DeviceArray<std::uint8_t> expected(bytes);
  params.output = floats.data();
  RunOnDevice(symbol, params);
  RunOnDevice("reprise_quantize_q8_0_pad40_t",
              QuantizeQ8_0Params{floats.data(), expected.data(), shape.columns,
                                 shape.rows, shape.columns});
  const std::string twin = symbol + std::string(kEmitTransposedSuffix);
  for (const bool stores : {true, false}) {
    DeviceArray<float> emitted(shape.rows * shape.columns);
    DeviceArray<std::uint8_t> image(bytes);
    params.output = stores ? emitted.data() : nullptr;
    params.image = image.data();
    RunOnDevice(twin, params);
    EXPECT_TRUE(SameBytes(image.Download(), expected.Download()));
    EXPECT_TRUE(image.guards_intact());
    if (stores) {
      EXPECT_TRUE(SameBytes(emitted.Download(), floats.Download()));
    } else {
      EXPECT_TRUE(emitted.untouched());
    }
  }
}

TEST_F(OnDevice, ATwinWritesTheTransposedImageThatTheQuantizerWouldMake) {
  for (const Shape& shape :
       {Shape{32, 9}, Shape{100, 63}, Shape{2048, 65}, Shape{2592, 129},
        Shape{4096, 2}, Shape{896, 512}}) {
    if (Sanitized() && shape.rows > 65) continue;
    const auto size = static_cast<std::size_t>(shape.rows * shape.columns);
    RandomFloats random(95);
    const DeviceArray<float> x(random.Row(size, 5)), y(random.Row(size, 30));
    for (const char* form : {"", "_mul", "_mul_add", "_scale"}) {
      ExpectTheTransposedImageOfItsFloats(
          std::string("reprise_rms_norm") + form,
          RmsNormParams{.x = x.data(),
                        .mul = y.data(),
                        .add = y.data(),
                        .columns = shape.columns,
                        .rows = shape.rows,
                        .x_row_stride = shape.columns,
                        .add_row_stride = shape.columns,
                        .epsilon = 1e-6f,
                        .scale = 1.5f},
          shape);
    }
    for (const char* form : {"reglu", "geglu", "swiglu", "geglu_erf",
                             "geglu_quick", "swiglu_oai", "swiglu_clamp"}) {
      ExpectTheTransposedImageOfItsFloats(
          std::string("reprise_glu_") + form,
          GluParams{.gate = x.data(),
                    .up = y.data(),
                    .columns = shape.columns,
                    .rows = shape.rows,
                    .gate_row_stride = shape.columns,
                    .up_row_stride = shape.columns,
                    .alpha = 1.702f,
                    .limit = 7},
          shape);
    }
  }
}

}  // namespace
}  // namespace reprise
