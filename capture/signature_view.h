// Turns counts and strides into a graph view, and finds the allocation that an
// address lies in. Everything is checked: what cannot be a view is refused.
#ifndef REPRISE_CAPTURE_SIGNATURE_VIEW_H_
#define REPRISE_CAPTURE_SIGNATURE_VIEW_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "graph/view.h"

namespace reprise {

// No view ends behind it.
inline constexpr std::uint64_t kMaxViewEnd =
    std::numeric_limits<std::int64_t>::max();

struct Dimension {
  std::int64_t count = 0;
  std::int64_t stride = 0;  // bytes
};

struct BuiltView {
  View view;
  bool exact = true;  // false: the view is a range around the elements
};

// Rows of `length` elements; `rows` outermost first. Dimensions of count 1 go,
// neighbours that make one even sequence become one, and what is still more
// than a view can hold becomes the range around it. A count of 0 gives an empty
// view. Nothing for a negative count or stride, and for a view whose bytes or
// end do not fit 63 bits.
std::optional<BuiltView> BuildView(std::uint64_t address, ElementType type,
                                   std::int64_t length,
                                   absl::Span<const Dimension> rows);

class AllocationIndex {
 public:
  // Allocations whose end does not fit 63 bits count as not there.
  explicit AllocationIndex(absl::Span<const Allocation> allocations);

  // Null when the address is in none.
  const Allocation* Find(std::uint64_t address) const;

 private:
  std::vector<Allocation> sorted_;  // by address
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_VIEW_H_
