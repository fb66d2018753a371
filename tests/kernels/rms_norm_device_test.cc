#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/emission.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr const char* kForms[] = {"reprise_rms_norm", "reprise_rms_norm_mul",
                                  "reprise_rms_norm_mul_add",
                                  "reprise_rms_norm_scale"};

struct Shape {
  std::int64_t columns, rows, x_pad;
  bool broadcast;  // one row of mul and of add for all
};

// The columns on either side of each border: of a warp, of the short rows'
// thread blocks, of the image's padding, of the long rows' turns.
std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (const std::int64_t columns :
       {1,    31,   32,   33,   255,  256,  257,  511,  512,   513,
        1023, 1024, 1025, 2047, 2048, 2049, 4096, 8192, 16385, 65536}) {
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 43, 70}) {
      const bool odd = rows % 2 == 1;
      if (rows > 9 && columns > 8192) continue;
      if (rows > 1 && Thinned(50) == 1) continue;
      shapes.push_back({columns, rows, odd ? 0 : 64, rows % 3 == 1});
    }
  }
  return shapes;
}

std::string Named(const char* form, Emission emission) {
  const bool emits = emission == Emission::kEmit;
  return form + std::string(emits ? kEmitSuffix : "");
}

std::vector<BlockQ8_1> QuantizedOnTheHost(const std::vector<float>& rows,
                                          const Shape& shape) {
  std::vector<BlockQ8_1> image(
      static_cast<std::size_t>(shape.rows * ImageRowBlocks(shape.columns)));
  QuantizeQ8_1Host({.source = rows.data(),
                    .image = image.data(),
                    .columns = shape.columns,
                    .rows = shape.rows,
                    .planes = 1,
                    .row_stride = shape.columns});
  return image;
}

// One problem on the host, and on the device in every way.
class RmsNormCase {
 public:
  RmsNormCase(const Shape& shape, std::vector<float> x)
      : shape_(shape), x_(std::move(x)), device_x_(x_) {
    RandomFloats random(42);
    const auto side = static_cast<std::size_t>(
        shape.columns * (shape.broadcast ? 1 : shape.rows));
    mul_ = random.Row(side, 3);
    add_ = random.Row(side, 2);
    const std::int64_t side_stride = shape.broadcast ? 0 : shape.columns;
    params_ = {.columns = shape.columns,
               .rows = shape.rows,
               .x_row_stride = shape.columns + shape.x_pad,
               .mul_row_stride = side_stride,
               .add_row_stride = side_stride,
               .epsilon = 1e-5f,
               .scale = 0.75f};
  }

  void ExpectTheHostsBytesOf(const char* form) {
    const std::vector<float> expected = OnTheHost(form);
    const DeviceArray<float> mul(mul_), add(add_);
    for (const Emission emission : {Emission::kPlain, Emission::kEmit}) {
      for (const bool in_place : {false, true}) {
        if (in_place && shape_.x_pad != 0) continue;
        SCOPED_TRACE(Named(form, emission) + (in_place ? " in place" : ""));
        DeviceArray<float> output(values());
        DeviceArray<BlockQ8_1> image(shape_.rows *
                                     ImageRowBlocks(shape_.columns));
        if (in_place) output.Upload(x_);
        RmsNormParams params = params_;
        params.x = in_place ? output.data() : device_x_.data();
        params.output = output.data();
        params.image = image.data();
        params.mul = mul.data();
        params.add = add.data();
        RunOnDevice(Named(form, emission), params);
        const std::vector<float> stored = output.Download();
        EXPECT_TRUE(SameBytes(WithOneNan(stored), expected));
        EXPECT_TRUE(output.guards_intact());
        if (emission == Emission::kPlain) {
          EXPECT_TRUE(image.untouched());
        } else {
          EXPECT_TRUE(
              SameBytes(image.Download(), QuantizedOnTheHost(stored, shape_)));
          EXPECT_TRUE(image.guards_intact());
        }
      }
    }
  }

 private:
  std::int64_t values() const { return shape_.rows * shape_.columns; }

  std::vector<float> OnTheHost(const char* form) const {
    std::vector<float> output(static_cast<std::size_t>(values()));
    RmsNormParams params = params_;
    params.x = x_.data();
    params.output = output.data();
    params.mul = mul_.data();
    params.add = add_.data();
    RunOnHost(form, params);
    return WithOneNan(std::move(output));
  }

  Shape shape_;
  std::vector<float> x_, mul_, add_;
  DeviceArray<float> device_x_;
  RmsNormParams params_;
};

class RmsNormOnDevice : public OnDevice {};

std::size_t SizeOfX(const Shape& shape) {
  const std::int64_t stride = shape.columns + shape.x_pad;
  return static_cast<std::size_t>(shape.rows * stride - shape.x_pad);
}

TEST_F(RmsNormOnDevice, HasTheHostsBytesWithAndWithoutTheImageAndInPlace) {
  for (const Shape& shape : Shapes()) {
    SCOPED_TRACE(testing::Message()
                 << shape.columns << " columns, " << shape.rows << " rows");
    RmsNormCase one(shape, RandomFloats(41).Row(SizeOfX(shape), 5));
    for (const char* form : kForms) one.ExpectTheHostsBytesOf(form);
    if (HasFailure()) return;
  }
}

TEST_F(RmsNormOnDevice, HasTheHostsBytesOfValuesThatAreNoOrdinaryNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Shape shape{2560, 6, 0, true};
  std::vector<float> x = RandomFloats(43).Row(SizeOfX(shape));
  const auto row = [&x](std::size_t r) { return x.begin() + r * 2560; };
  std::fill_n(row(0), 2560, 0.0f);
  std::for_each(row(1), row(2), [](float& value) { value *= 1e30f; });
  std::for_each(row(2), row(3), [](float& value) { value *= 1e-40f; });
  *(row(3) + 1500) = kNan;
  *(row(4) + 7) = -kInfinity;
  std::for_each(row(5), x.end(), [](float& value) { value *= 1e-20f; });
  RmsNormCase one(shape, x);
  for (const char* form : kForms) one.ExpectTheHostsBytesOf(form);
}

TEST_F(RmsNormOnDevice, LeavesNoRowsAlone) {
  for (const char* form : kForms) {
    DeviceArray<float> output(4);
    DeviceArray<BlockQ8_1> image(16);
    RunOnDevice(
        Named(form, Emission::kEmit),
        RmsNormParams{
            .output = output.data(), .image = image.data(), .columns = 4});
    EXPECT_TRUE(output.untouched() && image.untouched());
  }
}

}  // namespace
}  // namespace reprise
