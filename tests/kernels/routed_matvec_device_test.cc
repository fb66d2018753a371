#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "kernels/matvec.h"
#include "kernels/routed_matvec.h"
#include "tests/kernels/device_formats.h"
#include "tests/kernels/matvec_operands.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

constexpr std::int32_t kExperts = 5;

struct Extents {
  std::int64_t columns, rows;
  std::int32_t slots, tokens;
  bool image_per_slot = false;
  std::int64_t gap = 0;            // blocks after each row and each matrix
  std::int64_t weight_offset = 0;  // bytes before the first row
  std::int64_t image_offset = 0;
};

using Ids = std::vector<std::int32_t>;  // [tokens][slots]

// Experts, images, and what the products of those that `ids` names must be near
// to.
class Problem {
 public:
  Problem(const DeviceFormat& format, const Extents& extents)
      : format_(format),
        extents_(extents),
        weights_(format, extents.columns,
                 {.matrices = kExperts,
                  .rows = extents.rows,
                  .gap = extents.gap,
                  .offset = extents.weight_offset}),
        image_(extents.columns, {.rows = extents.tokens * image_rows(),
                                 .gap = extents.gap,
                                 .offset = extents.image_offset}) {}

  DeviceWeights& weights() { return weights_; }

  Ids RandomIds() const {
    RandomFloats random(16);
    Ids ids(static_cast<std::size_t>(extents_.tokens * extents_.slots));
    for (std::int32_t& id : ids) {
      id = static_cast<std::int32_t>(random.Bits() % kExperts);
    }
    return ids;
  }

  void ExpectNearTheProducts(const Ids& ids) const {
    SCOPED_TRACE(testing::Message()
                 << extents_.columns << " columns, " << extents_.rows
                 << " rows, " << extents_.slots << " slots, " << extents_.tokens
                 << " tokens");
    std::uint32_t invalid = 0;
    const std::vector<float> output = OutputOf(ids, &invalid);
    std::uint32_t named_none = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool named = ids[i] >= 0 && ids[i] < kExperts;
      named_none += named ? 0 : 1;
      const auto slot = static_cast<std::int64_t>(i);
      const std::int64_t image_row =
          extents_.image_per_slot ? slot : slot / extents_.slots;
      for (std::int64_t r = 0; r < extents_.rows; ++r) {
        const SlowDot dot =
            named ? DotOf(weights_.row(ids[i], r), image_.row(0, image_row))
                  : SlowDot{};
        ASSERT_NEAR(output[static_cast<std::size_t>(slot * extents_.rows + r)],
                    dot.value, dot.bound)
            << "token " << slot / extents_.slots << " slot "
            << slot % extents_.slots << " row " << r;
      }
    }
    EXPECT_EQ(invalid, named_none);
  }

  // Runs the kernel twice into poisoned memory; gives what it left there, and
  // in `invalid` what the first run counted. Behind a token's ids lie two that
  // nobody may read, for they name no expert.
  std::vector<float> OutputOf(const Ids& ids, std::uint32_t* invalid) const {
    constexpr std::int64_t kPad = 2;
    Ids padded;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      padded.push_back(ids[i]);
      if ((i + 1) % static_cast<std::size_t>(extents_.slots) != 0) continue;
      padded.insert(padded.end(), kPad, -1);
    }
    padded.resize(padded.size() - kPad);
    const DeviceArray<std::int32_t> device_ids(padded);
    DeviceArray<float> output(static_cast<std::int64_t>(ids.size()) *
                              extents_.rows);
    constexpr std::uint32_t kBefore = 10;
    DeviceArray<std::uint32_t> counter(1);
    counter.Upload(std::vector<std::uint32_t>{kBefore});
    RoutedMatVecParams params = Params();
    params.ids = device_ids.data();
    params.ids_stride = extents_.slots + kPad;
    params.output = output.data();
    params.invalid_ids = counter.data();
    RunOnDevice(format_.routed_symbol(), params);
    std::vector<float> values = output.Download();
    *invalid = counter.Download()[0] - kBefore;
    params.invalid_ids = nullptr;
    RunOnDevice(format_.routed_symbol(), params);
    EXPECT_TRUE(SameBytes(output.Download(), values)) << "a second run";
    EXPECT_EQ(counter.Download()[0], kBefore + *invalid) << "without a counter";
    EXPECT_TRUE(output.guards_intact() && counter.guards_intact());
    return values;
  }

  bool Fits() const { return FitsOnDevice(format_.routed_symbol(), Params()); }

  // But for ids, output and counter.
  RoutedMatVecParams Params() const {
    return {.weights = weights_.at(0, 0),
            .image = image_.at(0, 0),
            .columns = extents_.columns,
            .rows = extents_.rows,
            .weight_row_stride = weights_.row_stride(),
            .expert_stride = weights_.matrix_stride(),
            .image_row_stride = image_.row_stride(),
            .experts = kExperts,
            .slots = extents_.slots,
            .tokens = extents_.tokens,
            .image_rows = image_rows()};
  }

 private:
  std::int32_t image_rows() const {
    return extents_.image_per_slot ? extents_.slots : 1;
  }

  DeviceFormat format_;
  Extents extents_;
  DeviceWeights weights_;
  DeviceImage image_;
};

