// What a comparison of an original and a rewritten program found, and what both
// really ran: a program that ran nothing is equal to everything. The same on
// the host and on a device.
#ifndef REPRISE_REPLAY_VERDICT_H_
#define REPRISE_REPLAY_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "graph/graph.h"
#include "graph/ids.h"
#include "graph/view.h"

namespace reprise {

// Sums over all replays.
struct RunCounts {
  std::uint64_t replays = 0;
  std::uint64_t kernels = 0;
  std::uint64_t quantizers = 0;
  std::uint64_t emitting = 0;  // producers that wrote an image too

  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

// One byte that the rewritten program left otherwise.
struct Difference {
  int replay = 0;
  // The captured node that wrote the byte last; invalid when none is known to.
  NodeId node;
  // What that node wrote; without a node, the allocation.
  View view;
  std::uint64_t offset = 0;  // of the byte, from the view's first
  std::uint8_t expected = 0;
  std::uint8_t actual = 0;

  friend bool operator==(const Difference&, const Difference&) = default;
};

struct Verdict {
  RunCounts original;
  RunCounts rewritten;
  std::uint64_t bytes_compared = 0;  // each replay
  std::uint64_t bytes_skipped = 0;   // left by quantizers in their scratch
  std::optional<Difference> difference;

  bool equal() const { return !difference.has_value(); }
};

// "replay 2: node 7 (reprise_matvec_q4_0) left 0x1f instead of 0x20 at byte 12
// of 0x1000:f32:64". `graph` is the captured one.
std::string ToText(const Graph& graph, const Difference& difference);

}  // namespace reprise

#endif  // REPRISE_REPLAY_VERDICT_H_
