#include "planner/ledger.h"

#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"

namespace reprise {
namespace {

std::uint64_t Bytes(const View& view) {
  return static_cast<std::uint64_t>(view.bytes());
}

// All values of the image, padding included, as floats.
std::uint64_t FloatsOf(ImageLayout layout, const View& image) {
  const ImageLayoutInfo& info = InfoOf(layout);
  return Bytes(image) / static_cast<std::uint64_t>(info.block_bytes) *
         static_cast<std::uint64_t>(info.block_values) * sizeof(float);
}

const Access* SourceOf(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kSource, AccessMode::kRead);
}
const Access* ImageOf(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite);
}
bool Quantizes(const Graph& graph, NodeId id) {
  return IsQuantizer(graph.node(id).op) && SourceOf(graph, id) != nullptr &&
         ImageOf(graph, id) != nullptr;
}

// What a line is of.
using Key = std::pair<ImageLayout, std::int64_t>;

Key KeyOf(const Graph& graph, NodeId quantizer) {
  const Access& source = *SourceOf(graph, quantizer);
  return {*LayoutOf(graph.node(quantizer).op),
          source.exact ? source.view.extents[0] : 0};
}

class Ledger {
 public:
  Ledger(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {
    for (const RemovedNode& removed : RemovedNodes(plan)) {
      gone_.insert(removed.node);
    }
  }

  std::vector<LedgerLine> Run() {
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      if (Quantizes(graph_, NodeId{n})) AddQuantizer(NodeId{n});
    }
    for (const PlannedImage& image : plan_.images) {
      if (image.emitted) AddEmission(image);
    }
    std::vector<LedgerLine> lines;
    for (const auto& [key, line] : lines_) lines.push_back(line);
    return lines;
  }

 private:
  LedgerLine& LineOf(NodeId quantizer) {
    const Key key = KeyOf(graph_, quantizer);
    LedgerLine& line = lines_[key];
    line.layout = key.first;
    line.columns = key.second;
    return line;
  }

  void AddQuantizer(NodeId id) {
    LedgerLine& line = LineOf(id);
    ImageCosts costs{.launches = 1};
    for (const Access& access : graph_.accesses(id)) {
      const bool picked = access.role == Role::kSource && !access.exact;
      costs.bytes += picked ? FloatsOf(line.layout, ImageOf(graph_, id)->view)
                            : Bytes(access.view);
    }
    Add(costs, line.before);
    if (!gone_.contains(id)) Add(costs, line.after);
  }

  void AddEmission(const PlannedImage& image) {
    LedgerLine& line = LineOf(image.removed.front());
    const std::uint64_t floats = Bytes(
        graph_.FindAccess(image.writer, Role::kOutput, AccessMode::kWrite)
            ->view);
    line.before.bytes += floats;
    line.after.bytes += Bytes(ImageOf(graph_, image.removed.front())->view);
    if (!image.drops_floats) line.after.bytes += floats;
  }

  static void Add(const ImageCosts& costs, ImageCosts& sum) {
    sum.launches += costs.launches;
    sum.bytes += costs.bytes;
  }

  const Graph& graph_;
  const Plan& plan_;
  absl::flat_hash_set<NodeId> gone_;
  std::map<Key, LedgerLine> lines_;
};

}  // namespace

std::vector<LedgerLine> MakeLedger(const Graph& graph, const Plan& plan) {
  return Ledger(graph, plan).Run();
}

std::vector<std::vector<NodeId>> QuantizersOf(
    const Graph& graph, absl::Span<const LedgerLine> ledger) {
  std::vector<std::vector<NodeId>> quantizers(ledger.size());
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    if (!Quantizes(graph, id)) continue;
    const Key key = KeyOf(graph, id);
    const auto line = absl::c_find_if(ledger, [&](const LedgerLine& l) {
      return Key(l.layout, l.columns) == key;
    });
    quantizers[static_cast<std::size_t>(line - ledger.begin())].push_back(id);
  }
  return quantizers;
}

}  // namespace reprise
