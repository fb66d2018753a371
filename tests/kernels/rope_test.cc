#include "kernels/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr std::int32_t kTokens = 3, kHeads = 2, kHeadDim = 8, kRotary = 6;
constexpr std::int64_t kStride = kHeads * kHeadDim + 5;
constexpr std::int32_t kPositions[kTokens] = {0, 7, 1000};

RopeParams Params(const float* x, float* output) {
  return {.x = x,
          .output = output,
          .positions = kPositions,
          .x_token_stride = kStride,
          .tokens = kTokens,
          .heads = kHeads,
          .head_dim = kHeadDim,
          .rotary_dims = kRotary};
}

// Turning a pair is a product of complex numbers. The float angle is off by a
// few 2^-24 of its size, which at position 1000 is 1e-4.
TEST(Rope, TurnsEachPairAsAComplexNumber) {
  const auto x = RandomFloats(15).Row(kTokens * kStride);
  Guarded<float> out(kTokens * kHeads * kHeadDim);
  RopeHost(Params(x.data(), out.data()));
  EXPECT_TRUE(out.guards_intact());
  for (std::int64_t t = 0; t < kTokens; ++t) {
    const double bound = 1e-6 + kPositions[t] * 3e-7;
    for (std::int64_t h = 0; h < kHeads; ++h) {
      const float* from =
          &x[static_cast<std::size_t>(t * kStride + h * kHeadDim)];
      const float* to = &out[(t * kHeads + h) * kHeadDim];
      for (int i = 0; i < kRotary / 2; ++i) {
        const double angle =
            kPositions[t] * std::pow(10000.0, -2.0 * i / kRotary);
        const auto turned =
            std::complex<double>(from[i], from[i + kRotary / 2]) *
            std::polar(1.0, angle);
        ASSERT_NEAR(to[i], turned.real(), bound);
        ASSERT_NEAR(to[i + kRotary / 2], turned.imag(), bound);
      }
      ASSERT_EQ(to[6], from[6]);
      ASSERT_EQ(to[7], from[7]);
    }
  }
}

TEST(Rope, ChangesNothingAtPositionZero) {
  const auto x = RandomFloats(16).Row(kTokens * kStride);
  std::vector<float> out(kTokens * kHeads * kHeadDim);
  RopeHost(Params(x.data(), out.data()));
  for (std::size_t i = 0; i < kHeads * kHeadDim; ++i) EXPECT_EQ(out[i], x[i]);
}

TEST(Rope, WorksInPlace) {
  auto x = RandomFloats(17).Row(kTokens * kHeads * kHeadDim);
  std::vector<float> out(x.size());
  RopeParams params = Params(x.data(), out.data());
  params.x_token_stride = kHeads * kHeadDim;
  RopeHost(params);
  params.output = x.data();
  RopeHost(params);
  EXPECT_EQ(x, out);
}

TEST(Rope, DoesNothingWithoutTokens) {
  Guarded<float> out(8);
  RopeHost({.output = out.data(), .heads = 1, .head_dim = 8, .rotary_dims = 8});
  EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace reprise
