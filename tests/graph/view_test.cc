// Views against the set of bytes that they stand for.
#include "graph/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>

namespace reprise {
namespace {

using Bytes = std::set<std::uint64_t>;

// One after the other: the oracle.
Bytes BytesOf(const View& v) {
  Bytes bytes;
  for (std::int64_t i3 = 0; i3 < v.extents[3]; ++i3) {
    for (std::int64_t i2 = 0; i2 < v.extents[2]; ++i2) {
      for (std::int64_t i1 = 0; i1 < v.extents[1]; ++i1) {
        for (std::int64_t i0 = 0; i0 < v.extents[0]; ++i0) {
          const std::int64_t at = i0 * v.strides[0] + i1 * v.strides[1] +
                                  i2 * v.strides[2] + i3 * v.strides[3];
          for (std::int64_t b = 0; b < ElementBytes(v.type); ++b) {
            bytes.insert(v.address + static_cast<std::uint64_t>(at + b));
          }
        }
      }
    }
  }
  return bytes;
}

bool ShareAByte(const View& a, const View& b) {
  const Bytes in_a = BytesOf(a);
  const Bytes in_b = BytesOf(b);
  return std::any_of(in_a.begin(), in_a.end(),
                     [&](std::uint64_t byte) { return in_b.contains(byte); });
}

bool IsSubset(const View& outer, const View& inner) {
  const Bytes in_outer = BytesOf(outer);
  const Bytes in_inner = BytesOf(inner);
  return std::includes(in_outer.begin(), in_outer.end(), in_inner.begin(),
                       in_inner.end());
}

View Rows(std::uint64_t address, std::int64_t columns, std::int64_t rows,
          std::int64_t stride, ElementType type = ElementType::kByte) {
  View view = Packed(address, type, columns, rows);
  view.strides[1] = stride;
  return Normalized(view);
}

// Small enough that two of them often meet: any strides, or rows that keep a
// common distance.
View RandomView(std::mt19937& random, std::int64_t row_stride) {
  const ElementType types[] = {ElementType::kByte, ElementType::kF16,
                               ElementType::kF32};
  const auto pick = [&](std::uint32_t limit) {
    return static_cast<std::int64_t>(random() % limit);
  };
  View view;
  view.type = types[pick(3)];
  view.address = 100 + static_cast<std::uint64_t>(pick(40));
  view.extents = {pick(8) == 0 ? 0 : 1 + pick(4), 1 + pick(3), 1 + pick(3),
                  1 + pick(2)};
  view.strides = {ElementBytes(view.type) * (1 + pick(4) / 3), pick(30),
                  pick(60), pick(60)};
  if (row_stride > 0) {
    view.strides = {ElementBytes(view.type), row_stride, row_stride * pick(4),
                    row_stride * pick(4)};
  }
  return Normalized(view);
}

TEST(View, OfNothingIsEmpty) {
  const View nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.bytes(), 0);
  EXPECT_EQ(nothing.begin(), nothing.end());
  EXPECT_TRUE(Packed(0x1000, ElementType::kF32, 4, 0).empty());
}

TEST(View, KnowsItsBytesAndItsEnd) {
  const View rows = Rows(0x1000, 3, 2, 16, ElementType::kF32);
  EXPECT_EQ(rows.bytes(), 24);
  EXPECT_EQ(rows.end(), 0x1000u + 16 + 12);
  EXPECT_FALSE(rows.dense());
  EXPECT_TRUE(Rows(0x1000, 3, 2, 12, ElementType::kF32).dense());
  EXPECT_EQ(ByteRange(0x1000, 7).end(), 0x1007u);
  EXPECT_EQ(Packed(0x1000, ElementType::kQ8_1, 16).bytes(), 576);
}

TEST(View, AgreesWithItsBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 5'000; ++round) {
    const View view = RandomView(random, round % 2 == 0 ? 0 : 24);
    const Bytes bytes = BytesOf(view);
    ASSERT_EQ(view.empty(), bytes.empty()) << ToText(view);
    if (bytes.empty()) continue;
    ASSERT_EQ(view.begin(), *bytes.begin()) << ToText(view);
    ASSERT_EQ(view.end(), *bytes.rbegin() + 1) << ToText(view);
    ASSERT_GE(view.bytes(), static_cast<std::int64_t>(bytes.size()));
    if (view.dense()) {
      ASSERT_EQ(view.end() - view.begin(), bytes.size()) << ToText(view);
    }
  }
}

TEST(Packed, LaysRowsBackToBack) {
  const View view = Packed(0x1000, ElementType::kF16, 5, 3, 2);
  EXPECT_EQ(view.extents, (std::array<std::int64_t, 4>{5, 3, 2, 1}));
  EXPECT_EQ(view.strides, (std::array<std::int64_t, 4>{2, 10, 30, 0}));
  EXPECT_TRUE(view.dense());
  EXPECT_EQ(Packed(0x1000, ElementType::kF32, 64, 1, 2),
            Packed(0x1000, ElementType::kF32, 64, 2));
}

TEST(Normalized, MovesDimensionsOfExtentOneOutwards) {
  View view;
  view.type = ElementType::kF32;
  view.extents = {1, 1, 7, 1};
  view.strides = {40, 99, 28, 5};
  const View normal = Normalized(view);
  EXPECT_EQ(normal.extents, (std::array<std::int64_t, 4>{1, 7, 1, 1}));
  EXPECT_EQ(normal.strides, (std::array<std::int64_t, 4>{4, 28, 0, 0}));
}

