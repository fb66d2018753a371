#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/emission.h"
#include "kernels/glu.h"
#include "kernels/quantize_q8_1.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr const char* kFunctions[] = {
    "reprise_glu_reglu",       "reprise_glu_geglu",
    "reprise_glu_swiglu",      "reprise_glu_geglu_erf",
    "reprise_glu_geglu_quick", "reprise_glu_swiglu_oai",
    "reprise_glu_swiglu_clamp"};

struct Extents {
  std::int64_t columns, rows;
};

enum class Layout { kSeparate, kPacked, kSwapped, kOverGate, kOverUp };

// The operands of one problem as they lie in one array of floats.
struct Operands {
  std::vector<float> floats;
  std::int64_t gate = 0;
  std::int64_t up = 0;
  std::int64_t row_stride = 0;
};

Operands Lay(Layout layout, Extents e, float scale) {
  Operands operands;
  const bool in_rows = layout == Layout::kPacked || layout == Layout::kSwapped;
  const bool in_place =
      layout == Layout::kOverGate || layout == Layout::kOverUp;
  operands.row_stride = in_rows    ? 2 * e.columns + 3
                        : in_place ? e.columns
                                   : e.columns + 5;
  const std::int64_t one = e.rows * operands.row_stride;
  operands.up = in_rows ? e.columns : one;
  operands.floats = RandomFloats(51).Row(
      static_cast<std::size_t>(in_rows ? one : 2 * one), scale);
  if (layout == Layout::kSwapped) std::swap(operands.gate, operands.up);
  return operands;
}

GluParams Params(Extents e, const Operands& operands, const float* floats) {
  return {.gate = floats + operands.gate,
          .up = floats + operands.up,
          .columns = e.columns,
          .rows = e.rows,
          .gate_row_stride = operands.row_stride,
          .up_row_stride = operands.row_stride,
          .alpha = 1.702f,
          .limit = 7};
}

std::vector<float> OnTheHost(const std::string& function, Extents e,
                             const Operands& operands) {
  std::vector<float> output(static_cast<std::size_t>(e.columns * e.rows));
  GluParams params = Params(e, operands, operands.floats.data());
  params.output = output.data();
  RunOnHost(function, params);
  return output;
}

struct Result {
  std::vector<float> output;
  std::vector<BlockQ8_1> image;
};

Result RunGlu(const std::string& symbol, Layout layout, Extents e,
              const Operands& operands) {
  DeviceArray<float> floats(static_cast<std::int64_t>(operands.floats.size()));
  floats.Upload(operands.floats);
  DeviceArray<float> apart(e.columns * e.rows);
  DeviceArray<BlockQ8_1> image(e.rows * ImageRowBlocks(e.columns));
  GluParams params = Params(e, operands, floats.data());
  const std::int64_t place =
      layout == Layout::kOverGate ? operands.gate : operands.up;
  const bool in_place =
      layout == Layout::kOverGate || layout == Layout::kOverUp;
  params.output = in_place ? floats.data() + place : apart.data();
  params.image = image.data();
  RunOnDevice(symbol, params);
  EXPECT_TRUE(floats.guards_intact() && apart.guards_intact() &&
              image.guards_intact());
  if (!symbol.ends_with(kEmitSuffix)) {
    EXPECT_TRUE(image.untouched());
  }
  std::vector<float> output = apart.Download();
  if (in_place) {
    EXPECT_TRUE(apart.untouched());
    const std::vector<float> all = floats.Download();
    std::copy_n(all.begin() + place, output.size(), output.begin());
  }
  return {std::move(output), image.Download()};
}

std::vector<BlockQ8_1> QuantizedOnTheHost(const std::vector<float>& rows,
                                          Extents e) {
  std::vector<BlockQ8_1> image(
      static_cast<std::size_t>(e.rows * ImageRowBlocks(e.columns)));
  QuantizeQ8_1Host({.source = rows.data(),
                    .image = image.data(),
                    .columns = e.columns,
                    .rows = e.rows,
                    .planes = 1,
                    .row_stride = e.columns});
  return image;
}

