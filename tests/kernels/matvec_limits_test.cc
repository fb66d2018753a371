#include "kernels/matvec_limits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/matvec.h"
#include "kernels/weight_blocks.h"

namespace reprise {
namespace {

constexpr std::string_view kFormats[] = {
#define REPRISE_FORMAT_NAME(format, Block) #format,
    REPRISE_WEIGHT_BLOCKS(REPRISE_FORMAT_NAME)
#undef REPRISE_FORMAT_NAME
};

TEST(MatVecLimits, AreEightTokensForEveryFormatFromTuringOn) {
  for (const std::string_view format : kFormats) {
    for (const int device : {75, 80, 86, 89, 90, 100, 120}) {
      EXPECT_EQ(MatVecMaxTokens(format, device), 8) << format << " " << device;
      EXPECT_EQ(RoutedMaxTokens(format, device), 8) << format << " " << device;
    }
  }
}

TEST(MatVecLimits, AreZeroBeforeTuring) {
  for (const int device : {-1, 0, 61, 70, 74}) {
    EXPECT_EQ(MatVecMaxTokens("q4_0", device), 0) << device;
    EXPECT_EQ(RoutedMaxTokens("q4_0", device), 0) << device;
  }
}

TEST(MatVecLimits, AreZeroForAFormatThatThereIsNot) {
  for (const std::string_view format : {"", "q4", "q4_00", "Q4_0", "f16"}) {
    EXPECT_EQ(MatVecMaxTokens(format, 90), 0) << format;
    EXPECT_EQ(RoutedMaxTokens(format, 90), 0) << format;
  }
}

// A list with a row that no format or no device can reach says something else
// than its writer meant.
void ExpectRowsThatMeanSomething(std::span<const TokenLimit> limits) {
  for (const TokenLimit& limit : limits) {
    EXPECT_TRUE(limit.format == kEveryFormat || IsWeightFormat(limit.format))
        << limit.format;
    EXPECT_GE(limit.first_device, 75);
    EXPECT_LE(limit.first_device, limit.last_device);
    EXPECT_GE(limit.tokens, 0);
    EXPECT_LE(limit.tokens, kMatVecMaxTokens);
  }
}

TEST(MatVecLimits, NameFormatsRangesAndNumbersThatTheKernelsHave) {
  ExpectRowsThatMeanSomething(kMatVecLimits);
  ExpectRowsThatMeanSomething(kRoutedMatVecLimits);
}

TEST(MaxTokens, TakesTheFirstRowThatFits) {
  constexpr TokenLimit kLimits[] = {
      {"q8_0", 80, 89, 3},
      {kEveryFormat, 90, 90, 5},
      {"q8_0", 75, kEveryLaterDevice, 7},
  };
  EXPECT_EQ(MaxTokens(kLimits, "q8_0", 79), 7);
  EXPECT_EQ(MaxTokens(kLimits, "q8_0", 80), 3);
  EXPECT_EQ(MaxTokens(kLimits, "q8_0", 89), 3);
  EXPECT_EQ(MaxTokens(kLimits, "q8_0", 90), 5);
  EXPECT_EQ(MaxTokens(kLimits, "q8_0", 120), 7);
  EXPECT_EQ(MaxTokens(kLimits, "q4_0", 90), 5);
  EXPECT_EQ(MaxTokens(kLimits, "q4_0", 80), 0);
}

}  // namespace
}  // namespace reprise
