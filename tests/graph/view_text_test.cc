#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "graph/view.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;

TEST(ViewText, OfADenseViewHasNoStrides) {
  EXPECT_EQ(ToText(Packed(0x1000, ElementType::kF32, 64)), "0x1000:f32:64");
  EXPECT_EQ(ToText(Packed(0xABC, ElementType::kQ8_1, 16, 1, 2)),
            "0xabc:q8_1:16x2");
  EXPECT_EQ(ToText(ByteRange(0, 0)), "0x0:byte:0");
}

TEST(ViewText, OfAViewWithHolesHasAStrideForEachExtent) {
  View view = Packed(0x1000, ElementType::kF32, 64, 2);
  view.strides[1] = 512;
  EXPECT_EQ(ToText(view), "0x1000:f32:64x2/4,512");
  view.extents[2] = 3;
  EXPECT_EQ(ToText(view), "0x1000:f32:64x2x3/4,512,0");
}

TEST(ViewFromText, TakesDenseStridesWhereNoneAreGiven) {
  const absl::StatusOr<View> view = ViewFromText("0x20:f16:8x3x1x2");
  ASSERT_OK(view);
  EXPECT_EQ(*view, Packed(0x20, ElementType::kF16, 8, 3, 2));
}

TEST(ViewFromText, NormalizesWhatItReads) {
  const absl::StatusOr<View> view = ViewFromText("0x20:f32:1x1x5/99,98,4");
  ASSERT_OK(view);
  EXPECT_EQ(view->extents, (std::array<std::int64_t, 4>{1, 5, 1, 1}));
  EXPECT_EQ(view->strides, (std::array<std::int64_t, 4>{4, 4, 0, 0}));
}

TEST(ViewFromText, GivesBackEveryViewThatWasWritten) {
  std::mt19937 random(1);
  for (int round = 0; round < 5'000; ++round) {
    View view;
    view.address = (std::uint64_t{random()} << 32) | random();
    view.type = static_cast<ElementType>(random() % 7);
    for (int d = 0; d < View::kMaxRank; ++d) {
      view.extents[d] = random() % 4;
      view.strides[d] = random() % 3 == 0 ? ElementBytes(view.type)
                                          : static_cast<std::int64_t>(random());
    }
    view = Normalized(view);
    if (view.empty() && view.dense()) continue;  // strides to spare
    const absl::StatusOr<View> back = ViewFromText(ToText(view));
    ASSERT_OK(back);
    ASSERT_EQ(*back, view) << ToText(view);
  }
}

TEST(ViewFromText, QuotesWhatItCannotRead) {
  for (const char* text :
       {"", "0x1000", "0x1000:f32", "0x1000:f32:", "0x1000:f33:4",
        "0x1000:f32:4:5", "zz:f32:4", ":f32:4", "0x1000:f32:4x", "0x1000:f32:x",
        "0x1000:f32:-4", "0x1000:f32:4/-4", "0x1000:f32:4x2/4",
        "0x1000:f32:4/4,8", "0x1000:f32:4/4/4", "0x1000:f32:4/",
        "0x1000:f32:1x2x3x4x5", "0x1000:f32:99999999999999999999",
        "0x10000000000000000:f32:4"}) {
    const absl::StatusOr<View> view = ViewFromText(text);
    EXPECT_THAT(view, HasCode(absl::StatusCode::kInvalidArgument)) << text;
    EXPECT_THAT(view, HasText("'" + std::string(text) + "' is no view"));
  }
}

}  // namespace
}  // namespace reprise
