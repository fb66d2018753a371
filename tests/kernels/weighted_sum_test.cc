#include "kernels/weighted_sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/kernels/guarded.h"

namespace reprise {
namespace {

TEST(WeightedSum, AddsTheSlotsOfEachToken) {
  const float rows[] = {1, 2, 3, 10, 20, 30, 4, 5, 6, 40, 50, 60};
  const float weights[] = {2, 0.5f, 1, -1};
  Guarded<float> out(6);
  WeightedSumHost({rows, weights, out.data(), 3, 2, 2});
  EXPECT_EQ(std::vector<float>(out.data(), out.data() + 6),
            (std::vector<float>{7, 14, 21, -36, -45, -54}));
  EXPECT_TRUE(out.guards_intact());
}

TEST(WeightedSum, AddsInSlotOrder) {
  const float rows[] = {1e8f, 1, -1e8f};
  const float weights[] = {1, 1, 1};
  float out = -1;
  WeightedSumHost({rows, weights, &out, 1, 1, 3});
  EXPECT_EQ(out, 0);  // 1 is lost beside 1e8
}

TEST(WeightedSum, IsZeroWithoutSlotsAndNothingWithoutTokens) {
  Guarded<float> out(2);
  WeightedSumHost({.output = out.data(), .columns = 2, .slots = 3});
  EXPECT_TRUE(out.untouched());
  WeightedSumHost({.output = out.data(), .columns = 2, .tokens = 1});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 0);
}

}  // namespace
}  // namespace reprise
