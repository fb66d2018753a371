// Where a tensor lies in device memory: the unit in which nodes say what they
// read and write.
//
// Shape    rows of extents[0] elements; up to three outer dimensions.
//          A row is contiguous unless strides[0] differs from the element.
// Units    address and strides in bytes, extents in elements; for blocked
//          types (q8_1, weights) an element is one block.
// Rules    extents and strides are never negative; an extent of 0 means the
//          empty set. A dimension of extent 1 has stride 0 (Normalized()).
#ifndef REPRISE_GRAPH_VIEW_H_
#define REPRISE_GRAPH_VIEW_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace reprise {

enum class ElementType : std::uint8_t {
  kByte,
  kF16,
  kBf16,
  kF32,
  kI32,
  kI64,
  kQ8_1,  // 36 bytes for 32 values
};

std::int64_t ElementBytes(ElementType type);
absl::string_view NameOf(ElementType type);
std::optional<ElementType> FindElementType(absl::string_view name);

struct View {
  static constexpr int kMaxRank = 4;

  std::uint64_t address = 0;
  ElementType type = ElementType::kByte;
  std::array<std::int64_t, kMaxRank> extents = {0, 1, 1, 1};
  std::array<std::int64_t, kMaxRank> strides = {0, 0, 0, 0};

  bool empty() const {
    return extents[0] <= 0 || extents[1] <= 0 || extents[2] <= 0 ||
           extents[3] <= 0;
  }
  // First byte and one past the last byte of the smallest range around it.
  std::uint64_t begin() const { return address; }
  std::uint64_t end() const;
  // Bytes of the elements themselves, holes not counted.
  std::int64_t bytes() const;
  // No holes: the elements fill begin()..end() in order.
  bool dense() const;

  friend bool operator==(const View&, const View&) = default;

  template <typename H>
  friend H AbslHashValue(H h, const View& v) {
    // Enough to tell the views of one graph apart; comparing does the rest.
    return H::combine(std::move(h), v.address, v.extents[0], v.extents[1]);
  }
};

// `bytes` bytes from `address` on.
View ByteRange(std::uint64_t address, std::int64_t bytes);

// A packed tensor: extents[0] elements a row, rows back to back.
View Packed(std::uint64_t address, ElementType type, std::int64_t extent0,
            std::int64_t extent1 = 1, std::int64_t extent2 = 1);

// The one form that equal views share: dimensions of extent 1 lose their
// stride and move outwards. Rows keep their length: 2 rows of 64 and 1 row of
// 128 stay different views, because their images differ.
View Normalized(View view);

// False only when no byte belongs to both. True is the safe answer: strided
// views that interleave are told apart when their row strides agree.
bool MayOverlap(const View& a, const View& b);

// True only when every byte of `inner` belongs to `outer`. False is the safe
// answer.
bool Contains(const View& outer, const View& inner);

// "0x1000:f32:64x2" or, with holes, "0x1000:f32:64x2/4,512"; and the reverse.
std::string ToText(const View& view);
absl::StatusOr<View> ViewFromText(absl::string_view text);

}  // namespace reprise

#endif  // REPRISE_GRAPH_VIEW_H_
