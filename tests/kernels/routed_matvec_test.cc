#include "kernels/routed_matvec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/quantize_q8_1.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/slow_dot.h"
#include "tests/kernels/weight_formats.h"

namespace reprise {
namespace {

constexpr std::int64_t kColumns = 512;
constexpr std::int64_t kRows = 6;
constexpr std::int32_t kExperts = 8;
constexpr std::int32_t kSlots = 2;
constexpr std::int64_t kIdsStride = 3;  // one more than the slots

template <typename Block>
class RoutedMatVec : public testing::Test {
 protected:
  static constexpr std::int64_t kRowBlocks = kColumns / Block::kValues + 1;
  static constexpr std::int64_t kExpertBlocks = kRows * kRowBlocks + 1;
  static constexpr std::int64_t kImageBlocks = ImageRowBlocks(kColumns) + 1;

  RoutedMatVec() {
    RandomFloats random(14);
    weights_ = RandomWeights<Block>(random, kExperts * kExpertBlocks);
    image_.resize(kImageRows * kImageBlocks);
    for (std::int64_t r = 0; r < kImageRows; ++r) {
      QuantizeRowQ8_1(random.Row(kColumns).data(), kColumns,
                      &image_[static_cast<std::size_t>(r * kImageBlocks)]);
    }
  }

  RoutedMatVecParams Params(const std::vector<std::int32_t>& ids,
                            std::int32_t image_rows, float* output,
                            std::uint32_t* invalid_ids = nullptr) const {
    return {.weights = weights_.data(),
            .image = image_.data(),
            .ids = ids.data(),
            .output = output,
            .invalid_ids = invalid_ids,
            .columns = kColumns,
            .rows = kRows,
            .weight_row_stride = kRowBlocks,
            .expert_stride = kExpertBlocks,
            .image_row_stride = kImageBlocks,
            .ids_stride = kIdsStride,
            .experts = kExperts,
            .slots = kSlots,
            .tokens = static_cast<std::int32_t>(ids.size() / kIdsStride),
            .image_rows = image_rows};
  }

  // `ids` has kIdsStride entries a token, the last of which nobody may read.
  void ExpectNearTheOracle(const std::vector<std::int32_t>& ids,
                           std::int32_t image_rows) const {
    const auto tokens = static_cast<std::int64_t>(ids.size()) / kIdsStride;
    Guarded<float> out(tokens * kSlots * kRows);
    RoutedMatVecHost<Block>(Params(ids, image_rows, out.data()));
    EXPECT_TRUE(out.guards_intact());
    for (std::int64_t i = 0; i < tokens * kSlots; ++i) {
      const std::int64_t token = i / kSlots, slot = i % kSlots;
      const std::int32_t id =
          ids[static_cast<std::size_t>(token * kIdsStride + slot)];
      const std::int64_t image_row = image_rows == 1 ? token : i;
      for (std::int64_t r = 0; r < kRows; ++r) {
        const SlowDot dot =
            id < 0 || id >= kExperts
                ? SlowDot{}
                : DotOfRow(&weights_[static_cast<std::size_t>(
                               id * kExpertBlocks + r * kRowBlocks)],
                           &image_[static_cast<std::size_t>(image_row *
                                                            kImageBlocks)],
                           kColumns);
        ASSERT_NEAR(out[i * kRows + r], dot.value, dot.bound)
            << "token " << token << " slot " << slot << " row " << r;
      }
    }
  }

