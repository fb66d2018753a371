#include "graph/weight_format.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace reprise {
namespace {

struct Row {
  const char* name;
  int values;
  int bytes;
};

// What a block is made of, in bytes: scales, minima, high bits, quants.
constexpr Row kRows[] = {
    {"q1_0", 128, 2 + 128 / 8},
    {"q2_0", 64, 2 + 64 / 4},
    {"q4_0", 32, 2 + 32 / 2},
    {"q4_1", 32, 2 + 2 + 32 / 2},
    {"q5_0", 32, 2 + 4 + 32 / 2},
    {"q5_1", 32, 2 + 2 + 4 + 32 / 2},
    {"q8_0", 32, 2 + 32},
    {"mxfp4", 32, 1 + 32 / 2},
    {"nvfp4", 64, 64 / 16 + 64 / 2},
    {"q2_k", 256, 16 + 256 / 4 + 2 + 2},
    {"q3_k", 256, 256 / 8 + 256 / 4 + 12 + 2},
    {"q4_k", 256, 2 + 2 + 12 + 256 / 2},
    {"q5_k", 256, 2 + 2 + 12 + 256 / 8 + 256 / 2},
    {"q6_k", 256, 256 / 2 + 256 / 4 + 16 + 2},
    {"iq2_xxs", 256, 2 + 256 / 8 * 2},
    {"iq2_xs", 256, 2 + 256 / 8 * 2 + 256 / 32},
    {"iq2_s", 256, 2 + 256 / 4 + 256 / 32 + 256 / 32},
    {"iq3_xxs", 256, 2 + 256 / 8 * 3},
    {"iq3_s", 256, 2 + 256 / 4 + 256 / 32 + 256 / 8 + 256 / 64},
    {"iq1_s", 256, 2 + 256 / 8 + 256 / 16},
    {"iq1_m", 256, 256 / 8 + 256 / 16 + 256 / 32},
    {"iq4_nl", 32, 2 + 32 / 2},
    {"iq4_xs", 256, 2 + 2 + 256 / 64 + 256 / 2},
};

TEST(WeightFormats, AreTheseTwentyThree) {
  ASSERT_EQ(WeightFormats().size(), 23u);
  ASSERT_EQ(std::size(kRows), 23u);
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const WeightFormatInfo& info = WeightFormats()[i];
    EXPECT_EQ(info.name, kRows[i].name);
    EXPECT_EQ(info.block_values, kRows[i].values) << info.name;
    EXPECT_EQ(info.block_bytes, kRows[i].bytes) << info.name;
  }
}

TEST(WeightFormats, AreFoundByNameAndByValue) {
  for (const WeightFormatInfo& info : WeightFormats()) {
    EXPECT_EQ(FindWeightFormat(info.name), info.format);
    EXPECT_EQ(&InfoOf(info.format), &info);
  }
  for (const char* name : {"", "Q4_0", "q4_0 ", "q4", "q8_1", "f16"}) {
    EXPECT_FALSE(FindWeightFormat(name).has_value()) << name;
  }
}

TEST(WeightFormats, HaveTheSizesOfTheGoldenBlocks) {
  std::ifstream file(REPRISE_TEST_DATA "/formats/dequant_golden.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GE(golden.size(), 3u);
  for (const auto& [name, entry] : golden.items()) {
    const auto format = FindWeightFormat(name);
    ASSERT_TRUE(format.has_value()) << name;
    EXPECT_EQ(InfoOf(*format).block_bytes, entry["block_bytes"]) << name;
    EXPECT_EQ(InfoOf(*format).block_values, entry["block_values"]) << name;
    const std::string hex = entry["blocks"][0]["bytes"];
    EXPECT_EQ(hex.size(), 2u * InfoOf(*format).block_bytes) << name;
  }
}

}  // namespace
}  // namespace reprise
