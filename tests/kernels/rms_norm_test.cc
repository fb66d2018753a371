#include "kernels/rms_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/slow_q8_1.h"

namespace reprise {
namespace {

constexpr RmsNormForm kForms[] = {RmsNormForm::kPlain, RmsNormForm::kMul,
                                  RmsNormForm::kMulAdd, RmsNormForm::kScale};
constexpr float kEpsilon = 1e-5f;

float Apply(RmsNormForm form, float normal, float mul, float add, float scale) {
  if (form == RmsNormForm::kPlain) return normal;
  if (form == RmsNormForm::kScale) return normal * scale;
  const float product = normal * mul;
  return form == RmsNormForm::kMul ? product : product + add;
}

// A thread block, thread by thread: strided sums, then two butterflies.
float SlowSumOfSquares(const float* row, std::int64_t columns) {
  const std::size_t threads = columns < 1024 ? 512 : 1024;
  WarpLanes totals{};
  for (std::size_t thread = 0; thread < threads; thread += 32) {
    WarpLanes lanes{};
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (auto c = static_cast<std::int64_t>(thread + lane); c < columns;
           c += static_cast<std::int64_t>(threads)) {
        const float square = row[c] * row[c];
        lanes[lane] = lanes[lane] + square;
      }
    }
    totals[thread / 32] = SlowWarpSum(lanes);
  }
  return SlowWarpSum(totals);
}

struct Shape {
  std::int64_t columns, rows, x_pad;
  bool broadcast;
};

class RmsNormShapes : public testing::TestWithParam<Shape> {
 protected:
  RmsNormShapes() {
    const Shape shape = GetParam();
    RandomFloats random(5);
    const auto rows = static_cast<std::size_t>(shape.rows);
    const auto columns = static_cast<std::size_t>(shape.columns);
    x_ = random.Row(rows * (columns + static_cast<std::size_t>(shape.x_pad)));
    mul_ = random.Row(rows * columns, 3);
    add_ = random.Row(rows * columns, 2);
    const std::int64_t side = shape.broadcast ? 0 : shape.columns;
    params_ = {.x = x_.data(),
               .mul = mul_.data(),
               .add = add_.data(),
               .columns = shape.columns,
               .rows = shape.rows,
               .x_row_stride = shape.columns + shape.x_pad,
               .mul_row_stride = side,
               .add_row_stride = side,
               .epsilon = kEpsilon,
               .scale = 0.75f};
  }

  std::vector<float> x_, mul_, add_;
  RmsNormParams params_;
};

TEST_P(RmsNormShapes, HasTheBitsOfAThreadBlockThatReadsTheRow) {
  for (const RmsNormForm form : kForms) {
    Guarded<float> out(params_.rows * params_.columns);
    params_.output = out.data();
    RmsNormHost(form, Emission::kPlain, params_);
    EXPECT_TRUE(out.guards_intact());
    for (std::int64_t row = 0; row < params_.rows; ++row) {
      const float* x = params_.x + row * params_.x_row_stride;
      const float mean = SlowSumOfSquares(x, params_.columns) /
                         static_cast<float>(params_.columns);
      const float r = 1.0f / std::sqrt(mean + kEpsilon);
      for (std::int64_t c = 0; c < params_.columns; ++c) {
        const float mul = params_.mul[row * params_.mul_row_stride + c];
        const float add = params_.add[row * params_.add_row_stride + c];
        ASSERT_EQ(out[row * params_.columns + c],
                  Apply(form, x[c] * r, mul, add, params_.scale))
            << "row " << row << " column " << c;
      }
    }
  }
}

// A lane adds at most columns / 256 + 1 squares and the trees ten more, each
// off by 2^-24 of the sum; the root halves that; four roundings follow.
TEST_P(RmsNormShapes, IsTheNormInDoublePrecision) {
  std::vector<float> out(
      static_cast<std::size_t>(params_.rows * params_.columns));
  params_.output = out.data();
  RmsNormHost(RmsNormForm::kPlain, Emission::kPlain, params_);
  const double bound =
      (static_cast<double>(params_.columns) / 512 + 10) * 0x1p-24;
  for (std::int64_t row = 0; row < params_.rows; ++row) {
    const float* x = params_.x + row * params_.x_row_stride;
    double sum = 0;
    for (std::int64_t c = 0; c < params_.columns; ++c) {
      sum += static_cast<double>(x[c]) * x[c];
    }
    const double norm = std::sqrt(sum / static_cast<double>(params_.columns) +
                                  double{kEpsilon});
    for (std::int64_t c = 0; c < params_.columns; ++c) {
      const double expected = x[c] / norm;
      ASSERT_NEAR(out[static_cast<std::size_t>(row * params_.columns + c)],
                  expected, std::fabs(expected) * bound);
    }
  }
}

TEST_P(RmsNormShapes, LeavesTheSameBytesInPlace) {
  if (GetParam().x_pad != 0) return;  // in place needs dense rows
  for (const RmsNormForm form : kForms) {
    std::vector<float> out(x_.size());
    params_.output = out.data();
    RmsNormHost(form, Emission::kPlain, params_);
    std::vector<float> in_place = x_;
    RmsNormParams same = params_;
    same.x = in_place.data();
    same.output = in_place.data();
    RmsNormHost(form, Emission::kPlain, same);
    EXPECT_EQ(in_place, out);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RmsNormShapes,
    testing::Values(Shape{32, 3, 0, false}, Shape{1, 2, 5, true},
                    Shape{1023, 2, 0, true}, Shape{1024, 2, 64, false},
                    Shape{2592, 3, 64, true}, Shape{8192, 1, 0, false}));

TEST(RmsNorm, GivesWorkedValues) {
  const float x[] = {3, -4, 0, 0};
  const float mul[] = {2, 2, 2, 2};
  const float add[] = {1, 1, 1, 1};
  float out[4];
  RmsNormParams params{.x = x,
                       .output = out,
                       .mul = mul,
                       .add = add,
                       .columns = 4,
                       .rows = 1,
                       .scale = 10};
  const struct {
    RmsNormForm form;
    std::vector<float> expected;  // the norm of x is sqrt(25 / 4) = 2.5
  } kCases[] = {{RmsNormForm::kPlain, {1.2f, -1.6f, 0, 0}},
                {RmsNormForm::kMul, {2.4f, -3.2f, 0, 0}},
                {RmsNormForm::kMulAdd, {3.4f, -2.2f, 1, 1}},
                {RmsNormForm::kScale, {12, -16, 0, 0}}};
  for (const auto& [form, expected] : kCases) {
    RmsNormHost(form, Emission::kPlain, params);
    for (int c = 0; c < 4; ++c) EXPECT_FLOAT_EQ(out[c], expected[c]);
  }
}

TEST(RmsNorm, NeedsNeitherMulNorAddForTheFormsThatIgnoreThem) {
  const float x[] = {1, 1};
  float out[2] = {};
  RmsNormHost(RmsNormForm::kPlain, Emission::kPlain,
              {.x = x,
               .output = out,
               .columns = 1,
               .rows = 2,
               .x_row_stride = 1,
               .mul_row_stride = 1,
               .add_row_stride = 1});
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 1);
}

TEST(RmsNorm, LeavesNoRowsAlone) {
  Guarded<float> out(4);
  for (const RmsNormForm form : kForms) {
    RmsNormHost(form, Emission::kEmit, {.output = out.data(), .columns = 4});
  }
  EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace reprise
