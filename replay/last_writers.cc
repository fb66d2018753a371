#include "replay/last_writers.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace reprise {

LastWriters::LastWriters(const Graph& graph, absl::Span<const NodeId> order) {
  for (std::size_t position = 0; position < order.size(); ++position) {
    const NodeId node = order[position];
    const absl::Span<const Access> accesses = graph.accesses(node);
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      const Access& access = accesses[a];
      if (!access.writes() || !access.exact || access.view.empty()) continue;
      Write(access.view, View::kMaxRank - 1, access.view.address,
            {node, static_cast<std::uint32_t>(a),
             static_cast<std::uint32_t>(position)});
    }
  }
}

LastWriters::Run LastWriters::RunAt(std::uint64_t address,
                                    std::uint64_t end) const {
  const auto after = stretches_.upper_bound(address);
  if (after != stretches_.begin()) {
    const Stretch& stretch = std::prev(after)->second;
    if (address < stretch.end) {
      return {address, std::min(end, stretch.end), stretch.writer};
    }
  }
  const std::uint64_t next = after == stretches_.end() ? end : after->first;
  return {address, std::min(end, next), {}};
}

void LastWriters::Write(const View& view, int dimension, std::uint64_t address,
                        const Writer& writer) {
  const std::int64_t element = ElementBytes(view.type);
  if (dimension < 0) {
    WriteRange(address, address + static_cast<std::uint64_t>(element), writer);
    return;
  }
  if (dimension == 0 && view.strides[0] == element) {
    const std::int64_t bytes = element * view.extents[0];
    WriteRange(address, address + static_cast<std::uint64_t>(bytes), writer);
    return;
  }
  for (std::int64_t i = 0; i < view.extents[dimension]; ++i) {
    Write(view, dimension - 1, address, writer);
    address += static_cast<std::uint64_t>(view.strides[dimension]);
  }
}

void LastWriters::WriteRange(std::uint64_t begin, std::uint64_t end,
                             const Writer& writer) {
  SplitAt(begin);
  SplitAt(end);
  stretches_.erase(stretches_.lower_bound(begin), stretches_.lower_bound(end));
  stretches_.emplace(begin, Stretch{end, writer});
}

void LastWriters::SplitAt(std::uint64_t address) {
  const auto after = stretches_.upper_bound(address);
  if (after == stretches_.begin()) return;
  const auto around = std::prev(after);
  if (around->first == address || around->second.end <= address) return;
  stretches_.emplace_hint(after, address, around->second);
  around->second.end = address;
}

}  // namespace reprise
