#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/attention.h"
#include "kernels/half.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

struct Heads {
  std::int32_t heads, kv_heads, head_dim;
};

// Queries, a cache and the positions of one problem.
struct Problem {
  Heads heads;
  std::int32_t capacity;
  std::vector<std::int32_t> positions;
  std::vector<float> q;
  std::vector<std::uint16_t> keys, values;

  AttentionParams Params() const {
    return {.q_token_stride = std::int64_t{heads.heads} * heads.head_dim + 3,
            .tokens = static_cast<std::int32_t>(positions.size()),
            .heads = heads.heads,
            .kv_heads = heads.kv_heads,
            .head_dim = heads.head_dim,
            .capacity = capacity,
            .scale = 1 / std::sqrt(static_cast<float>(heads.head_dim))};
  }

  std::int64_t OutputSize() const {
    return static_cast<std::int64_t>(positions.size()) * heads.heads *
           heads.head_dim;
  }
};

Problem Random(const Heads& heads, std::int32_t capacity,
               std::vector<std::int32_t> positions) {
  RandomFloats random(81);
  Problem problem{heads, capacity, std::move(positions), {}, {}, {}};
  problem.q =
      random.Row(problem.positions.size() *
                     static_cast<std::size_t>(problem.Params().q_token_stride) -
                 3);
  const auto size =
      static_cast<std::size_t>(capacity * heads.kv_heads * heads.head_dim);
  for (auto* cache : {&problem.keys, &problem.values}) {
    for (const float x : random.Row(size, 2)) cache->push_back(FloatToHalf(x));
  }
  return problem;
}

std::vector<float> OnTheHost(const Problem& problem) {
  std::vector<float> output(static_cast<std::size_t>(problem.OutputSize()));
  AttentionParams params = problem.Params();
  params.q = problem.q.data();
  params.keys = problem.keys.data();
  params.values = problem.values.data();
  params.positions = problem.positions.data();
  params.output = output.data();
  RunOnHost("reprise_attention", params);
  return output;
}

std::vector<float> OnTheDevice(const Problem& problem) {
  const DeviceArray<float> q(problem.q);
  const DeviceArray<std::uint16_t> keys(problem.keys), values(problem.values);
  const DeviceArray<std::int32_t> positions(problem.positions);
  DeviceArray<float> output(problem.OutputSize());
  AttentionParams params = problem.Params();
  params.q = q.data();
  params.keys = keys.data();
  params.values = values.data();
  params.positions = positions.data();
  params.output = output.data();
  RunOnDevice("reprise_attention", params);
  EXPECT_TRUE(output.guards_intact());
  return output.Download();
}

class AttentionOnDevice : public OnDevice {};

// A score is a sum of head_dim products of at most 2, times 1 / sqrt(head_dim):
// on either side off by head_dim * 2^-24 of 2 sqrt(head_dim), and so is a
// weight. Values are at most 2, and their sum adds a rounding for each row.
TEST_F(AttentionOnDevice, IsNearTheHostAtEveryPosition) {
  for (const Heads& heads :
       {Heads{6, 2, 16}, {4, 4, 64}, {8, 2, 128}, {3, 1, 40}, {1, 1, 1}}) {
    for (const std::int32_t capacity : {1, 16, 17, 333}) {
      std::vector<std::int32_t> positions = {0, 1, 2, 3, 4, 14, 15, 16, 17};
      positions.insert(positions.end(), {capacity - 2, capacity - 1, capacity,
                                         INT32_MAX, -1, -2, INT32_MIN});
      const Problem problem = Random(heads, capacity, positions);
      const std::vector<float> expected = OnTheHost(problem);
      const std::vector<float> actual = OnTheDevice(problem);
      const auto dim = static_cast<float>(heads.head_dim);
      const float score = 2 * dim * 0x1p-24f * 2 * std::sqrt(dim);
      const float bound =
          2 * (2 * score + static_cast<float>(capacity) * 0x1p-24f) + 1e-6f;
      for (std::size_t i = 0; i < actual.size(); ++i) {
        ASSERT_NEAR(actual[i], expected[i], bound) << "value " << i;
      }
      EXPECT_TRUE(SameBytes(OnTheDevice(problem), actual)) << "a second run";
    }
  }
}

// Scores up to 1,000 apart: all but the largest weigh nothing.
TEST_F(AttentionOnDevice, SurvivesScoresThatPassTheExponential) {
  Problem problem = Random({4, 2, 64}, 100, {99, 50});
  for (float& value : problem.q) value *= 1000;
  for (const float value : OnTheDevice(problem)) {
    EXPECT_LE(std::fabs(value), 2.0f);
  }
}

TEST_F(AttentionOnDevice, TreatsInfiniteAndNanScoresAsTheHost) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  // Keys are ones, so a query of one value scores that value; the row that a
  // key of 0 stands for scores 0, or NaN against an infinity.
  for (const float q :
       {-kInfinity, kInfinity, std::numeric_limits<float>::quiet_NaN(), 1.0f}) {
    for (const std::int32_t zero : {0, 5, 39, 40}) {
      Problem problem = Random({1, 1, 1}, 40, {39, 3});
      std::fill(problem.q.begin(), problem.q.end(), q);
      for (std::int32_t row = 0; row < 40; ++row) {
        problem.keys[static_cast<std::size_t>(row)] =
            FloatToHalf(row == zero ? 0.0f : 1.0f);
      }
      const std::vector<float> expected = OnTheHost(problem);
      const std::vector<float> actual = OnTheDevice(problem);
      for (const std::size_t i : {0u, 1u}) {
        EXPECT_EQ(std::isnan(actual[i]), std::isnan(expected[i]))
            << "q " << q << ", zero at " << zero << ", token " << i;
      }
    }
  }
  // Row 7 alone is worth anything.
  Problem problem = Random({1, 1, 2}, 40, {39});
  for (std::size_t row = 0; row < 40; ++row) {
    problem.keys[2 * row] = row == 7 ? 0 : kHalfInfinity | 0x8000;
    problem.keys[2 * row + 1] = 0;
  }
  problem.q = {1, 1};
  EXPECT_TRUE(SameBytes(OnTheDevice(problem), OnTheHost(problem)));
}

TEST_F(AttentionOnDevice, DoesNothingWithoutTokensOrHeads) {
  DeviceArray<float> output(8);
  RunOnDevice(
      "reprise_attention",
      AttentionParams{
          .output = output.data(), .heads = 1, .kv_heads = 1, .head_dim = 8});
  RunOnDevice("reprise_attention",
              AttentionParams{.output = output.data(), .tokens = 1});
  RunOnDevice(
      "reprise_attention",
      AttentionParams{
          .output = output.data(), .tokens = 1, .heads = 1, .head_dim = 8});
  EXPECT_TRUE(output.untouched());
}

}  // namespace
}  // namespace reprise
