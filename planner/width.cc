#include "planner/width.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace reprise {
namespace {

class Chains {
 public:
  Chains(std::uint32_t width, std::vector<std::vector<NodeId>>& before)
      : width_(width),
        before_(before),
        places_(before.size()),
        clocks_(before.size()) {}

  void Put(NodeId node) {
    Look(node);
    const std::uint32_t chain = Choose();
    if (chain == tails_.size()) {
      tails_.push_back(node);
    } else {
      const NodeId tail = std::exchange(tails_[chain], node);
      if (!IsBefore(tail)) Add(tail);
      before_[node.value].push_back(tail);
    }
    clocks_[node.value] = clock_;
    places_[node.value] = {chain, clock_.size() > chain ? clock_[chain] : 0,
                           depth_ + 1};
  }

 private:
  struct Place {
    std::uint32_t chain = 0;
    std::uint32_t index = 0;  // in its chain
    std::uint32_t depth = 0;  // nodes on the longest way to it
  };

  // Sets clock_, how many nodes of each chain are before the node, and depth_.
  void Look(NodeId node) {
    clock_.clear();
    depth_ = 0;
    for (NodeId before : before_[node.value]) Add(before);
  }

  void Add(NodeId before) {
    const Place& at = places_[before.value];
    const std::vector<std::uint32_t>& clock = clocks_[before.value];
    clock_.resize(tails_.size(), 0);
    for (std::size_t c = 0; c < clock.size(); ++c) {
      clock_[c] = std::max(clock_[c], clock[c]);
    }
    clock_[at.chain] = std::max(clock_[at.chain], at.index + 1);
    depth_ = std::max(depth_, at.depth);
  }

  bool IsBefore(NodeId tail) const {
    const Place& at = places_[tail.value];
    return at.chain < clock_.size() && clock_[at.chain] > at.index;
  }

  std::uint32_t Choose() const {
    const auto depth = [&](std::uint32_t c) {
      return places_[tails_[c].value].depth;
    };
    const auto end = static_cast<std::uint32_t>(tails_.size());
    std::uint32_t latest = end;
    std::uint32_t shallow = 0;
    for (std::uint32_t c = 0; c < end; ++c) {
      if (IsBefore(tails_[c]) && (latest == end || depth(c) > depth(latest))) {
        latest = c;
      }
      if (depth(c) < depth(shallow)) shallow = c;
    }
    return latest != end || end < width_ ? latest : shallow;
  }

  const std::uint32_t width_;
  std::vector<std::vector<NodeId>>& before_;
  std::vector<NodeId> tails_;                       // by chain: its last node
  std::vector<Place> places_;                       // by node
  std::vector<std::vector<std::uint32_t>> clocks_;  // by node
  std::vector<std::uint32_t> clock_;                // of the node at hand
  std::uint32_t depth_ = 0;                         // of what is before it
};

}  // namespace

void LimitWidth(absl::Span<const NodeId> order, std::uint32_t width,
                std::vector<std::vector<NodeId>>& before) {
  Chains chains(width, before);
  for (NodeId node : order) chains.Put(node);
}

}  // namespace reprise
