#include "tests/planner/symbolic_machine.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "tests/planner/reachability.h"

namespace reprise::testing {
namespace {

// A step of the SplitMix64 generator: spreads every input bit.
std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x2545f4914f6cdd1du;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// What tells the results of this node from those of others on the same bytes:
// of a pure one the kernel, of any other the node itself.
std::uint64_t Identity(const Graph& graph, NodeId node, NodeId captured) {
  if (!graph.node(node).pure) return captured.value;
  std::uint64_t identity = 0x9e3779b9;
  for (char c : ToText(graph.node(node).op)) {
    identity = Mix(identity, static_cast<unsigned char>(c));
  }
  return identity;
}

constexpr std::uint64_t kQuantized = 0x51a1;
constexpr std::uint64_t kPoison = 0xbad;

std::uint64_t Digest(const std::vector<std::uint64_t>& cells,
                     const SymbolicMemory& memory, std::uint64_t digest) {
  for (std::uint64_t cell : cells) digest = Mix(digest, memory.Load(cell));
  return digest;
}

// What a quantizer of these floats writes, whoever runs it.
std::uint64_t ImageSymbol(ImageLayout layout, const View& source,
                          const SymbolicMemory& memory) {
  return Digest(CellsOf(source), memory,
                kQuantized + static_cast<std::uint64_t>(layout));
}

class Execution {
 public:
  Execution(const Graph& graph, NodeId node, NodeId captured,
            const EmittedImages& emitted, SymbolicMemory& memory)
      : graph_(graph),
        node_(node),
        captured_(captured),
        emitted_(emitted),
        memory_(memory) {}

  void Run() {
    std::uint64_t digest = Identity(graph_, node_, captured_);
    for (const Access& access : graph_.accesses(node_)) {
      if (access.reads() && access.role != Role::kSlack) {
        digest = Digest(CellsOf(access.view), memory_, Mix(digest, 1));
      }
    }
    if (IsQuantizer(graph_.node(node_).op)) digest = QuantizedSymbol();
    std::uint64_t number = 0;
    const auto emitted = emitted_.find(captured_);
    const bool drops =
        emitted != emitted_.end() && emitted->second.drops_floats;
    // For its image; nobody else gets to see them.
    const SymbolicMemory before = drops ? memory_ : SymbolicMemory();
    if (drops) WriteAll(emitted->second.floats, Mix(digest, ++number));
    for (const Access& access : graph_.accesses(node_)) {
      if (!access.writes()) continue;
      if (access.role == Role::kImage) {
        WriteImage(access, digest);
      } else {
        WriteResult(access, Mix(digest, ++number));
      }
    }
    if (drops) TakeBack(emitted->second, before);
  }

 private:
  std::uint64_t QuantizedSymbol() const {
    std::uint64_t symbol = ImageSymbol(
        *LayoutOf(graph_.node(node_).op),
        graph_.FindAccess(node_, Role::kSource, AccessMode::kRead)->view,
        memory_);
    for (const Access& access : graph_.accesses(node_)) {
      if (access.role != Role::kIds) continue;
      symbol = Digest(CellsOf(access.view), memory_, symbol);
    }
    return symbol;
  }

  // An emitting producer quantizes what it has just stored.
  void WriteImage(const Access& access, std::uint64_t digest) {
    if (!IsQuantizer(graph_.node(node_).op)) {
      const EmittedImage emitted = Emitted();
      digest = ImageSymbol(emitted.layout, emitted.floats, memory_);
    }
    WriteAll(access.view, digest);
  }

  // One that emitted already when it was captured writes q8_1.
  EmittedImage Emitted() const {
    const auto emitted = emitted_.find(captured_);
    if (emitted != emitted_.end()) return emitted->second;
    return {ImageLayout::kQ8_1,
            graph_.FindAccess(node_, Role::kOutput, AccessMode::kWrite)->view};
  }

  void TakeBack(const EmittedImage& emitted, const SymbolicMemory& before) {
    if (emitted.poisons) return WriteAll(emitted.floats, kPoison);
    for (std::uint64_t cell : CellsOf(emitted.floats)) {
      memory_.Store(cell, before.Load(cell));
    }
  }

  void WriteResult(const Access& access, std::uint64_t digest) {
    if (access.exact) return WriteAll(access.view, digest);
    for (std::uint64_t cell : CellsOf(access.view)) {
      if (Mix(digest, cell) % 2 == 0) memory_.Store(cell, Mix(digest, cell));
    }
  }

  void WriteAll(const View& view, std::uint64_t digest) {
    std::uint64_t place = 0;
    for (std::uint64_t cell : CellsOf(view)) {
      memory_.Store(cell, Mix(digest, ++place));
    }
  }

