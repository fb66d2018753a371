// Which node of a graph leaves each byte: who is to blame for a wrong one, and
// which bytes are a quantizer's scratch.
//
// Only what a node writes for certain counts: a view that bounds a write and an
// opaque node leave the earlier writer in place.
// Cost     O(rows log rows) for the rows of all written views.
#ifndef REPRISE_REPLAY_LAST_WRITERS_H_
#define REPRISE_REPLAY_LAST_WRITERS_H_

#include <cstdint>
#include <limits>
#include <map>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "graph/view.h"

namespace reprise {

class LastWriters {
 public:
  struct Writer {
    NodeId node;               // invalid: nobody is known to write
    std::uint32_t access = 0;  // index into Graph::accesses(node)
    // Of the node in the order; nobody comes last.
    std::uint32_t position = std::numeric_limits<std::uint32_t>::max();
  };

  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Writer writer;
  };

  // Nodes write in `order`.
  LastWriters(const Graph& graph, absl::Span<const NodeId> order);

  // The bytes from `address` on that share a writer, up to `end`.
  // REQUIRES: address < end.
  Run RunAt(std::uint64_t address, std::uint64_t end) const;

 private:
  struct Stretch {
    std::uint64_t end = 0;
    Writer writer;
  };

  void Write(const View& view, int dimension, std::uint64_t address,
             const Writer& writer);
  void WriteRange(std::uint64_t begin, std::uint64_t end, const Writer& writer);
  // Makes `address` the border of two stretches when it lies inside one.
  void SplitAt(std::uint64_t address);

  std::map<std::uint64_t, Stretch> stretches_;  // by begin; disjoint
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_LAST_WRITERS_H_
