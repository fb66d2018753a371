#include "kernels/glu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr float kAlpha = 1.702f;
constexpr float kLimit = 7.0f;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double SlowReglu(double x, double g) { return x > 0 ? x * g : 0; }
double SlowGeglu(double x, double g) {
  const double root = std::sqrt(2 / std::acos(-1.0));
  return 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x))) * g;
}
double SlowSwiglu(double x, double g) { return x * Sigmoid(x) * g; }
double SlowGegluErf(double x, double g) {
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))) * g;
}
double SlowGegluQuick(double x, double g) { return x * Sigmoid(1.702 * x) * g; }
double SlowSwigluOai(double x, double g) {
  const double low = std::min<double>(x, kLimit);
  const double up = std::clamp<double>(g, -kLimit, kLimit);
  return low * Sigmoid(double{kAlpha} * low) * (1 + up);
}
double SlowSwigluClamp(double x, double g) {
  const double low = std::min<double>(x, kLimit);
  return low * Sigmoid(low) * std::clamp<double>(g, -kLimit, kLimit);
}

struct Form {
  GluFunction form;
  double (*slow)(double x, double g);
};
constexpr Form kForms[] = {
    {GluFunction::kReglu, &SlowReglu},
    {GluFunction::kGeglu, &SlowGeglu},
    {GluFunction::kSwiglu, &SlowSwiglu},
    {GluFunction::kGegluErf, &SlowGegluErf},
    {GluFunction::kGegluQuick, &SlowGegluQuick},
    {GluFunction::kSwigluOai, &SlowSwigluOai},
    {GluFunction::kSwigluClamp, &SlowSwigluClamp},
};

float One(GluFunction form, float x, float g) {
  float out = 0;
  GluHost(form, Emission::kPlain,
          {.gate = &x,
           .up = &g,
           .output = &out,
           .columns = 1,
           .rows = 1,
           .alpha = kAlpha,
           .limit = kLimit});
  return out;
}

// A dozen float roundings, relative to the operands; 1 + tanh and 1 + erf lose
// more of their own value where they near 0, but nothing beside x * g.
TEST(Glu, IsItsFormulaInDoublePrecision) {
  RandomFloats random(6);
  for (const auto& [form, slow] : kForms) {
    for (int i = 0; i < 20'000; ++i) {
      const float x = 12 * random.Next();
      const float g = 12 * random.Next();
      const double size = std::fabs(double{x}) * (std::fabs(double{g}) + 1);
      ASSERT_NEAR(One(form, x, g), slow(double{x}, double{g}), size * 1e-6)
          << static_cast<int>(form) << ": x " << x << " g " << g;
    }
  }
}

TEST(Glu, GivesWorkedValues) {
  const struct {
    GluFunction form;
    float x, g, expected;
  } kCases[] = {
      {GluFunction::kReglu, 2, 3, 6},
      {GluFunction::kReglu, -2, 3, 0},
      {GluFunction::kReglu, kNan, 3, 0},
      {GluFunction::kGeglu, 1, 1, 0.841192f},
      {GluFunction::kGeglu, 100, 2, 200},
      {GluFunction::kGeglu, -100, 2, 0},
      {GluFunction::kSwiglu, 1, 2, 1.4621172f},
      {GluFunction::kSwiglu, -200, 5, 0},
      {GluFunction::kGegluErf, 1, 1, 0.8413447f},
      {GluFunction::kGegluQuick, 1, 1, 0.8457958f},
      // Past the limit both operands stop: 7 * sigmoid(11.914) * (1 + 7).
      {GluFunction::kSwigluOai, 50, 50, 55.999626f},
      {GluFunction::kSwigluOai, 50, -50, -41.99972f},
      {GluFunction::kSwigluOai, 0, 3, 0},
      // 7 * sigmoid(7) * 7.
      {GluFunction::kSwigluClamp, 50, 50, 48.955359f},
      {GluFunction::kSwigluClamp, 1, -50, -5.1174102f},
  };
  for (const auto& [form, x, g, expected] : kCases) {
    EXPECT_NEAR(One(form, x, g), expected, std::fabs(expected) * 1e-6f)
        << static_cast<int>(form) << ": x " << x << " g " << g;
  }
}

// gate is columns 1, 2, ... and up 100 times that, so each value tells where
// it was read.
TEST(Glu, FindsGateAndUpInEveryLayout) {
  constexpr std::int64_t kColumns = 3, kRows = 2, kStride = 10;
  std::vector<float> gate_first(kStride * kRows, kNan);
  std::vector<float> up_first = gate_first, gates = gate_first,
                     ups = gate_first;
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t c = 0; c < kColumns; ++c) {
      const auto at = static_cast<std::size_t>(r * kStride + c);
      const auto gate = static_cast<float>(r * kColumns + c + 1);
      gates[at] = gate_first[at] = up_first[at + kColumns] = gate;
      ups[at] = gate_first[at + kColumns] = up_first[at] = 100 * gate;
    }
  }
  for (const GluOperands& operands :
       {SeparateGlu(gates.data(), kStride, ups.data(), kStride),
        PackedGlu(gate_first.data(), kColumns, kStride),
        PackedSwappedGlu(up_first.data(), kColumns, kStride)}) {
    Guarded<float> out(kColumns * kRows);
    GluHost(GluFunction::kReglu, Emission::kPlain,
            {.gate = operands.gate,
             .up = operands.up,
             .output = out.data(),
             .columns = kColumns,
             .rows = kRows,
             .gate_row_stride = operands.gate_row_stride,
             .up_row_stride = operands.up_row_stride});
    EXPECT_TRUE(out.guards_intact());
    for (std::int64_t i = 0; i < kColumns * kRows; ++i) {
      EXPECT_EQ(out[i], static_cast<float>(100 * (i + 1) * (i + 1)));
    }
  }
}

TEST(Glu, WritesOverItsGateOrItsUp) {
  const auto gate = RandomFloats(7).Row(64), up = RandomFloats(8).Row(64);
  for (const auto& [form, slow] : kForms) {
    std::vector<float> out(64);
    auto over_gate = gate, over_up = up;
    GluParams params{.gate = gate.data(),
                     .up = up.data(),
                     .output = out.data(),
                     .columns = 32,
                     .rows = 2,
                     .gate_row_stride = 32,
                     .up_row_stride = 32,
                     .alpha = kAlpha,
                     .limit = kLimit};
    GluHost(form, Emission::kPlain, params);
    params.gate = params.output = over_gate.data();
    GluHost(form, Emission::kPlain, params);
    EXPECT_EQ(over_gate, out);
    params.gate = gate.data();
    params.up = params.output = over_up.data();
    GluHost(form, Emission::kPlain, params);
    EXPECT_EQ(over_up, out);
  }
}

TEST(Glu, LeavesNoRowsAlone) {
  Guarded<float> out(4);
  GluHost(GluFunction::kSwiglu, Emission::kEmit,
          {.output = out.data(), .columns = 4});
  EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace reprise