  const Graph& graph_;
  const NodeId node_;
  const NodeId captured_;
  const EmittedImages& emitted_;
  SymbolicMemory& memory_;
};

void RunOpaque(NodeId identity, const std::vector<std::uint64_t>& everything,
               SymbolicMemory& memory) {
  const std::uint64_t digest = Digest(everything, memory, identity.value);
  for (std::uint64_t cell : everything) {
    if (Mix(digest, cell) % 8 == 0) memory.Store(cell, Mix(digest, cell + 1));
  }
}

// Picks among the nodes whose predecessors are done, and which `allowed` lets.
template <typename Allowed>
std::vector<NodeId> Schedule(const Graph& graph, std::mt19937& rng,
                             Allowed allowed) {
  std::vector<NodeId> done;
  std::set<NodeId> open;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) open.insert(NodeId{n});
  while (!open.empty()) {
    std::vector<NodeId> ready;
    for (NodeId node : open) {
      const bool waiting = std::any_of(
          graph.edges().begin(), graph.edges().end(), [&](const Edge& e) {
            return e.to == node && open.contains(e.from) &&
                   OrdersMemory(graph, e);
          });
      if (!waiting && allowed(node)) ready.push_back(node);
    }
    if (ready.empty()) return {};
    const NodeId next = ready[rng() % ready.size()];
    open.erase(next);
    done.push_back(next);
    allowed(next, /*ran=*/true);
  }
  return done;
}

struct AllAllowed {
  bool operator()(NodeId) const { return true; }
  void operator()(NodeId, bool) const {}
};

// Lets a node run when it is the next of a given order, or in no order.
class InOrder {
 public:
  InOrder(std::vector<NodeId> order) : order_(std::move(order)) {}

  bool operator()(NodeId node) const {
    return std::find(order_.begin(), order_.end(), node) == order_.end() ||
           order_[next_] == node;
  }
  void operator()(NodeId node, bool) {
    if (next_ < order_.size() && order_[next_] == node) ++next_;
  }

 private:
  std::vector<NodeId> order_;
  std::size_t next_ = 0;
};

}  // namespace

std::uint64_t SymbolicMemory::Load(std::uint64_t cell) const {
  const auto found = stored_.find(cell);
  return found == stored_.end() ? Mix(cell, 0) : found->second;
}

void SymbolicMemory::Store(std::uint64_t cell, std::uint64_t symbol) {
  stored_[cell] = symbol;
}

std::vector<std::uint64_t> CellsOf(const View& view) {
  std::vector<std::uint64_t> cells;
  if (view.empty()) return cells;
  const auto& n = view.extents;
  const auto& s = view.strides;
  const std::int64_t element_cells =
      ElementBytes(view.type) /
      static_cast<std::int64_t>(SymbolicMemory::kCellBytes);
  for (std::int64_t d = 0; d < n[3]; ++d) {
    for (std::int64_t c = 0; c < n[2]; ++c) {
      for (std::int64_t b = 0; b < n[1]; ++b) {
        for (std::int64_t a = 0; a < n[0]; ++a) {
          const std::uint64_t address =
              view.address + static_cast<std::uint64_t>(a * s[0] + b * s[1] +
                                                        c * s[2] + d * s[3]);
          for (std::int64_t i = 0; i < element_cells; ++i) {
            cells.push_back(address / SymbolicMemory::kCellBytes +
                            static_cast<std::uint64_t>(i));
          }
        }
      }
    }
  }
  return cells;
}

std::vector<NodeId> RandomSchedule(const Graph& graph, std::mt19937& rng) {
  return Schedule(graph, rng, AllAllowed());
}

std::vector<NodeId> MatchingSchedule(const Graph& graph, const Plan& plan,
                                     const Rewritten& rewritten,
                                     const std::vector<NodeId>& after,
                                     std::mt19937& rng) {
  // Quantizers that the plan moved to the arena are free to run whenever
  // their edges let them; everything else races as it raced before.
  std::set<NodeId> free;
  for (const PlannedImage& image : plan.images) {
    if (image.in_arena && !image.emitted) free.insert(image.writer);
  }
  std::vector<NodeId> fixed;
  for (NodeId node : after) {
    const NodeId captured = rewritten.origin[node.value];
    if (!free.contains(captured)) fixed.push_back(captured);
  }
  return Schedule(graph, rng, InOrder(std::move(fixed)));
}

std::vector<NodeId> EquivalentSchedule(const Graph& graph,
                                       const std::vector<NodeId>& after,
                                       std::mt19937& rng) {
  Graph ordered = graph;
  for (std::size_t a = 0; a < after.size(); ++a) {
    for (std::size_t b = a + 1; b < after.size(); ++b) {
      if (!Conflict(graph, after[a], after[b])) continue;
      Edge edge;
      edge.from = after[a];
      edge.to = after[b];
      ordered.AddEdge(edge);
    }
  }
  return RandomSchedule(ordered, rng);
}

EmittedImages EmittedImagesOf(const Graph& captured, const Plan& plan) {
  EmittedImages emitted;
  for (const PlannedImage& image : plan.images) {
    if (!image.emitted) continue;
    emitted[image.writer] = {
        *LayoutOf(captured.node(image.removed.front()).op),
        captured.FindAccess(image.writer, Role::kOutput, AccessMode::kWrite)
            ->view,
        image.drops_floats, image.drops_floats && !plan.relaxed};
  }
  return emitted;
}

void RunReplay(const Graph& graph, const std::vector<NodeId>& schedule,
               const std::vector<NodeId>& origin,
               const std::vector<std::uint64_t>& everything,
               const EmittedImages& emitted, SymbolicMemory& memory) {
  for (NodeId node : schedule) {
    if (graph.node(node).effects_complete) {
      Execution(graph, node, origin[node.value], emitted, memory).Run();
    } else {
      RunOpaque(origin[node.value], everything, memory);
    }
  }
}

}  // namespace reprise::testing
