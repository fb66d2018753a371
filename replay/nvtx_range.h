// Ranges that a profiler shows on the host's time line, in the domain
// "reprise": what this library was doing when.
//
//   NvtxRange range(Phase::kPlan);
//   ...
//   range.MarkNodes(graph.num_nodes(), rewritten.graph.num_nodes());
//
// Where no tool listens, and in a build without the toolkit, a range does
// nothing; nothing may depend on one.
// Threads  any; a range ends on the thread that it began on, the innermost
//          first.
#ifndef REPRISE_REPLAY_NVTX_RANGE_H_
#define REPRISE_REPLAY_NVTX_RANGE_H_

#include <cstdint>

namespace reprise {

enum class Phase : std::uint8_t {
  kCapture,
  kImport,
  kPlan,
  kEmit,
  kInstantiate,
  kUpdate,
  kReplay,
};

class NvtxRange {
 public:
  explicit NvtxRange(Phase phase);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;

  // A mark in the range, named "nodes", whose payload are the two counts
  // "nodes_before" and "nodes_after". A mark, because they are known late, and
  // a range's end takes a payload only from tools that know of payloads: from
  // the others it would never end.
  void MarkNodes(std::uint64_t before, std::uint64_t after);
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_NVTX_RANGE_H_