TEST(Normalized, KeepsTheLengthOfRows) {
  EXPECT_NE(Packed(0x1000, ElementType::kF32, 64, 2),
            Packed(0x1000, ElementType::kF32, 128));
}

TEST(Normalized, KeepsTheBytesAndIsAtRest) {
  std::mt19937 random(2);
  for (int round = 0; round < 2'000; ++round) {
    View view = RandomView(random, 0);
    view.extents[1 + random() % 3] = 1;
    const View normal = Normalized(view);
    ASSERT_EQ(BytesOf(normal), BytesOf(view)) << ToText(normal);
    ASSERT_EQ(Normalized(normal), normal);
  }
}

TEST(MayOverlap, NeverDeniesASharedByte) {
  std::mt19937 random(3);
  int shared = 0, denied = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::int64_t strides[] = {0, 20, 24};
    const View a = RandomView(random, strides[random() % 3]);
    const View b = RandomView(random, strides[random() % 3]);
    const bool share = ShareAByte(a, b);
    shared += share;
    denied += !MayOverlap(a, b);
    ASSERT_EQ(MayOverlap(a, b), MayOverlap(b, a));
    ASSERT_TRUE(MayOverlap(a, b) || !share) << ToText(a) << " " << ToText(b);
  }
  EXPECT_GT(shared, 1'000);
  EXPECT_GT(denied, 1'000);
}

TEST(MayOverlap, IsExactForRowsOfOneStride) {
  std::mt19937 random(4);
  int apart = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto rows = [&] {
      return Rows(100 + random() % 40, 1 + random() % 8, 2 + random() % 3, 16);
    };
    const View a = rows();
    const View b = rows();
    if (a.begin() >= b.end() || b.begin() >= a.end()) continue;
    // Rows that begin and end in different turns of the stride may interleave
    // without meeting because one view has ended; the answer may be yes there.
    const bool same_turns =
        a.extents[1] == b.extents[1] &&
        std::max(a.address, b.address) - std::min(a.address, b.address) < 16;
    const bool share = ShareAByte(a, b);
    apart += !share;
    if (same_turns) {
      ASSERT_EQ(MayOverlap(a, b), share) << ToText(a) << " " << ToText(b);
    } else {
      ASSERT_TRUE(MayOverlap(a, b) || !share) << ToText(a) << " " << ToText(b);
    }
  }
  EXPECT_GT(apart, 1'000);
}

TEST(MayOverlap, TellsInterleavedHalvesApart) {
  const View gate = Rows(0x1000, 64, 8, 512, ElementType::kF32);
  const View up = Rows(0x1100, 64, 8, 512, ElementType::kF32);
  EXPECT_FALSE(MayOverlap(gate, up));
  EXPECT_TRUE(MayOverlap(gate, Rows(0x10FF, 64, 8, 512, ElementType::kF32)));
  EXPECT_FALSE(MayOverlap(gate, ByteRange(0x1100, 0x100)));
  EXPECT_TRUE(MayOverlap(gate, ByteRange(0x1100, 0x101)));
}

TEST(MayOverlap, OfNothingIsFalse) {
  EXPECT_FALSE(MayOverlap(ByteRange(0x1000, 0), ByteRange(0x0, 0x2000)));
}

TEST(Contains, IsNeverTrueWrongly) {
  std::mt19937 random(5);
  int contained = 0;
  for (int round = 0; round < 20'000; ++round) {
    const View outer = round % 2 == 0 ? ByteRange(100, 30 + round % 60)
                                      : RandomView(random, 0);
    const View inner = round % 7 == 0 ? outer : RandomView(random, 0);
    if (!Contains(outer, inner)) continue;
    ++contained;
    ASSERT_TRUE(IsSubset(outer, inner))
        << ToText(outer) << " " << ToText(inner);
  }
  EXPECT_GT(contained, 1'000);
}

TEST(Contains, IsTrueOfDenseRangesAndOfItself) {
  const View strided = Rows(0x1000, 16, 4, 64);
  EXPECT_TRUE(Contains(ByteRange(0x1000, 0x100), strided));
  EXPECT_TRUE(Contains(strided, strided));
  EXPECT_FALSE(Contains(strided, ByteRange(0x1010, 1)));
  EXPECT_FALSE(Contains(ByteRange(0x1001, 0x100), strided));
  EXPECT_TRUE(Contains(strided, ByteRange(0x5000, 0)));
}

TEST(ElementType, HasNamesAndSizes) {
  struct Row {
    ElementType type;
    const char* name;
    std::int64_t bytes;
  };
  for (const Row& row : {Row{ElementType::kByte, "byte", 1},
                         {ElementType::kF16, "f16", 2},
                         {ElementType::kBf16, "bf16", 2},
                         {ElementType::kF32, "f32", 4},
                         {ElementType::kI32, "i32", 4},
                         {ElementType::kI64, "i64", 8},
                         {ElementType::kQ8_1, "q8_1", 36}}) {
    EXPECT_EQ(NameOf(row.type), row.name);
    EXPECT_EQ(ElementBytes(row.type), row.bytes);
    EXPECT_EQ(FindElementType(row.name), row.type);
  }
  EXPECT_FALSE(FindElementType("F32").has_value());
  EXPECT_FALSE(FindElementType("").has_value());
}

}  // namespace
}  // namespace reprise
