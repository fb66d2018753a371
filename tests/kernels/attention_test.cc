#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/half.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/slow_half.h"

namespace reprise {
namespace {

constexpr std::int32_t kHeads = 6, kKvHeads = 2, kHeadDim = 16, kCapacity = 40;
constexpr std::int64_t kKvRow = kKvHeads * kHeadDim;
constexpr std::int64_t kStride = kHeads * kHeadDim + 3;
constexpr float kScale = 0.25f;
constexpr std::uint16_t kNan = 0x7FFF;

class Attention : public testing::Test {
 protected:
  Attention() {
    RandomFloats random(18);
    q_ = random.Row(4 * kStride, 4);
    for (auto* cache : {&keys_, &values_}) {
      for (const float x : random.Row(kCapacity * kKvRow, 2)) {
        cache->push_back(FloatToHalf(x));
      }
    }
  }

  AttentionParams Params(const std::vector<std::int32_t>& positions,
                         float* output) const {
    return {.q = q_.data(),
            .keys = keys_.data(),
            .values = values_.data(),
            .positions = positions.data(),
            .output = output,
            .q_token_stride = kStride,
            .tokens = static_cast<std::int32_t>(positions.size()),
            .heads = kHeads,
            .kv_heads = kKvHeads,
            .head_dim = kHeadDim,
            .capacity = kCapacity,
            .scale = kScale};
  }

  static double At(const std::vector<std::uint16_t>& cache, std::int64_t row,
                   std::int64_t head, std::int64_t i) {
    return SlowHalfValue(cache[static_cast<std::size_t>(
        row * kKvRow + head / 3 * kHeadDim + i)]);
  }

  std::vector<double> SlowHead(std::int64_t token, std::int64_t head,
                               std::int64_t seen) const {
    std::vector<double> out(kHeadDim);
    double total = 0;
    for (std::int64_t row = 0; row < seen; ++row) {
      double dot = 0;
      for (std::int64_t i = 0; i < kHeadDim; ++i) {
        dot += At(keys_, row, head, i) *
               static_cast<double>(q_[static_cast<std::size_t>(
                   token * kStride + head * kHeadDim + i)]);
      }
      const double weight = std::exp(kScale * dot);
      total += weight;
      for (std::int64_t i = 0; i < kHeadDim; ++i) {
        out[static_cast<std::size_t>(i)] += weight * At(values_, row, head, i);
      }
    }
    for (double& value : out) value /= total;
    return out;
  }

  void ExpectNearTheOracle(const std::vector<std::int32_t>& positions) const {
    const auto tokens = static_cast<std::int64_t>(positions.size());
    Guarded<float> out(tokens * kHeads * kHeadDim);
    AttentionHost(Params(positions, out.data()));
    EXPECT_TRUE(out.guards_intact());
    for (std::int64_t t = 0; t < tokens; ++t) {
      const std::int64_t seen = std::min<std::int64_t>(
          std::int64_t{positions[static_cast<std::size_t>(t)]} + 1, kCapacity);
      for (std::int64_t h = 0; h < kHeads; ++h) {
        const std::vector<double> slow = SlowHead(t, h, seen);
        for (std::int64_t i = 0; i < kHeadDim; ++i) {
          // A score below 32 is off by 16 roundings, 3e-5, and so is a weight.
          ASSERT_NEAR(out[(t * kHeads + h) * kHeadDim + i],
                      slow[static_cast<std::size_t>(i)], 1e-4)
              << "token " << t << " head " << h << " value " << i;
        }
      }
    }
  }

  std::vector<float> q_;
  std::vector<std::uint16_t> keys_, values_;
};

TEST_F(Attention, IsTheSoftmaxInDoublePrecisionAtEveryPosition) {
  ExpectNearTheOracle({0, 1, 17, kCapacity - 1});
}

TEST_F(Attention, SeesNoRowPastThePosition) {
  for (std::size_t i = 5 * kKvRow; i < keys_.size(); ++i) {
    keys_[i] = values_[i] = kNan;
  }
  ExpectNearTheOracle({4, 3, 0});
}

TEST_F(Attention, SeesTheWholeCacheAtAPositionPastIt) {
  ExpectNearTheOracle({kCapacity, INT32_MAX});
}

TEST_F(Attention, CopiesTheOnlyValueAtPositionZero) {
  std::vector<float> out(kHeads * kHeadDim);
  AttentionHost(Params({0}, out.data()));
  for (std::int64_t i = 0; i < kHeads * kHeadDim; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)],
              At(values_, 0, i / kHeadDim, i % kHeadDim));
  }
}

TEST_F(Attention, SurvivesScoresThatPassTheExponential) {
  for (float& x : q_) x *= 1000;
  std::vector<float> out(kHeads * kHeadDim);
  AttentionHost(Params({kCapacity - 1}, out.data()));
  for (const float value : out) EXPECT_LE(std::fabs(value), 2.0f);
}

TEST_F(Attention, LeavesZerosAtANegativePosition) {
  const std::vector<std::int32_t> positions = {-1, INT32_MIN};
  Guarded<float> out(2 * kHeads * kHeadDim);
  AttentionHost(Params(positions, out.data()));
  for (std::int64_t i = 0; i < 2 * kHeads * kHeadDim; ++i) {
    ASSERT_EQ(out[i], 0.0f);
  }
}

TEST_F(Attention, DoesNothingWithoutTokensOrHeads) {
  Guarded<float> out(kHeads * kHeadDim);
  AttentionHost(Params({}, out.data()));
  AttentionHost({.output = out.data(), .tokens = 1});
  EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace reprise