class RoutedMatVecOnDevice : public OnDevice,
                             public testing::WithParamInterface<DeviceFormat> {
 protected:
  const DeviceFormat& format() const { return GetParam(); }
  bool IsWhole(std::int64_t columns) const {
    return columns % format().block_values == 0;
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, RoutedMatVecOnDevice,
                         testing::ValuesIn(DeviceFormats()), NameOf);

std::vector<std::int64_t> Lengths() {
  if (Sanitized()) return {32, 288, 1280};
  return {32,   64,   96,   128,  256,  288,  512,  544,   768,   896,
          1024, 1056, 2048, 2560, 2880, 4096, 5120, 11008, 14336, 65536};
}

// About the edges of a thread block's rows.
constexpr std::int64_t kHeights[] = {1, 3, 4, 5, 15, 16, 17, 31, 33};

TEST_P(RoutedMatVecOnDevice, IsNearTheDequantizedProductsOfTheChosenExperts) {
  std::size_t next_height = 0;
  for (const std::int64_t columns : Lengths()) {
    if (!IsWhole(columns)) continue;
    for (const std::int32_t tokens : {1, 3, kMatVecMaxTokens}) {
      const std::int64_t height = kHeights[next_height++ % std::size(kHeights)];
      const Problem problem(format(), {.columns = columns,
                                       .rows = columns > 20000 ? 3 : height,
                                       .slots = 2,
                                       .tokens = tokens,
                                       .image_per_slot = tokens == 3});
      if (!problem.Fits()) continue;
      problem.ExpectNearTheProducts(problem.RandomIds());
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(RoutedMatVecOnDevice, IsNearTheDequantizedProductsAtEveryHeight) {
  for (const std::int64_t rows : {1, 3, 4, 5, 15, 16, 17, 31, 33, 100, 513}) {
    if (Sanitized() && rows != 5 && rows != 33) continue;
    const Problem problem(
        format(), {.columns = 768, .rows = rows, .slots = 8, .tokens = 2});
    problem.ExpectNearTheProducts(problem.RandomIds());
    if (HasFatalFailure()) return;
  }
}

TEST_P(RoutedMatVecOnDevice, TakesGapsAndAnyAlignedAddress) {
  const std::int64_t step = Sanitized() ? 12 : 4;
  for (std::int64_t offset = 0; offset < 36; offset += step) {
    const Problem problem(format(),
                          {.columns = 768,
                           .rows = 6,
                           .slots = 2,
                           .tokens = 2,
                           .image_per_slot = offset % 8 == 0,
                           .gap = offset % 3,
                           .weight_offset = offset / 4 * format().alignment(),
                           .image_offset = offset});
    problem.ExpectNearTheProducts(problem.RandomIds());
  }
}

// So many output values that warps need not share rows.
TEST_P(RoutedMatVecOnDevice, IsNearTheDequantizedProductsOfManySlots) {
  if (Sanitized()) return;
  for (const std::int64_t columns : {256, 2048, 4096}) {
    const Problem problem(format(), {.columns = columns,
                                     .rows = 33,
                                     .slots = 40,
                                     .tokens = kMatVecMaxTokens});
    problem.ExpectNearTheProducts(problem.RandomIds());
  }
}

// A thread block takes one token: there may be any number.
TEST_P(RoutedMatVecOnDevice, IsNearTheDequantizedProductsOfManyTokens) {
  for (const bool image_per_slot : {false, true}) {
    const Problem problem(format(), {.columns = 256,
                                     .rows = 5,
                                     .slots = 2,
                                     .tokens = Sanitized() ? 17 : 513,
                                     .image_per_slot = image_per_slot});
    problem.ExpectNearTheProducts(problem.RandomIds());
  }
}

TEST_P(RoutedMatVecOnDevice, TakesTheSameExpertTwice) {
  for (const bool image_per_slot : {false, true}) {
    const Problem problem(format(), {.columns = 512,
                                     .rows = 6,
                                     .slots = 3,
                                     .tokens = 2,
                                     .image_per_slot = image_per_slot});
    problem.ExpectNearTheProducts({3, 3, 0, 3, 0, 3});
  }
}

constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

TEST_P(RoutedMatVecOnDevice, LeavesZerosForAnIdThatNamesNoExpertAndCountsIt) {
  for (const std::int64_t rows : {1, 17, 200}) {
    const Problem problem(
        format(), {.columns = 512, .rows = rows, .slots = 2, .tokens = 5});
    problem.ExpectNearTheProducts(
        {-1, 2, 4, kExperts, kLeast, kMost, 0, 1, kExperts, kExperts});
    problem.ExpectNearTheProducts({0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
  }
}

TEST_P(RoutedMatVecOnDevice, NeedsNoMemoryWhenNoIdNamesAnExpert) {
  const DeviceArray<std::int32_t> ids(Ids{-1, kExperts});
  DeviceArray<float> output(2 * 9);
  RunOnDevice(format().routed_symbol(),
              RoutedMatVecParams{.ids = ids.data(),
                                 .output = output.data(),
                                 .columns = 512,
                                 .rows = 9,
                                 .ids_stride = 2,
                                 .experts = kExperts,
                                 .slots = 2,
                                 .tokens = 1});
  EXPECT_EQ(output.Download(), std::vector<float>(2 * 9));
  EXPECT_TRUE(output.guards_intact());
}

TEST_P(RoutedMatVecOnDevice, ReadsNoExpertThatNobodyChose) {
  Problem problem(format(),
                  {.columns = 512, .rows = 6, .slots = 2, .tokens = 2});
  for (const std::int64_t expert : {0, 2, 4}) {
    problem.weights().Poison(expert);
  }
  problem.ExpectNearTheProducts({1, 3, 3, 3});
}

TEST_P(RoutedMatVecOnDevice, DoesNothingWithoutTokensOrSlots) {
  const Problem problem(format(),
                        {.columns = 512, .rows = 6, .slots = 2, .tokens = 2});
  const DeviceArray<std::int32_t> ids(Ids{-1, -1, -1, -1});
  DeviceArray<float> output(24);
  DeviceArray<std::uint32_t> counter(1);
  RoutedMatVecParams params = problem.Params();
  params.ids = ids.data();
  params.ids_stride = 2;
  params.output = output.data();
  params.invalid_ids = counter.data();
  RoutedMatVecParams none = params;
  none.tokens = 0;
  RunOnDevice(format().routed_symbol(), none);
  none = params;
  none.slots = 0;
  RunOnDevice(format().routed_symbol(), none);
  EXPECT_TRUE(output.untouched() && counter.untouched());
}

}  // namespace
}  // namespace reprise
