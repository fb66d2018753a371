#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "kernels/quantize_q8_1.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/wild_lanes.h"

namespace reprise {
namespace {

std::size_t ImageBlocks(const QuantizeQ8_1Params& params) {
  return static_cast<std::size_t>(params.planes * params.rows *
                                  ImageRowBlocks(params.columns));
}

// `params` but for its pointers.
std::vector<BlockQ8_1> OnTheHost(QuantizeQ8_1Params params,
                                 const std::vector<float>& source) {
  std::vector<BlockQ8_1> image(ImageBlocks(params));
  params.source = source.data();
  params.image = image.data();
  RunOnHost("reprise_quantize_q8_1", params);
  return image;
}

std::vector<BlockQ8_1> OnTheDevice(QuantizeQ8_1Params params,
                                   const std::vector<float>& source) {
  const DeviceArray<float> from(source);
  DeviceArray<BlockQ8_1> image(static_cast<std::int64_t>(ImageBlocks(params)));
  params.source = from.data();
  params.image = image.data();
  RunOnDevice("reprise_quantize_q8_1", params);
  EXPECT_TRUE(image.guards_intact());
  return image.Download();
}

// Full blocks one after the other, sixteen a row.
void ExpectTheHostsBlocks(std::vector<float> values) {
  values.resize((values.size() + 511) / 512 * 512);
  const QuantizeQ8_1Params params{
      .columns = 512,
      .rows = static_cast<std::int64_t>(values.size() / 512),
      .planes = 1,
      .row_stride = 512};
  ASSERT_TRUE(
      SameBytes(OnTheDevice(params, values), OnTheHost(params, values)));
}

class QuantizeOnDevice : public OnDevice {};

TEST_F(QuantizeOnDevice, GivesTheHostsBytesOfAMillionWildBlocks) {
  constexpr std::int64_t kBatch = 1 << 16;
  RandomFloats random(31);
  std::int64_t left = Thinned(1 << 20);
  while (left > 0 && !HasFailure()) {
    const std::int64_t count = std::min(left, kBatch);
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(count * kImageBlockValues));
    for (std::int64_t i = 0; i < count; ++i) {
      const Lanes lanes = WildLanes(i, random);
      values.insert(values.end(), lanes.begin(), lanes.end());
    }
    ExpectTheHostsBlocks(std::move(values));
    left -= count;
  }
}

TEST_F(QuantizeOnDevice, GivesTheHostsBytesOfEachSpecialInEachLane) {
  std::vector<float> values;
  for (const float special : kSpecials) {
    for (const float rest : {0.0f, 1.0f, 127.0f, 3000.0f, 1e-39f, kNan}) {
      for (int lane = 0; lane < kImageBlockValues; ++lane) {
        for (int i = 0; i < kImageBlockValues; ++i) {
          values.push_back(i == lane ? special : rest);
        }
      }
    }
    values.insert(values.end(), kImageBlockValues, special);
  }
  ExpectTheHostsBlocks(std::move(values));
}

// Between 1 and 1,000 steps the scale is rounded hard, to 0 at first, and
// quotients reach 191; about 2^-64 and 2^64 the kernel changes its division.
TEST_F(QuantizeOnDevice, GivesTheHostsBytesAtEveryKindOfScale) {
  std::vector<float> maxima;
  for (int steps = 1; steps <= 1000; ++steps) {
    maxima.push_back(static_cast<float>(steps) * kStep);
  }
  for (int exponent = -149; exponent <= 127; ++exponent) {
    const float power = std::ldexp(1.0f, exponent);
    maxima.push_back(std::nextafter(power, 0.0f));
    maxima.push_back(power);
    maxima.push_back(std::nextafter(power, kInfinity));
  }
  RandomFloats random(32);
  std::vector<float> values;
  for (const float amax : maxima) {
    values.push_back(-amax);
    for (int i = 1; i < kImageBlockValues; ++i) {
      values.push_back(amax * random.Next());
    }
  }
  ExpectTheHostsBlocks(std::move(values));
}

TEST_F(QuantizeOnDevice, SendsEveryExactTieAwayFromZero) {
  std::vector<float> values;
  for (int exponent = -20; exponent <= 20; ++exponent) {
    const float scale = std::ldexp(1.0f, exponent);
    for (int k = 0; k < 127; ++k) {
      const float tie = (static_cast<float>(k) + 0.5f) * scale;
      for (const float towards : {0.0f, tie, kInfinity}) {
        const float beside = std::nextafter(tie, towards);
        values.insert(values.end(), {127 * scale, beside, -beside});
        values.resize(values.size() + kImageBlockValues - 3);
      }
    }
  }
  ExpectTheHostsBlocks(std::move(values));
}

struct Extents {
  std::int64_t columns, rows, planes, row_pad;
};

class QuantizeExtentsOnDevice : public OnDevice,
                                public testing::WithParamInterface<Extents> {};

TEST_P(QuantizeExtentsOnDevice, WritesTheWholeImageAndNothingElse) {
  const Extents e = GetParam();
  const std::int64_t row_stride = e.columns + e.row_pad;
  const std::int64_t plane_stride = e.rows * row_stride + 7 * e.row_pad;
  const std::int64_t size = e.planes * plane_stride - 7 * e.row_pad - e.row_pad;
  const auto source = RandomFloats(33).Row(static_cast<std::size_t>(size), 10);
  const QuantizeQ8_1Params params{.columns = e.columns,
                                  .rows = e.rows,
                                  .planes = e.planes,
                                  .row_stride = row_stride,
                                  .plane_stride = plane_stride};
  const std::vector<BlockQ8_1> image = OnTheDevice(params, source);
  EXPECT_TRUE(SameBytes(image, OnTheHost(params, source)));
  EXPECT_TRUE(SameBytes(OnTheDevice(params, source), image)) << "a second run";
}

INSTANTIATE_TEST_SUITE_P(
    Rows, QuantizeExtentsOnDevice,
    testing::Values(Extents{1, 1, 1, 0}, Extents{1, 2, 3, 3},
                    Extents{31, 2, 1, 1}, Extents{32, 129, 1, 64},
                    Extents{33, 2, 2, 0}, Extents{511, 3, 1, 0},
                    Extents{512, 65, 1, 64}, Extents{513, 2, 1, 7},
                    Extents{2590, 3, 2, 1}, Extents{2592, 5, 3, 64},
                    Extents{4096, 2, 2, 0}, Extents{18944, 2, 1, 64}));

TEST_F(QuantizeOnDevice, LeavesTheImageAloneWhenThereIsNothingToDo) {
  for (const Extents& e :
       {Extents{512, 0, 1, 0}, Extents{512, 1, 0, 0}, Extents{0, 1, 1, 0}}) {
    DeviceArray<BlockQ8_1> image(16);
    RunOnDevice("reprise_quantize_q8_1",
                QuantizeQ8_1Params{.image = image.data(),
                                   .columns = e.columns,
                                   .rows = e.rows,
                                   .planes = e.planes});
    EXPECT_TRUE(image.untouched());
  }
}

}  // namespace
}  // namespace reprise