// Both forms of one function: the same floats, and the image of those floats.
// Gives the floats.
std::vector<float> ExpectTwins(const std::string& function, Layout layout,
                               Extents e, const Operands& operands) {
  const Result plain = RunGlu(function, layout, e, operands);
  const Result emit =
      RunGlu(function + std::string(kEmitSuffix), layout, e, operands);
  EXPECT_TRUE(SameBytes(emit.output, plain.output));
  EXPECT_TRUE(SameBytes(emit.image, QuantizedOnTheHost(emit.output, e)));
  const Result again = RunGlu(function, layout, e, operands);
  EXPECT_TRUE(SameBytes(again.output, plain.output)) << "a second run";
  return plain.output;
}

class GluOnDevice : public OnDevice {};

// The host's and the device's exp, tanh and erf are each within two units in
// the last place; a difference of three may become one of six in the three or
// four roundings that follow. 1 + tanh and 1 + erf lose more of their own value
// where they near 0, but nothing beside x * g.
TEST_F(GluOnDevice, IsWithinEightUnitsOfTheHostInEveryLayout) {
  constexpr float kUnits = 8 * 0x1p-23f;
  for (const Layout layout :
       {Layout::kSeparate, Layout::kPacked, Layout::kSwapped, Layout::kOverGate,
        Layout::kOverUp}) {
    for (const Extents e :
         {Extents{1, 1}, {31, 2}, {257, 3}, {512, 2}, {2592, 3}, {11008, 1}}) {
      const Operands operands = Lay(layout, e, 12);
      for (const char* function : kFunctions) {
        SCOPED_TRACE(testing::Message()
                     << function << " layout " << static_cast<int>(layout)
                     << ": " << e.rows << " rows of " << e.columns);
        const auto actual = ExpectTwins(function, layout, e, operands);
        const auto expected = OnTheHost(function, e, operands);
        for (std::int64_t i = 0; i < e.columns * e.rows; ++i) {
          const std::int64_t row = i / e.columns, column = i % e.columns;
          const auto at =
              static_cast<std::size_t>(row * operands.row_stride + column);
          const float x = operands.floats[at + operands.gate];
          const float g = operands.floats[at + operands.up];
          const auto k = static_cast<std::size_t>(i);
          ASSERT_NEAR(actual[k], expected[k],
                      kUnits * std::fabs(x) * (std::fabs(g) + 1))
              << "x " << x << " g " << g;
        }
      }
    }
  }
}

TEST_F(GluOnDevice, EmitsTheImageOfWhateverItStored) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Extents e{1024, 2};
  Operands operands = Lay(Layout::kSeparate, e, 1);
  RandomFloats random(52);
  for (float& value : operands.floats) {
    value = std::ldexp(value, static_cast<int>(random.Bits() % 200) - 100);
    const std::uint32_t kind = random.Bits() % 100;
    if (kind == 0) value = kNan;
    if (kind == 1) value = kInfinity;
    if (kind == 2) value = -kInfinity;
    if (kind == 3) value = -0.0f;
  }
  for (const char* function : kFunctions) {
    SCOPED_TRACE(function);
    ExpectTwins(function, Layout::kSeparate, e, operands);
  }
}

// Nothing but a maximum and a product.
TEST_F(GluOnDevice, HasTheHostsBytesOfReglu) {
  const Extents e{2592, 3};
  const Operands operands = Lay(Layout::kPacked, e, 12);
  EXPECT_TRUE(
      SameBytes(ExpectTwins(kFunctions[0], Layout::kPacked, e, operands),
                OnTheHost(kFunctions[0], e, operands)));
}

TEST_F(GluOnDevice, LeavesNoRowsAlone) {
  for (const std::string function : kFunctions) {
    DeviceArray<float> output(4);
    DeviceArray<BlockQ8_1> image(16);
    RunOnDevice(
        function + std::string(kEmitSuffix),
        GluParams{
            .output = output.data(), .image = image.data(), .columns = 4});
    EXPECT_TRUE(output.untouched() && image.untouched());
  }
}

}  // namespace
}  // namespace reprise
