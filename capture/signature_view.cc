#include "capture/signature_view.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace reprise {
namespace {

// Rows innermost first, reduced; `element` is the row's own dimension.
struct Shape {
  Dimension element;
  std::vector<Dimension> rows;
};

// A byte row that goes on in the next one is one longer row. Rows of other
// elements keep their length: what is made of them depends on it.
void JoinByteRows(ElementType type, Shape& shape) {
  if (type != ElementType::kByte) return;
  Dimension& element = shape.element;
  auto row = shape.rows.begin();
  for (; row != shape.rows.end() && row->stride == element.count; ++row) {
    std::int64_t count = 0;
    if (__builtin_mul_overflow(element.count, row->count, &count)) break;
    element.count = count;
  }
  shape.rows.erase(shape.rows.begin(), row);
}

// Outer rows that go on where the inner ones end are one dimension.
void JoinRows(Shape& shape) {
  std::vector<Dimension> joined;
  for (const Dimension& row : shape.rows) {
    std::int64_t next = 0;
    if (!joined.empty() &&
        !__builtin_mul_overflow(joined.back().stride, joined.back().count,
                                &next) &&
        next == row.stride &&
        !__builtin_mul_overflow(joined.back().count, row.count, &next)) {
      joined.back().count = next;
    } else {
      joined.push_back(row);
    }
  }
  shape.rows = std::move(joined);
}

// One past the last byte, when that and the number of bytes fit.
std::optional<std::uint64_t> EndOf(std::uint64_t address, ElementType type,
                                   const Shape& shape) {
  std::int64_t bytes = ElementBytes(type);
  std::uint64_t end = address;
  if (__builtin_add_overflow(end, static_cast<std::uint64_t>(bytes), &end)) {
    return std::nullopt;
  }
  const auto extend = [&](const Dimension& d) {
    std::int64_t reach = 0;
    return !__builtin_mul_overflow(bytes, d.count, &bytes) &&
           !__builtin_mul_overflow(d.count - 1, d.stride, &reach) &&
           !__builtin_add_overflow(end, static_cast<std::uint64_t>(reach),
                                   &end) &&
           end <= kMaxViewEnd;
  };
  if (!extend(shape.element)) return std::nullopt;
  if (!std::all_of(shape.rows.begin(), shape.rows.end(), extend)) {
    return std::nullopt;
  }
  return end;
}

View ToView(std::uint64_t address, ElementType type, const Shape& shape) {
  View view;
  view.address = address;
  view.type = type;
  view.extents[0] = shape.element.count;
  view.strides[0] = shape.element.stride;
  for (std::size_t i = 0; i < shape.rows.size(); ++i) {
    view.extents[i + 1] = shape.rows[i].count;
    view.strides[i + 1] = shape.rows[i].stride;
  }
  return Normalized(view);
}

}  // namespace

std::optional<BuiltView> BuildView(std::uint64_t address, ElementType type,
                                   std::int64_t length,
                                   absl::Span<const Dimension> rows) {
  Shape shape{{length, ElementBytes(type)}, {}};
  bool empty = length == 0;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->count < 0) return std::nullopt;
    if (row->count == 0) empty = true;
    if (row->count <= 1) continue;
    if (row->stride < 0) return std::nullopt;
    shape.rows.push_back(*row);
  }
  if (length < 0) return std::nullopt;
  if (empty) return BuiltView{Packed(address, type, 0)};
  JoinByteRows(type, shape);
  JoinRows(shape);
  const std::optional<std::uint64_t> end = EndOf(address, type, shape);
  if (!end) return std::nullopt;
  if (shape.rows.size() >= View::kMaxRank) {
    return BuiltView{
        ByteRange(address, static_cast<std::int64_t>(*end - address)), false};
  }
  return BuiltView{ToView(address, type, shape)};
}

AllocationIndex::AllocationIndex(absl::Span<const Allocation> allocations) {
  std::copy_if(allocations.begin(), allocations.end(),
               std::back_inserter(sorted_), [](const Allocation& a) {
                 return a.address <= kMaxViewEnd &&
                        a.bytes <= kMaxViewEnd - a.address;
               });
  std::sort(sorted_.begin(), sorted_.end(),
            [](const Allocation& a, const Allocation& b) {
              return a.address < b.address;
            });
}

const Allocation* AllocationIndex::Find(std::uint64_t address) const {
  const auto next = std::upper_bound(
      sorted_.begin(), sorted_.end(), address,
      [](std::uint64_t a, const Allocation& b) { return a < b.address; });
  if (next == sorted_.begin()) return nullptr;
  const Allocation& before = *(next - 1);
  return address - before.address < before.bytes ? &before : nullptr;
}

}  // namespace reprise
