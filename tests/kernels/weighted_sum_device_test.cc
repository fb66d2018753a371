#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/weighted_sum.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

TEST_F(OnDevice, WeightedSumHasTheHostsBytes) {
  for (const std::int64_t columns : {1, 255, 257, 2048}) {
    for (const std::int32_t slots : {0, 1, 8}) {
      constexpr std::int32_t kTokens = 5;
      RandomFloats random(74);
      const auto rows =
          random.Row(static_cast<std::size_t>(kTokens * slots * columns));
      const auto weights =
          random.Row(static_cast<std::size_t>(kTokens * slots));
      std::vector<float> expected(static_cast<std::size_t>(kTokens * columns));
      WeightedSumParams params{rows.data(), weights.data(), expected.data(),
                               columns,     kTokens,        slots};
      RunOnHost("reprise_weighted_sum", params);
      const DeviceArray<float> device_rows(rows), device_weights(weights);
      DeviceArray<float> output(kTokens * columns);
      params.rows = device_rows.data();
      params.weights = device_weights.data();
      params.output = output.data();
      RunOnDevice("reprise_weighted_sum", params);
      EXPECT_TRUE(SameBytes(output.Download(), expected));
      EXPECT_TRUE(output.guards_intact());
    }
  }
}

TEST_F(OnDevice, WeightedSumDoesNothingWithoutTokens) {
  DeviceArray<float> output(4);
  RunOnDevice("reprise_weighted_sum",
              WeightedSumParams{.output = output.data(), .columns = 4});
  EXPECT_TRUE(output.untouched());
}

}  // namespace
}  // namespace reprise