  static constexpr std::int64_t kImageRows = 8;
  std::vector<Block> weights_;
  std::vector<BlockQ8_1> image_;
};

TYPED_TEST_SUITE(RoutedMatVec, WeightBlocks, FormatNames);

TYPED_TEST(RoutedMatVec, UsesTheExpertOfEachTokenAndSlot) {
  const std::vector<std::int32_t> ids = {0, 7, 99, 3, 1, 99, 7, 2, 99};
  this->ExpectNearTheOracle(ids, 1);
  this->ExpectNearTheOracle(ids, kSlots);
}

TYPED_TEST(RoutedMatVec, TakesTheSameExpertTwice) {
  this->ExpectNearTheOracle({3, 3, 99}, 1);
  this->ExpectNearTheOracle({3, 3, 99, 3, 3, 99}, kSlots);
}

TYPED_TEST(RoutedMatVec, LeavesZerosForAnIdThatNamesNoExpert) {
  this->ExpectNearTheOracle({-1, 5, 99, kExperts, 0, 99}, 1);
  this->ExpectNearTheOracle({INT32_MIN, INT32_MAX, 99}, kSlots);
}

TYPED_TEST(RoutedMatVec, ReadsNoExpertThatNobodyChose) {
  for (std::size_t b = 0; b < this->weights_.size(); ++b) {
    const auto expert = static_cast<std::int64_t>(b) / this->kExpertBlocks;
    if (expert == 2 || expert == 5) continue;
    std::memset(&this->weights_[b], 0xFF, sizeof(TypeParam));
  }
  this->ExpectNearTheOracle({5, 2, 99, 2, 2, 99}, 1);
}

TYPED_TEST(RoutedMatVec, CountsEachIdThatNamesNoExpert) {
  const std::vector<std::int32_t> ids = {-1, 5, 99, kExperts,  INT32_MIN, 99,
                                         0,  7, 99, INT32_MAX, INT32_MAX, 99};
  Guarded<float> out(4 * kSlots * kRows);
  std::uint32_t invalid_ids = 10;
  const RoutedMatVecParams params =
      this->Params(ids, 1, out.data(), &invalid_ids);
  RoutedMatVecHost<TypeParam>(params);
  EXPECT_EQ(invalid_ids, 15u);
  RoutedMatVecHost<TypeParam>(params);
  EXPECT_EQ(invalid_ids, 20u);
}

TYPED_TEST(RoutedMatVec, CountsNothingWhereEveryIdNamesAnExpert) {
  const std::vector<std::int32_t> ids = {0, 7, 99};
  Guarded<float> out(kSlots * kRows);
  std::uint32_t invalid_ids = 10;
  RoutedMatVecHost<TypeParam>(this->Params(ids, 1, out.data(), &invalid_ids));
  EXPECT_EQ(invalid_ids, 10u);
}

TYPED_TEST(RoutedMatVec, NeedsNoMemoryWhenNoIdNamesAnExpert) {
  const std::vector<std::int32_t> ids = {-1, kExperts, 99};
  Guarded<float> out(kSlots * kRows);
  RoutedMatVecParams params = this->Params(ids, 1, out.data());
  params.weights = nullptr;
  params.image = nullptr;
  RoutedMatVecHost<TypeParam>(params);
  for (std::int64_t i = 0; i < kSlots * kRows; ++i) EXPECT_EQ(out[i], 0.0f);
}

TYPED_TEST(RoutedMatVec, DoesNothingWithoutTokensOrSlots) {
  Guarded<float> out(kSlots * kRows);
  RoutedMatVecParams params = this->Params({}, 1, out.data());
  RoutedMatVecHost<TypeParam>(params);
  params.tokens = 4;
  params.slots = 0;
  RoutedMatVecHost<TypeParam>(params);
  EXPECT_TRUE(out.untouched());
}

TYPED_TEST(RoutedMatVec, CountsNoIdWithoutRows) {
  const std::int32_t id = -1;
  std::uint32_t invalid = 0;
  RoutedMatVecHost<TypeParam>({.ids = &id,
                               .invalid_ids = &invalid,
                               .columns = TypeParam::kValues,
                               .ids_stride = 1,
                               .experts = 1,
                               .slots = 1,
                               .tokens = 1});
  EXPECT_EQ(invalid, 0u);
}

}  // namespace
}  // namespace reprise
