#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "kernels/router_top_k.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The same ids to the byte. The weights are quotients of exponentials and of
// their sum, each within two units in the last place.
void ExpectTheHostsChoice(const std::vector<float>& logits,
                          RouterTopKParams params) {
  params.ids_stride = params.slots + 1;
  const std::int64_t ids_size = params.tokens * params.ids_stride;
  const std::int64_t weights_size = params.tokens * params.slots;
  std::vector<std::int32_t> ids(static_cast<std::size_t>(ids_size), -1);
  std::vector<float> weights(static_cast<std::size_t>(weights_size));
  params.logits = logits.data();
  params.ids = ids.data();
  params.weights = weights.data();
  RunOnHost("reprise_router_top_k", params);

  const DeviceArray<float> device_logits(logits);
  DeviceArray<std::int32_t> device_ids(ids_size);
  DeviceArray<float> device_weights(weights_size);
  params.logits = device_logits.data();
  params.ids = device_ids.data();
  params.weights = device_weights.data();
  RunOnDevice("reprise_router_top_k", params);
  EXPECT_TRUE(SameBytes(device_ids.Download(), ids));
  EXPECT_TRUE(device_ids.guards_intact() && device_weights.guards_intact());
  const std::vector<float> actual = device_weights.Download();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ASSERT_NEAR(actual[i], weights[i], 8 * 0x1p-23f * weights[i] + 0x1p-126f)
        << "weight " << i;
  }
  RunOnDevice("reprise_router_top_k", params);
  EXPECT_TRUE(SameBytes(device_weights.Download(), actual)) << "a second run";
}

class RouterOnDevice : public OnDevice {};

TEST_F(RouterOnDevice, ChoosesAsTheHostAmongTies) {
  for (const std::int32_t experts : {1, 8, 31, 32, 33, 60, 128, 300}) {
    for (const std::int32_t slots : {1, 2, 8, 40}) {
      constexpr std::int32_t kTokens = 37;
      auto logits =
          RandomFloats(77).Row(static_cast<std::size_t>(kTokens * experts), 4);
      for (float& logit : logits) logit = std::round(8 * logit) / 8;
      ExpectTheHostsChoice(
          logits, {.tokens = kTokens, .experts = experts, .slots = slots});
    }
  }
}

TEST_F(RouterOnDevice, ChoosesAsTheHostAmongSpecials) {
  constexpr float kFew[] = {kNan, kInfinity, -kInfinity, 0,        -0.0f,
                            1,    FLT_MAX,   -FLT_MAX,   0x1p-149f};
  RandomFloats random(78);
  for (const std::int32_t experts : {0, 1, 3, 40}) {
    constexpr std::int32_t kTokens = 500;
    std::vector<float> logits(static_cast<std::size_t>(kTokens * experts));
    for (float& logit : logits) logit = kFew[random.Bits() % std::size(kFew)];
    ExpectTheHostsChoice(logits,
                         {.tokens = kTokens, .experts = experts, .slots = 4});
  }
  for (const float all : kFew) {
    ExpectTheHostsChoice(std::vector<float>(50, all),
                         {.tokens = 1, .experts = 50, .slots = 6});
  }
}

TEST_F(RouterOnDevice, DoesNothingWithoutTokensOrSlots) {
  const DeviceArray<float> logits(std::vector<float>{1, 2});
  DeviceArray<std::int32_t> ids(2);
  DeviceArray<float> weights(2);
  RouterTopKParams params{.logits = logits.data(),
                          .ids = ids.data(),
                          .weights = weights.data(),
                          .ids_stride = 2,
                          .experts = 2,
                          .slots = 2};
  RunOnDevice("reprise_router_top_k", params);
  params.tokens = 1;
  params.slots = 0;
  RunOnDevice("reprise_router_top_k", params);
  EXPECT_TRUE(ids.untouched() && weights.untouched());
}

}  // namespace
}  // namespace reprise
