// An emitting twin leaves what the plain producer and then the quantizer leave,
// byte for byte, for every producer in the table.
#include "kernels/emission.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/glu.h"
#include "kernels/host_kernels.h"
#include "kernels/image_q8_0.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

struct Shape {
  std::int64_t columns, rows;
};
constexpr Shape kShapes[] = {
    {32, 1}, {512, 3}, {2592, 65}, {4096, 2}, {100, 64}};

// Nobody may look at the image of a plain producer, so its address is bad.
void* BadImage() { return reinterpret_cast<void*>(4); }

struct Twin {
  std::string_view suffix;
  std::int64_t (*image_bytes)(Shape shape);
  std::vector<std::uint8_t> (*quantized)(const float* stored, Shape shape);
};

std::vector<std::uint8_t> TransposedBytes(const float* stored, Shape shape) {
  Guarded<std::uint8_t> image(
      TransposedImage(shape.columns, shape.rows).bytes());
  QuantizeTransposedHost(
      {stored, image.data(), shape.columns, shape.rows, shape.columns});
  return image.bytes();
}

std::vector<std::uint8_t> QuantizedBytes(const float* stored, Shape shape) {
  Guarded<BlockQ8_1> image(shape.rows * ImageRowBlocks(shape.columns));
  QuantizeQ8_1Host({.source = stored,
                    .image = image.data(),
                    .columns = shape.columns,
                    .rows = shape.rows,
                    .planes = 1,
                    .row_stride = shape.columns});
  return image.bytes();
}

const Twin kTwins[] = {
    {kEmitSuffix,
     [](Shape shape) { return ImageBytes(shape.columns, shape.rows, 1); },
     &QuantizedBytes},
    {kEmitTransposedSuffix,
     [](Shape shape) {
       return TransposedImage(shape.columns, shape.rows).bytes();
     },
     &TransposedBytes}};

template <typename Params>
void ExpectSameBytes(std::string_view symbol, Params params, Shape shape,
                     const Twin& form) {
  const HostKernel* plain = FindHostKernel(symbol);
  const HostKernel* twin =
      FindHostKernel(std::string(symbol) + std::string(form.suffix));
  ASSERT_TRUE(plain != nullptr && twin != nullptr) << symbol;
  ASSERT_EQ(plain->param_bytes, sizeof(Params));
  ASSERT_EQ(twin->param_bytes, sizeof(Params));

  Guarded<float> floats(shape.rows * shape.columns);
  params.output = floats.data();
  params.image = BadImage();
  plain->run(&params);

  Guarded<float> emitted(shape.rows * shape.columns);
  Guarded<std::uint8_t> image(form.image_bytes(shape));
  params.output = emitted.data();
  params.image = image.data();
  twin->run(&params);

  EXPECT_EQ(emitted.bytes(), floats.bytes()) << symbol;
  EXPECT_EQ(image.bytes(), form.quantized(floats.data(), shape)) << symbol;
  EXPECT_TRUE(emitted.guards_intact() && image.guards_intact()) << symbol;
  EXPECT_EQ(plain->shape(&params), twin->shape(&params)) << symbol;

  Guarded<std::uint8_t> alone(form.image_bytes(shape));
  params.output = nullptr;
  params.image = alone.data();
  twin->run(&params);
  EXPECT_EQ(alone.bytes(), image.bytes()) << symbol << " without floats";
  EXPECT_TRUE(alone.guards_intact()) << symbol;
}

template <typename Params>
void ExpectSameBytes(std::string_view symbol, const Params& params,
                     Shape shape) {
  for (const Twin& form : kTwins) {
    SCOPED_TRACE(form.suffix);
    ExpectSameBytes(symbol, params, shape, form);
  }
}

TEST(Emission, OfEveryNormMatchesItsQuantizer) {
  for (const Shape shape : kShapes) {
    const std::int64_t stride = shape.columns + 64;
    const auto size = static_cast<std::size_t>(shape.rows * stride);
    RandomFloats random(9);
    const auto x = random.Row(size, 5), mul = random.Row(size, 30),
               add = random.Row(size, 30);
    const RmsNormParams params{.x = x.data(),
                               .mul = mul.data(),
                               .add = add.data(),
                               .columns = shape.columns,
                               .rows = shape.rows,
                               .x_row_stride = stride,
                               .add_row_stride = stride,
                               .epsilon = 1e-6f,
                               .scale = 1.5f};
    for (const char* symbol :
         {"reprise_rms_norm", "reprise_rms_norm_mul",
          "reprise_rms_norm_mul_add", "reprise_rms_norm_scale"}) {
      ExpectSameBytes(symbol, params, shape);
    }
  }
}

TEST(Emission, OfEveryGluMatchesItsQuantizer) {
  for (const Shape shape : kShapes) {
    const std::int64_t stride = 2 * shape.columns + 64;
    const auto packed =
        RandomFloats(10).Row(static_cast<std::size_t>(shape.rows * stride), 10);
    const GluOperands operands =
        PackedGlu(packed.data(), shape.columns, stride);
    const GluParams params{.gate = operands.gate,
                           .up = operands.up,
                           .columns = shape.columns,
                           .rows = shape.rows,
                           .gate_row_stride = stride,
                           .up_row_stride = stride,
                           .alpha = 1.702f,
                           .limit = 7};
    for (const char* symbol :
         {"reprise_glu_reglu", "reprise_glu_geglu", "reprise_glu_swiglu",
          "reprise_glu_geglu_erf", "reprise_glu_geglu_quick",
          "reprise_glu_swiglu_oai", "reprise_glu_swiglu_clamp"}) {
      ExpectSameBytes(symbol, params, shape);
    }
  }
}

TEST(Emission, KeepsInfinitiesAndNansAsTheQuantizerDoes) {
  std::vector<float> x(512, 1e30f);  // squares pass float: the norm is 0
  x[7] = __builtin_nanf("");
  ExpectSameBytes("reprise_rms_norm",
                  RmsNormParams{.x = x.data(), .columns = 512, .rows = 1},
                  {512, 1});
  const std::vector<float> up(512, 1e38f);
  ExpectSameBytes(
      "reprise_glu_swiglu",
      GluParams{.gate = x.data(), .up = up.data(), .columns = 512, .rows = 1},
      {512, 1});
}

TEST(Emission, WorksInPlace) {
  const auto x = RandomFloats(11).Row(1024);
  RmsNormParams params{.x = x.data(),
                       .columns = 512,
                       .rows = 2,
                       .x_row_stride = 512,
                       .epsilon = 1e-6f};
  std::vector<float> out(1024), in_place = x;
  Guarded<BlockQ8_1> image(32);
  params.output = out.data();
  RmsNormHost(RmsNormForm::kPlain, Emission::kPlain, params);
  params.x = params.output = in_place.data();
  params.image = image.data();
  RmsNormHost(RmsNormForm::kPlain, Emission::kEmit, params);
  EXPECT_EQ(in_place, out);
  EXPECT_EQ(image.bytes(), QuantizedBytes(out.data(), {512, 2}));
}

}  // namespace
}  // namespace reprise
