#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
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
  float scale = 1 / std::sqrt(static_cast<float>(heads.head_dim));

  AttentionParams Params() const {
    return {.q_token_stride = std::int64_t{heads.heads} * heads.head_dim + 3,
            .tokens = static_cast<std::int32_t>(positions.size()),
            .heads = heads.heads,
            .kv_heads = heads.kv_heads,
            .head_dim = heads.head_dim,
            .capacity = capacity,
            .scale = scale};
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

constexpr char kPlain[] = "reprise_attention";

std::string InTiles(const Heads& heads) {
  return "reprise_attention_tile_" + std::to_string(heads.head_dim);
}

std::vector<float> OnTheHost(const Problem& problem) {
  std::vector<float> output(static_cast<std::size_t>(problem.OutputSize()));
  AttentionParams params = problem.Params();
  params.q = problem.q.data();
  params.keys = problem.keys.data();
  params.values = problem.values.data();
  params.positions = problem.positions.data();
  params.output = output.data();
  RunOnHost(kPlain, params);
  return output;
}

std::vector<float> OnTheDevice(const Problem& problem,
                               const std::string& symbol = kPlain) {
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
  RunOnDevice(symbol, params);
  EXPECT_TRUE(output.guards_intact());
  return output.Download();
}

class AttentionOnDevice : public OnDevice {};

// A score is a sum of head_dim products of at most 2, times 1 / sqrt(head_dim):
// on either side off by head_dim * 2^-24 of 2 sqrt(head_dim), and so is a
// weight. Values are at most 2, and their sum adds `roundings` for each row.
void ExpectNearTheHost(const Problem& problem, const std::string& symbol,
                       float roundings) {
  const std::vector<float> expected = OnTheHost(problem);
  const std::vector<float> actual = OnTheDevice(problem, symbol);
  const auto dim = static_cast<float>(problem.heads.head_dim);
  const float score = 2 * dim * 0x1p-24f * 2 * std::sqrt(dim);
  const float sum = roundings * static_cast<float>(problem.capacity) * 0x1p-24f;
  const float bound = 2 * (2 * score + sum) + 1e-6f;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], bound) << "value " << i;
  }
  EXPECT_TRUE(SameBytes(OnTheDevice(problem, symbol), actual))
      << "a second run";
}

TEST_F(AttentionOnDevice, IsNearTheHostAtEveryPosition) {
  for (const Heads& heads :
       {Heads{6, 2, 16}, {4, 4, 64}, {8, 2, 128}, {3, 1, 40}, {1, 1, 1}}) {
    for (const std::int32_t capacity : {1, 16, 17, 333}) {
      std::vector<std::int32_t> positions = {0, 1, 2, 3, 4, 14, 15, 16, 17};
      positions.insert(positions.end(), {capacity - 2, capacity - 1, capacity,
                                         INT32_MAX, -1, -2, INT32_MIN});
      ExpectNearTheHost(Random(heads, capacity, positions), kPlain, 1);
    }
  }
}

// The tensor core adds sixteen products at a time and cuts what two bits past a
// float's last do not hold; its products are of two halves, which are off by a
// rounding together. Of a score that is no more than the host's own roundings.
constexpr float kTileRoundings = 2;

std::vector<std::int32_t> Shuffled(std::int32_t tokens, std::int32_t capacity) {
  std::vector<std::int32_t> positions = {INT32_MAX, -1, INT32_MIN, capacity};
  for (std::int32_t i = 0; std::ssize(positions) < tokens; ++i) {
    positions.push_back(i * 7 % (capacity + 1));
  }
  positions.resize(static_cast<std::size_t>(tokens));
  return positions;
}

TEST_F(AttentionOnDevice, IsNearTheHostInTiles) {
  for (const Heads& heads : {Heads{4, 4, 64}, {6, 2, 64}, {4, 2, 128}}) {
    for (const std::int32_t capacity : {1, 31, 32, 63, 65, 333}) {
      for (const std::int32_t tokens : {1, 15, 16, 63, 64, 65, 129}) {
        SCOPED_TRACE(testing::Message() << heads.head_dim << " of " << capacity
                                        << " for " << tokens);
        ExpectNearTheHost(Random(heads, capacity, Shuffled(tokens, capacity)),
                          InTiles(heads), kTileRoundings);
      }
    }
  }
}

TEST_F(AttentionOnDevice, TakesQueriesPastAHalfInTiles) {
  for (const float factor : {0x1p-60f, 0x1p60f}) {
    Problem problem = Random({4, 2, 64}, 100, Shuffled(70, 100));
    problem.scale /= factor;
    for (float& value : problem.q) value *= factor;
    ExpectNearTheHost(problem, InTiles(problem.heads), kTileRoundings);
  }
}

TEST_F(AttentionOnDevice, ReadsNoRowInTilesThatNoTokenSees) {
  const Heads heads = {4, 2, 128};
  Problem problem = Random(heads, 150, Shuffled(70, 99));
  for (std::int32_t& position : problem.positions) {
    position = std::min(position, 99);
  }
  for (auto* cache : {&problem.keys, &problem.values}) {
    const auto first = cache->begin() + 100 * heads.kv_heads * heads.head_dim;
    std::fill(first, cache->end(), std::uint16_t{0x7FFF});
  }
  ExpectNearTheHost(problem, InTiles(heads), kTileRoundings);
}

// Scores up to 1,000 apart: all but the largest weigh nothing.
TEST_F(AttentionOnDevice, SurvivesScoresThatPassTheExponential) {
  Problem problem = Random({4, 2, 64}, 100, {99, 50});
  for (float& value : problem.q) value *= 1000;
  for (const std::string& symbol :
       {std::string(kPlain), InTiles(problem.heads)}) {
    for (const float value : OnTheDevice(problem, symbol)) {
      EXPECT_LE(std::fabs(value), 2.0f);
    }
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
  for (const std::string& symbol : {std::string(kPlain), InTiles({1, 1, 64})}) {
    DeviceArray<float> output(64);
    AttentionParams params{.output = output.data(), .head_dim = 64};
    params.heads = params.kv_heads = 1;
    RunOnDevice(symbol, params);
    params.tokens = 1;
    params.kv_heads = 0;
    RunOnDevice(symbol, params);
    params.heads = 0;
    RunOnDevice(symbol, params);
    EXPECT_TRUE(output.untouched());
  }
}

}  // namespace
}  // namespace reprise
