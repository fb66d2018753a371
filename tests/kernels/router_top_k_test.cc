#include "kernels/router_top_k.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Worked {
  const char* name;
  std::vector<float> logits;
  std::vector<std::int32_t> ids;
  std::vector<float> weights;
};

const float kLog3 = std::log(3.0f);
const Worked kWorked[] = {
    {"PicksTheLargest", {0, kLog3, -5, -9}, {1, 0}, {0.75f, 0.25f}},
    {"TiesGoToTheLowerId", {1, 2, 2, 2}, {1, 2}, {0.5f, 0.5f}},
    {"AllEqual", {4, 4, 4, 4}, {0, 1}, {0.5f, 0.5f}},
    {"SignedZerosTie", {-0.0f, 0.0f, -1}, {0, 1}, {0.5f, 0.5f}},
    {"ANanLoses", {kNan, 1, 0, kNan}, {1, 2}, {0.7310586f, 0.2689414f}},
    {"ANanFillsTheLastSlot", {kNan, 1, kNan}, {1, 0}, {1, 0}},
    {"AllNan", {kNan, kNan, kNan}, {0, 1}, {0.5f, 0.5f}},
    {"AnInfinityTakesAll", {0, kInfinity, 0}, {1, 0}, {1, 0}},
    {"TwoInfinitiesShare", {kInfinity, 0, kInfinity}, {0, 2}, {0.5f, 0.5f}},
    {"NoneIsLikely", {-kInfinity, -kInfinity}, {0, 1}, {0.5f, 0.5f}},
    {"FarApart", {-1e30f, 1e30f}, {1, 0}, {1, 0}},
    {"FewerExpertsThanSlots", {7}, {0, -1}, {1, 0}},
    {"NoExperts", {}, {-1, -1}, {0, 0}},
};

class RouterWorked : public testing::TestWithParam<Worked> {};

TEST_P(RouterWorked, GivesIdsAndWeights) {
  const Worked& worked = GetParam();
  Guarded<std::int32_t> ids(2);
  Guarded<float> weights(2);
  RouterTopKHost({.logits = worked.logits.data(),
                  .ids = ids.data(),
                  .weights = weights.data(),
                  .ids_stride = 2,
                  .tokens = 1,
                  .experts = static_cast<std::int32_t>(worked.logits.size()),
                  .slots = 2});
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const auto at = static_cast<std::int64_t>(slot);
    EXPECT_EQ(ids[at], worked.ids[slot]);
    EXPECT_NEAR(weights[at], worked.weights[slot], 1e-6f);
  }
  EXPECT_TRUE(ids.guards_intact() && weights.guards_intact());
}

INSTANTIATE_TEST_SUITE_P(Logits, RouterWorked, testing::ValuesIn(kWorked),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST(RouterTopK, AgreesWithSortingTheWholeSoftmax) {
  constexpr std::int32_t kTokens = 200, kExperts = 60, kSlots = 8, kStride = 9;
  auto logits = RandomFloats(19).Row(kTokens * kExperts, 4);
  for (float& logit : logits) logit = std::round(8 * logit) / 8;  // ties
  Guarded<std::int32_t> ids(kTokens * kStride);
  Guarded<float> weights(kTokens * kSlots);
  RouterTopKHost({.logits = logits.data(),
                  .ids = ids.data(),
                  .weights = weights.data(),
                  .ids_stride = kStride,
                  .tokens = kTokens,
                  .experts = kExperts,
                  .slots = kSlots});
  for (std::int64_t t = 0; t < kTokens; ++t) {
    const float* row = &logits[static_cast<std::size_t>(t * kExperts)];
    std::vector<std::int32_t> order(kExperts);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [row](int a, int b) { return row[a] > row[b]; });
    double chosen = 0;
    for (int s = 0; s < kSlots; ++s) chosen += std::exp(double{row[order[s]]});
    for (int s = 0; s < kSlots; ++s) {
      ASSERT_EQ(ids[t * kStride + s], order[s]) << "token " << t;
      ASSERT_NEAR(weights[t * kSlots + s],
                  std::exp(double{row[order[s]]}) / chosen, 1e-6);
    }
    ASSERT_EQ(ids[t * kStride + kSlots], -1) << "wrote between tokens";
  }
}

TEST(RouterTopK, DoesNothingWithoutTokensOrSlots) {
  Guarded<std::int32_t> ids(2);
  Guarded<float> weights(2);
  const float logits[] = {1, 2};
  RouterTopKParams params{.logits = logits,
                          .ids = ids.data(),
                          .weights = weights.data(),
                          .ids_stride = 2,
                          .experts = 2,
                          .slots = 2};
  RouterTopKHost(params);
  params.tokens = 1;
  params.slots = 0;
  RouterTopKHost(params);
  EXPECT_TRUE(ids.untouched() && weights.untouched());
}

}  // namespace
}  // namespace reprise
