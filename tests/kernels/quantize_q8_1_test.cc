#include "kernels/quantize_q8_1.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/slow_q8_1.h"

namespace reprise {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kSignalingNan = std::numeric_limits<float>::signaling_NaN();
constexpr float kStep = 0x1p-149f;  // the smallest float

// 32 lanes of `rest`, but for the lanes named.
struct LaneValue {
  std::size_t lane;
  float value;
};
WarpLanes Lanes(float rest, std::initializer_list<LaneValue> others = {}) {
  WarpLanes lanes;
  lanes.fill(rest);
  for (const auto& [lane, value] : others) lanes[lane] = value;
  return lanes;
}

BlockQ8_1 QuantizeLanes(const WarpLanes& lanes) {
  std::vector<BlockQ8_1> row(16);
  QuantizeRowQ8_1(lanes.data(), 32, row.data());
  return row[0];
}

bool SameBytes(const BlockQ8_1& a, const BlockQ8_1& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

struct Worked {
  const char* name;
  WarpLanes lanes;
  std::uint16_t scale;
  std::uint16_t sum;
  int rest;  // the quant of every lane but those named
  std::vector<std::pair<std::size_t, int>> others;
};

// Worked by hand from the formula in the header.
const Worked kWorked[] = {
    {"Zeros", Lanes(0), 0, 0, 0, {}},
    {"NegativeZeros", Lanes(-0.0f), 0, 0x8000, 0, {}},
    {"Ones", Lanes(1), 0x2008, 0x5000, 127, {}},
    // 71362 steps: scale 562 steps, quotient 126.98.
    {"Subnormals", Lanes(1e-40f), 0, 0, 127, {}},
    {"SubnormalScale", Lanes(1e-38f), 0, 0, 127, {}},
    // 60/127 of a step rounds to scale 0: quotients are infinities and NaN.
    {"ScaleRoundsToZero",
     Lanes(0, {{3, 60 * kStep}, {4, -60 * kStep}}),
     0,
     0,
     0,
     {{3, -1}, {4, 0}}},
    // 190/127 of a step rounds to one step: 190 does not fit, 190 - 256 stays.
    {"QuotientPassesAByte", Lanes(190 * kStep), 0, 0, -66, {}},
    {"InfinityInLane0", Lanes(1, {{0, kInfinity}}), 0x7C00, 0x7C00, 0, {}},
    {"InfinityInLane31", Lanes(1, {{31, -kInfinity}}), 0x7C00, 0xFC00, 0, {}},
    {"BothInfinities",
     Lanes(1, {{0, kInfinity}, {31, -kInfinity}}),
     0x7C00,
     0x7FFF,
     0,
     {}},
    {"AllNan", Lanes(kNan), 0x7FFF, 0x7FFF, 0, {}},
    {"OneNan", Lanes(127, {{5, kNan}}), 0x3C00, 0x7FFF, 127, {{5, 0}}},
    {"NanInLane0", Lanes(127, {{0, -kNan}}), 0x3C00, 0x7FFF, 127, {{0, 0}}},
    {"AllSignalingNan", Lanes(kSignalingNan), 0x7FFF, 0x7FFF, 0, {}},
    {"SignalingNansInAMiddleAndTheLastLane",
     Lanes(127, {{5, kSignalingNan}, {31, -kSignalingNan}}),
     0x3C00,
     0x7FFF,
     127,
     {{5, 0}, {31, 0}}},
    {"SumPassesHalf", Lanes(3000), 0x4DE8, 0x7C00, 127, {}},
    {"NegativeSumPassesHalf", Lanes(-3000), 0x4DE8, 0xFC00, -127, {}},
    {"ScalePassesHalf",
     Lanes(0, {{0, 1e7f}, {1, -1e7f}}),
     0x7C00,
     0,
     0,
     {{0, 127}, {1, -127}}},
    {"TiesGoAwayFromZero",
     Lanes(0, {{0, 127},
               {1, 0.5f},
               {2, -0.5f},
               {3, 1.5f},
               {4, 2.5f},
               {5, -2.5f},
               {6, 126.5f},
               {7, -126.5f},
               {8, 0.49999997f},
               {9, -127}}),
     0x3C00,
     0x4000,
     0,
     {{0, 127},
      {1, 1},
      {2, -1},
      {3, 2},
      {4, 3},
      {5, -3},
      {6, 127},
      {7, -127},
      {8, 0},
      {9, -127}}},
};

class QuantizeWorked : public testing::TestWithParam<Worked> {};

TEST_P(QuantizeWorked, GivesTheBytesOfTheFormula) {
  const Worked& worked = GetParam();
  BlockQ8_1 expected{worked.scale, worked.sum, {}};
  std::fill_n(expected.quants, 32, static_cast<std::int8_t>(worked.rest));
  for (const auto& [lane, quant] : worked.others) {
    expected.quants[lane] = static_cast<std::int8_t>(quant);
  }
  const BlockQ8_1 block = QuantizeLanes(worked.lanes);
  EXPECT_EQ(block.scale, expected.scale);
  EXPECT_EQ(block.sum, expected.sum);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(block.quants[i], expected.quants[i]) << "lane " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, QuantizeWorked, testing::ValuesIn(kWorked),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

// Half the lanes nearly cancel the others, and sizes lie far apart, so that
// the sum's bits depend on the order of additions.
WarpLanes CancellingLanes(RandomFloats& random) {
  WarpLanes lanes;
  for (float& lane : lanes) {
    lane = std::ldexp(random.Next(), static_cast<int>(random.Bits() % 24) - 8);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t other = random.Bits() % 32;
    if (random.Bits() % 2 == 0) lanes[other] = -lanes[i] + 0x1p-12f;
  }
  return lanes;
}

TEST(Quantize, AgreesWithAWarpOnAHundredThousandCancellingBlocks) {
  RandomFloats random(3);
  for (int round = 0; round < 100'000; ++round) {
    const WarpLanes lanes = CancellingLanes(random);
    ASSERT_TRUE(SameBytes(QuantizeLanes(lanes), SlowQuantizeBlock(lanes)))
        << "block " << round;
  }
}

// Lanes within one step of a tie, where a scale or a quotient that is off by
// its last bit, such as a product with a reciprocal, gives another quant.
WarpLanes LanesNearTies(RandomFloats& random) {
  WarpLanes lanes;
  lanes[0] = 3 + random.Next();
  const float scale = SlowQuotient(lanes[0], 127);
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    const float tie = (static_cast<float>(random.Bits() % 126) + 0.5f) * scale;
    const float towards[] = {-10, tie, 10};
    lanes[i] = std::nextafter(tie, towards[random.Bits() % 3]);
  }
  return lanes;
}

TEST(Quantize, AgreesWithAWarpBesideTies) {
  RandomFloats random(20);
  for (int round = 0; round < 20'000; ++round) {
    const WarpLanes lanes = LanesNearTies(random);
    ASSERT_TRUE(SameBytes(QuantizeLanes(lanes), SlowQuantizeBlock(lanes)))
        << "block " << round;
  }
}

TEST(Quantize, SendsEveryExactTieAwayFromZero) {
  for (int exponent = -10; exponent <= 10; ++exponent) {
    const float scale = std::ldexp(1.0f, exponent);
    for (int k = 0; k < 127; ++k) {
      const float tie = (static_cast<float>(k) + 0.5f) * scale;
      const BlockQ8_1 block =
          QuantizeLanes(Lanes(127 * scale, {{1, tie}, {2, -tie}}));
      ASSERT_EQ(block.quants[1], k + 1);
      ASSERT_EQ(block.quants[2], -k - 1);
    }
  }
}

struct Extent3 {
  std::int64_t columns, rows, planes, row_pad;
};

// One row after the other through the slow warp, zero blocks past the columns.
std::vector<BlockQ8_1> SlowImage(const QuantizeQ8_1Params& params) {
  std::vector<BlockQ8_1> image;
  for (std::int64_t r = 0; r < params.rows * params.planes; ++r) {
    const float* row = params.source + r / params.rows * params.plane_stride +
                       r % params.rows * params.row_stride;
    for (std::int64_t first = 0; first < PaddedColumns(params.columns);
         first += 32) {
      WarpLanes lanes{};
      for (std::int64_t i = 0; i < 32 && first + i < params.columns; ++i) {
        lanes[static_cast<std::size_t>(i)] = row[first + i];
      }
      image.push_back(SlowQuantizeBlock(lanes));
    }
  }
  return image;
}

class QuantizeExtents : public testing::TestWithParam<Extent3> {};

TEST_P(QuantizeExtents, WritesTheWholeImageAndNothingElse) {
  const Extent3 e = GetParam();
  const std::int64_t row_stride = e.columns + e.row_pad;
  const std::int64_t plane_stride = e.rows * row_stride + 7 * e.row_pad;
  const auto source = RandomFloats(4).Row(
      static_cast<std::size_t>(e.planes * plane_stride), 10);
  const std::int64_t blocks = e.rows * e.planes * ImageRowBlocks(e.columns);
  Guarded<BlockQ8_1> image(blocks);
  const QuantizeQ8_1Params params{source.data(), image.data(), e.columns,
                                  e.rows,        e.planes,     row_stride,
                                  plane_stride};
  QuantizeQ8_1Host(params);
  EXPECT_TRUE(image.guards_intact());
  const std::vector<BlockQ8_1> slow = SlowImage(params);
  ASSERT_EQ(slow.size(), image.size());
  EXPECT_EQ(std::memcmp(image.data(), slow.data(), image.bytes().size()), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, QuantizeExtents,
    testing::Values(Extent3{2592, 1, 1, 0}, Extent3{2592, 63, 1, 64},
                    Extent3{2592, 64, 1, 64}, Extent3{512, 65, 1, 64},
                    Extent3{32, 129, 1, 64}, Extent3{2592, 5, 3, 64},
                    Extent3{4096, 2, 2, 0}, Extent3{18944, 2, 1, 64},
                    Extent3{2590, 3, 2, 1}, Extent3{1, 2, 1, 3}));

TEST(Quantize, LeavesTheImageAloneWhenThereAreNoRows) {
  for (const auto& [rows, planes] : {std::pair{0, 1}, {1, 0}, {0, 0}}) {
    Guarded<BlockQ8_1> image(16);
    QuantizeQ8_1Host({.image = image.data(),
                      .columns = 512,
                      .rows = rows,
                      .planes = planes});
    EXPECT_TRUE(image.untouched());
  }
}

}  // namespace
}  // namespace reprise
