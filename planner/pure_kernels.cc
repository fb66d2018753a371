#include "planner/pure_kernels.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"

namespace reprise {
namespace {

constexpr std::int64_t kBlockValues = 32;

const Access* Source(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kSource, AccessMode::kRead);
}

const Access* Image(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite);
}

bool WholeBlocks(const View& rows) {
  return !rows.empty() && rows.type == ElementType::kF32 &&
         rows.strides[0] == ElementBytes(rows.type) &&
         rows.extents[0] % kBlockValues == 0;
}

// From rows of whole blocks of contiguous floats to an image without holes; it
// touches nothing else but the numbers that pick the rows. Which bytes of the
// source these pick need not be known.
bool Quantizes(const Graph& graph, NodeId node) {
  const Access* source = Source(graph, node);
  const Access* image = Image(graph, node);
  if (source == nullptr || image == nullptr) return false;
  if (!image->exact || !image->view.dense()) return false;
  const bool others_pick =
      absl::c_all_of(graph.accesses(node), [&](const Access& access) {
        return &access == source || &access == image ||
               (access.reads() && access.role == Role::kIds);
      });
  if (!others_pick) return false;
  return IsRouted(graph, node) || (source->exact && WholeBlocks(source->view));
}

bool Repeatable(const Graph& graph, NodeId id) {
  return graph.node(id).pure && graph.node(id).kind == NodeKind::kKernel &&
         absl::c_any_of(graph.accesses(id),
                        [](const Access& access) { return access.writes(); });
}

// Equal but for where it writes.
bool SameButPlace(const Access& a, const Access& b) {
  Access moved = b;
  if (b.writes()) moved.view.address = a.view.address;
  return a == moved;
}

std::vector<std::uint8_t> BytesButPlaces(const Graph& graph, NodeId id) {
  std::vector<std::uint8_t> bytes = graph.launch(id).bytes;
  for (const Access& access : graph.accesses(id)) {
    if (!access.writes() || access.parameter == Access::kNoParameter) continue;
    const std::size_t first =
        std::min<std::size_t>(access.parameter, bytes.size());
    const std::size_t last =
        std::min(first + sizeof(std::uint64_t), bytes.size());
    std::fill(bytes.begin() + first, bytes.begin() + last, 0);
  }
  return bytes;
}

bool SameLaunch(const Graph& graph, NodeId a, NodeId b) {
  const bool launched = graph.node(a).launch != Node::kNoIndex;
  if (launched != (graph.node(b).launch != Node::kNoIndex)) return false;
  if (!launched) return true;
  const auto shape = [&](NodeId id) {
    const KernelLaunch& l = graph.launch(id);
    return std::tie(l.symbol, l.grid, l.block, l.shared_bytes, l.parameters,
                    l.cooperative, l.cluster);
  };
  return shape(a) == shape(b) &&
         BytesButPlaces(graph, a) == BytesButPlaces(graph, b);
}

bool SameKernel(const Graph& graph, NodeId a, NodeId b) {
  return graph.node(a).op == graph.node(b).op &&
         absl::c_equal(graph.accesses(a), graph.accesses(b), SameButPlace) &&
         SameLaunch(graph, a, b);
}

bool SameImage(const Graph& graph, NodeId a, NodeId b) {
  const bool routed = IsRouted(graph, a);
  if (routed != IsRouted(graph, b)) return false;
  if (routed) return SameKernel(graph, a, b);
  return std::get<Quantize>(graph.node(a).op).layout ==
             std::get<Quantize>(graph.node(b).op).layout &&
         Source(graph, a)->view == Source(graph, b)->view &&
         Image(graph, a)->view.extents == Image(graph, b)->view.extents;
}

struct SameKind {
  const Graph* graph;

  bool operator()(NodeId a, NodeId b) const {
    const bool quantizes = IsQuantizer(graph->node(a).op);
    if (quantizes != IsQuantizer(graph->node(b).op)) return false;
    return quantizes ? SameImage(*graph, a, b) : SameKernel(*graph, a, b);
  }
};

// Of what all nodes of a kind share, as much as tells most kinds apart.
struct HashKind {
  const Graph* graph;

  std::size_t operator()(NodeId id) const {
    const Op& op = graph->node(id).op;
    if (IsQuantizer(op)) return absl::HashOf(Source(*graph, id)->view);
    std::size_t hash = op.index();
    for (const Access& access : graph->accesses(id)) {
      if (access.reads()) hash = absl::HashOf(hash, access.view);
    }
    if (graph->node(id).launch == Node::kNoIndex) return hash;
    const KernelLaunch& launch = graph->launch(id);
    return absl::HashOf(hash, launch.symbol, launch.bytes.size());
  }
};

}  // namespace

bool IsRouted(const Graph& graph, NodeId quantizer) {
  return absl::c_any_of(graph.accesses(quantizer), [](const Access& access) {
    return access.role == Role::kIds;
  });
}

PureKernels::PureKernels(const Graph& graph, bool others)
    : kinds_(graph.num_nodes(), kNone) {
  // The first node of each kind, which gives the kind its number.
  absl::flat_hash_map<NodeId, std::uint32_t, HashKind, SameKind> kinds(
      0, HashKind{&graph}, SameKind{&graph});
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    if (!graph.node(id).effects_complete) continue;
    const bool quantizer = IsQuantizer(graph.node(id).op);
    if (quantizer ? !Quantizes(graph, id) : !others || !Repeatable(graph, id)) {
      continue;
    }
    const auto [first, alone] = kinds.try_emplace(id, n);
    if (!alone) kinds_[first->second] = first->second;
    if (!alone || quantizer) kinds_[n] = first->second;
  }
}

ViewIndex IndexViews(const Graph& graph, const PureKernels& kernels) {
  ViewIndex views;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const bool some_kind = kernels.kind(NodeId{n}) != PureKernels::kNone;
    const bool reader = IsReader(graph.node(NodeId{n}).op);
    if (!some_kind && !reader) continue;
    for (const Access& access : graph.accesses(NodeId{n})) {
      if (some_kind || access.role == Role::kImage) views.Add(access.view);
    }
  }
  views.Seal();
  return views;
}

}  // namespace reprise
