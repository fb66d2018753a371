#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/rope.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

struct Heads {
  std::int32_t heads, head_dim, rotary_dims;
};

class RopeOnDevice : public OnDevice {
 protected:
  static constexpr std::int64_t kPad = 5;
  const std::vector<std::int32_t> positions_ = {0, 1, 77, 4095};

  RopeParams Params(const Heads& h, std::int64_t pad) const {
    return {.x_token_stride = std::int64_t{h.heads} * h.head_dim + pad,
            .tokens = static_cast<std::int32_t>(positions_.size()),
            .heads = h.heads,
            .head_dim = h.head_dim,
            .rotary_dims = h.rotary_dims};
  }

  static std::size_t OutputSize(const RopeParams& params) {
    return static_cast<std::size_t>(params.tokens * params.heads *
                                    params.head_dim);
  }

  std::vector<float> OnTheHost(RopeParams params,
                               const std::vector<float>& x) const {
    std::vector<float> output(OutputSize(params));
    params.x = x.data();
    params.output = output.data();
    params.positions = positions_.data();
    RunOnHost("reprise_rope", params);
    return output;
  }
};

// The power is off by four units in its last place at most, here and on the
// host, and so is the angle, as far as it is large.
TEST_F(RopeOnDevice, TurnsEachPairAsTheHost) {
  for (const Heads& h :
       {Heads{2, 8, 6}, {32, 128, 128}, {3, 130, 64}, {1, 1, 0}}) {
    RopeParams params = Params(h, kPad);
    const auto x = RandomFloats(75).Row(
        positions_.size() * static_cast<std::size_t>(params.x_token_stride) -
        kPad);
    const std::vector<float> expected = OnTheHost(params, x);
    const DeviceArray<float> device_x(x);
    const DeviceArray<std::int32_t> positions(positions_);
    DeviceArray<float> output(static_cast<std::int64_t>(expected.size()));
    params.x = device_x.data();
    params.positions = positions.data();
    params.output = output.data();
    RunOnDevice("reprise_rope", params);
    EXPECT_TRUE(output.guards_intact());
    const std::vector<float> turned = output.Download();
    const std::size_t token_size = expected.size() / positions_.size();
    for (std::size_t i = 0; i < turned.size(); ++i) {
      const auto position = static_cast<float>(positions_[i / token_size]);
      const bool copied =
          static_cast<std::int32_t>(i % static_cast<std::size_t>(h.head_dim)) >=
          h.rotary_dims;
      const float bound = copied ? 0 : 1e-6f + position * 10 * 0x1p-23f;
      ASSERT_NEAR(turned[i], expected[i], bound) << "value " << i;
    }
    RunOnDevice("reprise_rope", params);
    EXPECT_TRUE(SameBytes(output.Download(), turned)) << "a second run";
  }
}

TEST_F(RopeOnDevice, LeavesTheSameBytesInPlace) {
  RopeParams params = Params({4, 96, 64}, 0);
  const auto x = RandomFloats(76).Row(OutputSize(params));
  const DeviceArray<float> device_x(x);
  const DeviceArray<std::int32_t> positions(positions_);
  DeviceArray<float> apart(static_cast<std::int64_t>(x.size()));
  DeviceArray<float> in_place(static_cast<std::int64_t>(x.size()));
  in_place.Upload(x);
  params.positions = positions.data();
  params.x = device_x.data();
  params.output = apart.data();
  RunOnDevice("reprise_rope", params);
  params.x = params.output = in_place.data();
  RunOnDevice("reprise_rope", params);
  EXPECT_TRUE(SameBytes(in_place.Download(), apart.Download()));
  EXPECT_TRUE(in_place.guards_intact());
}

TEST_F(RopeOnDevice, DoesNothingWithoutTokens) {
  DeviceArray<float> output(8);
  RunOnDevice("reprise_rope", RopeParams{.output = output.data(),
                                         .heads = 1,
                                         .head_dim = 8,
                                         .rotary_dims = 8});
  EXPECT_TRUE(output.untouched());
}

}  // namespace
}  // namespace reprise
