#include "kernels/host_kernels.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/add.h"
#include "kernels/emission.h"
#include "kernels/glu.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "kernels/routed_matvec.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/weight_formats.h"

namespace reprise {
namespace {

TEST(HostKernels, FindsEachByItsSymbol) {
  std::set<std::string_view> seen;
  for (const HostKernel& kernel : HostKernels()) {
    EXPECT_EQ(FindHostKernel(kernel.symbol), &kernel) << kernel.symbol;
    EXPECT_TRUE(seen.insert(kernel.symbol).second) << kernel.symbol;
    EXPECT_TRUE(kernel.symbol.starts_with("reprise_")) << kernel.symbol;
    EXPECT_NE(kernel.run, nullptr);
    EXPECT_NE(kernel.shape, nullptr);
    EXPECT_EQ(kernel.param_bytes % 8, 0u) << kernel.symbol;
    // The limit of a kernel's parameters on every device.
    EXPECT_LE(kernel.param_bytes, 4096u) << kernel.symbol;
  }
  EXPECT_EQ(seen.size(), 118u);
}

TEST(HostKernels, FindsNothingElse) {
  for (const char* symbol :
       {"", "reprise_", "reprise_ad", "reprise_add_", "reprise_zzz", "a", "~",
        "reprise_quantize_q8_1_emit", "Reprise_add"}) {
    EXPECT_EQ(FindHostKernel(symbol), nullptr) << symbol;
  }
}

TEST(HostKernels, HasATwinForEveryProducerAndLayoutAndForNothingElse) {
  int producers = 0;
  for (const HostKernel& kernel : HostKernels()) {
    const bool producer = !kernel.symbol.ends_with(kEmitSuffix) &&
                          !kernel.symbol.ends_with(kEmitTransposedSuffix) &&
                          (kernel.symbol.starts_with("reprise_rms_norm") ||
                           kernel.symbol.starts_with("reprise_glu_"));
    for (const std::string_view suffix : {kEmitSuffix, kEmitTransposedSuffix}) {
      const HostKernel* twin =
          FindHostKernel(std::string(kernel.symbol) + std::string(suffix));
      EXPECT_EQ(twin != nullptr, producer) << kernel.symbol << suffix;
      if (twin != nullptr) {
        EXPECT_EQ(twin->param_bytes, kernel.param_bytes) << kernel.symbol;
      }
    }
    producers += producer ? 1 : 0;
  }
  EXPECT_EQ(producers, 11);
}

TEST(HostKernels, RunsAndShapesFromTheBytesOfTheParameters) {
  const float a[] = {1, 2}, b[] = {3, 4};
  float out[2] = {};
  const AddParams params{a, b, out, 2};
  const HostKernel* add = FindHostKernel("reprise_add");
  ASSERT_NE(add, nullptr);
  ASSERT_EQ(add->param_bytes, sizeof params);
  add->run(&params);
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(out[1], 6);
  EXPECT_EQ(add->shape(&params), AddShape(params));
}

// A symbol must reach its own form: each has a value that tells it apart.
TEST(HostKernels, RunsTheFormThatTheSymbolNames) {
  const float x = 3, mul = 5, add = 7;
  float out = 0;
  const RmsNormParams norm{.x = &x,
                           .output = &out,
                           .mul = &mul,
                           .add = &add,
                           .columns = 1,
                           .rows = 1,
                           .scale = 11};
  const struct {
    const char* symbol;
    float value;
  } kNorms[] = {{"reprise_rms_norm", 1},
                {"reprise_rms_norm_mul", 5},
                {"reprise_rms_norm_mul_add", 12},
                {"reprise_rms_norm_scale", 11}};
  for (const auto& [symbol, value] : kNorms) {
    FindHostKernel(symbol)->run(&norm);
    EXPECT_FLOAT_EQ(out, value) << symbol;
  }
  const GluParams glu{.gate = &x,
                      .up = &mul,
                      .output = &out,
                      .columns = 1,
                      .rows = 1,
                      .alpha = 1.702f,
                      .limit = 2};
  const struct {
    const char* symbol;
    float value;
  } kGlus[] = {{"reprise_glu_reglu", 15},
               {"reprise_glu_geglu", 14.981812f},
               {"reprise_glu_swiglu", 14.288612f},
               {"reprise_glu_geglu_erf", 14.979752f},
               {"reprise_glu_geglu_quick", 14.909643f},
               {"reprise_glu_swiglu_oai", 5.8069759f},
               {"reprise_glu_swiglu_clamp", 3.5231884f}};
  for (const auto& [symbol, value] : kGlus) {
    FindHostKernel(symbol)->run(&glu);
    EXPECT_NEAR(out, value, 1e-5f) << symbol;
  }
}

template <typename Block>
class HostKernelsOf : public testing::Test {};
TYPED_TEST_SUITE(HostKernelsOf, WeightBlocks, FormatNames);

TYPED_TEST(HostKernelsOf, RunTheFormatThatTheSymbolNames) {
  RandomFloats random(19);
  const auto weights = RandomWeights<TypeParam>(random, 1);
  std::vector<BlockQ8_1> image(static_cast<std::size_t>(ImageRowBlocks(256)));
  QuantizeRowQ8_1(random.Row(256).data(), 256, image.data());
  const std::int32_t id = 0;
  float expected = 0, out = 0;
  MatVecParams matvec{.weights = weights.data(),
                      .image = image.data(),
                      .output = &expected,
                      .columns = TypeParam::kValues,
                      .rows = 1,
                      .tokens = 1};
  MatVecHost<TypeParam>(matvec);
  ASSERT_NE(expected, 0);

  const std::string format = FormatOf<TypeParam>();
  const HostKernel* kernel = FindHostKernel("reprise_matvec_" + format);
  ASSERT_NE(kernel, nullptr);
  matvec.output = &out;
  kernel->run(&matvec);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(kernel->shape(&matvec), MatVecShape<TypeParam>(matvec));

  const RoutedMatVecParams routed{.weights = weights.data(),
                                  .image = image.data(),
                                  .ids = &id,
                                  .output = &out,
                                  .columns = TypeParam::kValues,
                                  .rows = 1,
                                  .experts = 1,
                                  .slots = 1,
                                  .tokens = 1};
  out = 0;
  kernel = FindHostKernel("reprise_routed_matvec_" + format);
  ASSERT_NE(kernel, nullptr);
  kernel->run(&routed);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(kernel->shape(&routed), RoutedMatVecShape<TypeParam>(routed));
}

}  // namespace
}  // namespace reprise
