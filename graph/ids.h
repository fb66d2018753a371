// Dense, typed indices. A NodeId cannot be handed to something that wants a
// StreamId, and neither turns into an int by accident.
#ifndef REPRISE_GRAPH_IDS_H_
#define REPRISE_GRAPH_IDS_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <utility>

namespace reprise {

template <typename Tag>
struct Id {
  static constexpr std::uint32_t kNoValue =
      std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = kNoValue;

  constexpr bool valid() const { return value != kNoValue; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;

  template <typename H>
  friend H AbslHashValue(H h, const Id& id) {
    return H::combine(std::move(h), id.value);
  }
};

using NodeId = Id<struct NodeTag>;
using StreamId = Id<struct StreamTag>;
using EventId = Id<struct EventTag>;

}  // namespace reprise

#endif  // REPRISE_GRAPH_IDS_H_
