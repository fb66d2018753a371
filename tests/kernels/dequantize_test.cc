#include "kernels/dequantize.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kernels/weight_formats.h"

namespace reprise {
namespace {

std::vector<std::uint32_t> Words(const std::string& hex, std::size_t digits) {
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + digits <= hex.size(); at += digits) {
    words.push_back(static_cast<std::uint32_t>(
        std::stoul(hex.substr(at, digits), nullptr, 16)));
  }
  return words;
}

nlohmann::json GoldenBlocks(const std::string& format) {
  std::ifstream file(REPRISE_TEST_DATA "/formats/dequant_golden.json");
  return nlohmann::json::parse(file).at(format).at("blocks");
}

template <typename Block>
class Dequantize : public testing::Test {};
TYPED_TEST_SUITE(Dequantize, WeightBlocks, FormatNames);

TYPED_TEST(Dequantize, HasTheGoldenBits) {
  const nlohmann::json blocks = GoldenBlocks(FormatOf<TypeParam>());
  ASSERT_GE(blocks.size(), 4u);
  for (const nlohmann::json& golden : blocks) {
    const auto bytes = Words(golden.at("bytes").get<std::string>(), 2);
    const auto bits = Words(golden.at("f32_bits").get<std::string>(), 8);
    ASSERT_EQ(bytes.size(), sizeof(TypeParam));
    ASSERT_EQ(bits.size(), std::size_t{TypeParam::kValues});
    const std::vector<std::uint8_t> memory(bytes.begin(), bytes.end());
    TypeParam block;
    std::memcpy(&block, memory.data(), sizeof block);
    std::vector<float> values(TypeParam::kValues);
    DequantizeRow(&block, TypeParam::kValues, values.data());
    for (std::size_t i = 0; i < bits.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), bits[i])
          << "value " << i;
    }
  }
}

TEST(DequantizeRow, ReadsBlocksOneAfterTheOther) {
  const BlockQ8_0 blocks[] = {{0x3C00, {1, 2}}, {0xC000, {3, -4}}};
  float row[64];
  DequantizeRow(blocks, 64, row);
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row[1], 2);
  EXPECT_EQ(row[31], 0);
  EXPECT_EQ(row[32], -6);
  EXPECT_EQ(row[33], 8);
}

}  // namespace
}  // namespace reprise
