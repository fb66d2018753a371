// Gives a captured graph its meaning: every kernel that a pack recognises gets
// its op, its effects and what a rewrite needs; copies and fills get their
// effects from the node itself; all else stays opaque.
//
// An extent that depends on memory contents (a gathered row) is bounded by
// what the signature knows and by the allocation; a kernel whose extent cannot
// be bounded stays opaque. Never fails: what is not understood is opaque.
#ifndef REPRISE_CAPTURE_ANNOTATE_H_
#define REPRISE_CAPTURE_ANNOTATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "capture/meaning_table.h"
#include "capture/pack.h"
#include "graph/graph.h"

namespace reprise {

struct Annotation {
  std::uint32_t recognised = 0;  // kernels with complete effects
  std::uint32_t opaque = 0;      // nodes that may touch anything
};

Annotation Annotate(absl::Span<const Pack> packs, Graph& graph);

// The same for who annotates often: each symbol is matched once, and a launch
// that differs from an earlier one only in where its memory lies is not
// interpreted again (capture/meaning_table.h).
// Cost     0.2 us for such a launch, a microsecond for another.
// Threads  one caller at a time.
class Annotator {
 public:
  // REQUIRES: the packs outlive the annotator.
  explicit Annotator(absl::Span<const Pack> packs) : packs_(packs) {}

  Annotation Annotate(Graph& graph);
  // Only these nodes, whose launches have changed.
  void Annotate(Graph& graph, absl::Span<const NodeId> nodes);

 private:
  class Visitor;  // of the nodes of one graph

  // Those of all packs that match the symbol.
  std::vector<MeaningTable>& BindingsOf(absl::string_view symbol);

  absl::Span<const Pack> packs_;
  absl::flat_hash_map<std::string, std::vector<MeaningTable>> bindings_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_ANNOTATE_H_
