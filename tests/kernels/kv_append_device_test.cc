#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kv_append.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

// Every half's neighbourhood is among these: values from 2^-26 to 2^18, and
// some of any bits.
std::vector<float> Values(std::int64_t count) {
  RandomFloats random(73);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    const std::uint32_t bits = random.Bits();
    const std::uint32_t exponent = 101 + random.Bits() % 45;
    const bool any = random.Bits() % 4 == 0;
    value = std::bit_cast<float>(any ? bits
                                     : (bits & 0x807FFFFF) | (exponent << 23));
  }
  return values;
}

TEST_F(OnDevice, KvAppendRoundsAsTheHostAndSkipsPositionsOutsideTheCache) {
  constexpr std::int32_t kCapacity = 300;
  std::vector<std::int32_t> positions = {-1, kCapacity, INT32_MIN, INT32_MAX};
  for (std::int32_t p = 0; p < 250; ++p) positions.push_back(kCapacity - 1 - p);
  const auto tokens = static_cast<std::int32_t>(positions.size());
  for (const std::int64_t columns : {1, 64, 257, 1024}) {
    const std::int64_t stride = columns + 7;
    const auto source = Values((tokens - 1) * stride + columns);
    std::vector<std::uint16_t> expected(
        static_cast<std::size_t>(kCapacity * columns), 0xFFFF);
    KvAppendParams params{.source = source.data(),
                          .cache = expected.data(),
                          .positions = positions.data(),
                          .columns = columns,
                          .source_row_stride = stride,
                          .capacity = kCapacity,
                          .tokens = tokens};
    RunOnHost("reprise_kv_append", params);
    const DeviceArray<float> device_source(source);
    const DeviceArray<std::int32_t> device_positions(positions);
    DeviceArray<std::uint16_t> cache(kCapacity * columns);
    params.source = device_source.data();
    params.positions = device_positions.data();
    params.cache = cache.data();
    RunOnDevice("reprise_kv_append", params);
    EXPECT_TRUE(SameBytes(cache.Download(), expected));
    EXPECT_TRUE(cache.guards_intact());
  }
}

TEST_F(OnDevice, KvAppendDoesNothingWithoutTokens) {
  DeviceArray<std::uint16_t> cache(4);
  RunOnDevice(
      "reprise_kv_append",
      KvAppendParams{.cache = cache.data(), .columns = 4, .capacity = 1});
  EXPECT_TRUE(cache.untouched());
}

}  // namespace
}  // namespace reprise
