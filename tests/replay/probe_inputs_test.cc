#include "replay/probe_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

namespace reprise {
namespace {

constexpr std::uint64_t kBase = 0x5000;

std::vector<float> Row(ProbeFloats kind, std::uint32_t seed,
                       std::int64_t count = 4096) {
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(count) * 4);
  FillFloats(Packed(kBase, ElementType::kF32, count), kind, seed, kBase,
             absl::MakeSpan(memory));
  std::vector<float> row(static_cast<std::size_t>(count));
  std::memcpy(row.data(), memory.data(), memory.size());
  return row;
}

using Holds = std::function<bool(float)>;

// How many whole blocks of 32 are of that sort.
int Blocks(const std::vector<float>& row, const Holds& holds) {
  int blocks = 0;
  for (auto block = row.begin(); block != row.end(); block += 32) {
    blocks += std::all_of(block, block + 32, holds) ? 1 : 0;
  }
  return blocks;
}

bool IsZero(float x) { return x == 0; }
bool IsDenormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL; }
bool HasDenormalScale(float x) {
  return std::isnormal(x) && IsDenormal(std::fabs(x) / 127);
}
bool IsHuge(float x) { return std::fabs(x) > 1e30f; }
bool IsOrdinary(float x) {
  return std::fabs(x) >= 0x1p-6f && std::fabs(x) < 16;
}

TEST(ProbeFloats, OfOneKindAreWhatTheNameSays) {
  const std::vector<float> ordinary = Row(ProbeFloats::kOrdinary, 1);
  EXPECT_TRUE(std::all_of(ordinary.begin(), ordinary.end(), IsOrdinary));
  EXPECT_EQ(
      Blocks(Row(ProbeFloats::kConstant, 1), [](float x) { return x == 1.1f; }),
      128);
  const std::vector<float> small = Row(ProbeFloats::kSmall, 1);
  EXPECT_GT(Blocks(small, IsZero), 8);
  EXPECT_GT(Blocks(small, [](float x) { return IsDenormal(x) || x == 0; }),
            Blocks(small, IsZero) + 8);
  EXPECT_GT(Blocks(small, HasDenormalScale), 8);
  EXPECT_GT(Blocks(small, IsOrdinary), 8);
  EXPECT_TRUE(std::none_of(small.begin(), small.end(), [](float x) {
    return !std::isfinite(x) || std::fabs(x) >= 16;
  }));
}

TEST(ProbeFloats, OfTheSpecialKindHaveEverySort) {
  const std::vector<float> special = Row(ProbeFloats::kSpecial, 1);
  const auto some = [&](const Holds& holds) {
    return std::count_if(special.begin(), special.end(), holds);
  };
  EXPECT_GT(some([](float x) { return std::isinf(x) && x > 0; }), 4);
  EXPECT_GT(some([](float x) { return std::isinf(x) && x < 0; }), 4);
  EXPECT_GT(some([](float x) { return std::isnan(x); }), 4);
  EXPECT_GT(Blocks(special, IsHuge), 2);
  EXPECT_GT(Blocks(special, IsZero), 2);
  EXPECT_GT(Blocks(special, [](float x) { return std::isfinite(x); }), 60);
}

TEST(ProbeFloats, HalfwayAreHalfIntegersWithOneLargestInEachBlock) {
  const std::vector<float> row = Row(ProbeFloats::kHalfway, 1);
  for (auto block = row.begin(); block != row.end(); block += 32) {
    EXPECT_EQ(std::count_if(block, block + 32,
                            [](float x) { return std::fabs(x) == 127; }),
              1);
    EXPECT_EQ(std::count_if(block, block + 32,
                            [](float x) {
                              return std::fabs(x) < 127 &&
                                     x - std::floor(x) == 0.5f;
                            }),
              31);
  }
}

TEST(ProbeFloats, HangOnTheSeedAndThePlaceAlone) {
  EXPECT_EQ(Row(ProbeFloats::kOrdinary, 1), Row(ProbeFloats::kOrdinary, 1));
  EXPECT_NE(Row(ProbeFloats::kOrdinary, 1), Row(ProbeFloats::kOrdinary, 2));
  const std::vector<float> once = Row(ProbeFloats::kOrdinary, 1);
  std::set<float> values(once.begin(), once.end());
  EXPECT_GT(values.size(), 4000u);
}

TEST(ProbeFloats, FillAViewAndNothingElse) {
  View view = Packed(kBase + 8, ElementType::kF32, 3, 2, 2);
  view.strides = {4, 16, 64, 0};
  std::vector<std::uint8_t> memory(256, 0xEE);
  FillFloats(view, ProbeFloats::kConstant, 0, kBase, absl::MakeSpan(memory));
  std::set<std::size_t> written;
  for (std::size_t i = 0; i < memory.size(); i += 4) {
    float value = 0;
    std::memcpy(&value, &memory[i], 4);
    if (value == 1.1f) {
      written.insert(i);
    } else {
      EXPECT_EQ(memory[i], 0xEE) << i;
    }
  }
  EXPECT_EQ(written, (std::set<std::size_t>{8, 12, 16, 24, 28, 32, 72, 76, 80,
                                            88, 92, 96}));
}

TEST(ProbeRounds, GiveTheInputsAllCombinationsOfKinds) {
  for (std::size_t inputs = 1; inputs <= 3; ++inputs) {
    std::set<std::vector<ProbeFloats>> seen;
    const int rounds = ProbeRounds(inputs);
    for (int round = 0; round < rounds; ++round) {
      std::vector<ProbeFloats> kinds;
      for (std::size_t i = 0; i < inputs; ++i) {
        kinds.push_back(KindOf(round, i));
      }
      seen.insert(kinds);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(rounds));
  }
  EXPECT_EQ(ProbeRounds(2), 25);
  EXPECT_EQ(ProbeRounds(4), ProbeRounds(3));
  EXPECT_EQ(KindOf(77, 3), KindOf(77, 0));
}

}  // namespace
}  // namespace reprise
