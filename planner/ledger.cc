#include "planner/ledger.h"

#include <map>
#include <utility>

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

class Ledger {
 public:
  Ledger(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {
    for (const RemovedNode& removed : RemovedNodes(plan)) {
      gone_.insert(removed.node);
    }
  }

  std::vector<LedgerLine> Run() {
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      if (Quantizes(NodeId{n})) AddQuantizer(NodeId{n});
    }
    for (const PlannedImage& image : plan_.images) {
      if (image.emitted) AddEmission(image);
    }
    std::vector<LedgerLine> lines;
    for (const auto& [key, line] : lines_) lines.push_back(line);
    return lines;
  }

 private:
  const Access* Source(NodeId quantizer) const {
    return graph_.FindAccess(quantizer, Role::kSource, AccessMode::kRead);
  }
  const Access* Image(NodeId quantizer) const {
    return graph_.FindAccess(quantizer, Role::kImage, AccessMode::kWrite);
  }
  bool Quantizes(NodeId id) const {
    return IsQuantizer(graph_.node(id).op) && Source(id) != nullptr &&
           Image(id) != nullptr;
  }

  LedgerLine& LineOf(NodeId quantizer) {
    const ImageLayout layout = *LayoutOf(graph_.node(quantizer).op);
    const Access& source = *Source(quantizer);
    const std::int64_t columns = source.exact ? source.view.extents[0] : 0;
    LedgerLine& line = lines_[{layout, columns}];
    line.layout = layout;
    line.columns = columns;
    return line;
  }

  void AddQuantizer(NodeId id) {
    LedgerLine& line = LineOf(id);
    ImageCosts costs{.launches = 1};
    for (const Access& access : graph_.accesses(id)) {
      const bool picked = access.role == Role::kSource && !access.exact;
      costs.bytes +=
          picked ? FloatsOf(line.layout, Image(id)->view) : Bytes(access.view);
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
    line.after.bytes += Bytes(Image(image.removed.front())->view);
    if (!image.drops_floats) line.after.bytes += floats;
  }

  static void Add(const ImageCosts& costs, ImageCosts& sum) {
    sum.launches += costs.launches;
    sum.bytes += costs.bytes;
  }

  const Graph& graph_;
  const Plan& plan_;
  absl::flat_hash_set<NodeId> gone_;
  std::map<std::pair<ImageLayout, std::int64_t>, LedgerLine> lines_;
};

}  // namespace

std::vector<LedgerLine> MakeLedger(const Graph& graph, const Plan& plan) {
  return Ledger(graph, plan).Run();
}

}  // namespace reprise
