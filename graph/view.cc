#include "graph/view.h"

#include <algorithm>
#include <cstddef>

namespace reprise {
namespace {

struct ElementTypeInfo {
  ElementType type;
  absl::string_view name;
  std::int64_t bytes;
};

constexpr ElementTypeInfo kTypes[] = {
    {ElementType::kByte, "byte", 1},  {ElementType::kF16, "f16", 2},
    {ElementType::kBf16, "bf16", 2},  {ElementType::kF32, "f32", 4},
    {ElementType::kI32, "i32", 4},    {ElementType::kI64, "i64", 8},
    {ElementType::kQ8_1, "q8_1", 36},
};

// The largest stride of a view whose elements have holes; 0 for one range.
std::int64_t RowStride(const View& v) {
  return *std::max_element(v.strides.begin() + 1, v.strides.end());
}

// When every outer stride of both views is a multiple of `period`, their bytes
// repeat with it, and comparing one period is enough. Answers true when the
// two repeat in disjoint parts of the period.
bool InterleaveWithoutTouching(const View& a, const View& b,
                               std::int64_t period) {
  for (const View* v : {&a, &b}) {
    for (int d = 1; d < View::kMaxRank; ++d) {
      if (v->strides[d] % period != 0) return false;
    }
  }
  const auto row_bytes = [](const View& v) {
    return (v.extents[0] - 1) * v.strides[0] + ElementBytes(v.type);
  };
  const std::int64_t a_bytes = row_bytes(a);
  const std::int64_t b_bytes = row_bytes(b);
  // Place a's row at 0 of the period; b's row then starts at `shift`.
  const std::int64_t shift =
      static_cast<std::int64_t>(b.address - a.address) % period;
  const std::int64_t wrapped = shift < 0 ? shift + period : shift;
  return wrapped >= a_bytes && wrapped + b_bytes <= period;
}

}  // namespace

std::int64_t ElementBytes(ElementType type) {
  return kTypes[static_cast<std::size_t>(type)].bytes;
}

absl::string_view NameOf(ElementType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::optional<ElementType> FindElementType(absl::string_view name) {
  for (const ElementTypeInfo& info : kTypes) {
    if (info.name == name) return info.type;
  }
  return std::nullopt;
}

std::uint64_t View::end() const {
  if (empty()) return address;
  std::uint64_t last = address;
  for (int d = 0; d < kMaxRank; ++d) {
    last += static_cast<std::uint64_t>((extents[d] - 1) * strides[d]);
  }
  return last + static_cast<std::uint64_t>(ElementBytes(type));
}

std::int64_t View::bytes() const {
  if (empty()) return 0;
  std::int64_t count = ElementBytes(type);
  for (std::int64_t e : extents) count *= e;
  return count;
}

bool View::dense() const {
  std::int64_t packed = ElementBytes(type);
  for (int d = 0; d < kMaxRank; ++d) {
    if (extents[d] != 1 && strides[d] != packed) return false;
    packed *= extents[d];
  }
  return true;
}

View ByteRange(std::uint64_t address, std::int64_t bytes) {
  return Packed(address, ElementType::kByte, bytes);
}

View Packed(std::uint64_t address, ElementType type, std::int64_t extent0,
            std::int64_t extent1, std::int64_t extent2) {
  const std::int64_t element = ElementBytes(type);
  View view;
  view.address = address;
  view.type = type;
  view.extents = {extent0, extent1, extent2, 1};
  view.strides = {element, element * extent0, element * extent0 * extent1, 0};
  return Normalized(view);
}

View Normalized(View view) {
  int kept = 1;
  for (int d = 1; d < View::kMaxRank; ++d) {
    if (view.extents[d] == 1) continue;
    view.extents[kept] = view.extents[d];
    view.strides[kept] = view.strides[d];
    ++kept;
  }
  for (int d = kept; d < View::kMaxRank; ++d) {
    view.extents[d] = 1;
    view.strides[d] = 0;
  }
  if (view.extents[0] == 1) view.strides[0] = ElementBytes(view.type);
  return view;
}

bool MayOverlap(const View& a, const View& b) {
  if (a.empty() || b.empty()) return false;
  if (a.begin() >= b.end() || b.begin() >= a.end()) return false;
  const std::int64_t period = std::max(RowStride(a), RowStride(b));
  if (period == 0) return true;
  return !InterleaveWithoutTouching(a, b, period);
}

bool Contains(const View& outer, const View& inner) {
  if (inner.empty()) return true;
  if (outer == inner) return true;
  return outer.dense() && outer.begin() <= inner.begin() &&
         inner.end() <= outer.end();
}

}  // namespace reprise
