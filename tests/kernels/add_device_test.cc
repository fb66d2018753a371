#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/add.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

TEST_F(OnDevice, AddHasTheHostsBytesOfAnyBits) {
  RandomFloats random(71);
  for (const std::size_t count : {1u, 31u, 256u, 257u, 70'001u}) {
    std::vector<float> a(count), b(count), expected(count);
    for (float& value : a) value = std::bit_cast<float>(random.Bits());
    for (float& value : b) value = std::bit_cast<float>(random.Bits());
    AddParams params{a.data(), b.data(), expected.data(),
                     static_cast<std::int64_t>(count)};
    RunOnHost("reprise_add", params);
    const DeviceArray<float> device_a(a), device_b(b);
    DeviceArray<float> output(params.count);
    params = {device_a.data(), device_b.data(), output.data(), params.count};
    RunOnDevice("reprise_add", params);
    EXPECT_TRUE(SameBytes(WithOneNan(output.Download()), WithOneNan(expected)));
    EXPECT_TRUE(output.guards_intact());
  }
}

TEST_F(OnDevice, AddWritesOverItsOperand) {
  DeviceArray<float> a(3);
  a.Upload(std::vector<float>{1, 2, 3});
  const DeviceArray<float> b(std::vector<float>{10, 20, 30});
  RunOnDevice("reprise_add", AddParams{a.data(), b.data(), a.data(), 3});
  EXPECT_EQ(a.Download(), (std::vector<float>{11, 22, 33}));
}

TEST_F(OnDevice, AddDoesNothingWithoutValues) {
  DeviceArray<float> output(4);
  RunOnDevice("reprise_add", AddParams{.output = output.data()});
  EXPECT_TRUE(output.untouched());
}

}  // namespace
}  // namespace reprise
