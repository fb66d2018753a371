#include "tests/planner/random_graph.h"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/planner/reachability.h"

namespace reprise::testing {
namespace {

constexpr std::uint64_t kFloats = 0x10000;
constexpr std::uint64_t kImages = 0x20000;
constexpr std::uint64_t kRest = 0x30000;
constexpr std::int64_t kImageBlocks = 16;

class Generator {
 public:
  Generator(std::uint32_t seed, const RandomGraphOptions& options)
      : rng_(seed), options_(options), last_(options.streams) {}

  Graph Run() {
    while (graph_.num_nodes() < options_.nodes) AddNode();
    OrderConflicts();
    return std::move(graph_);
  }

 private:
  std::uint32_t Pick(std::uint32_t count) { return rng_() % count; }
  bool Chance(std::uint32_t percent) { return Pick(100) < percent; }

  // Buffers of one or two rows; every other one starts in its neighbour.
  View Floats() {
    const std::uint32_t slot = Pick(options_.buffers);
    const std::int64_t columns = slot % 3 == 0 ? 32 : 64;
    const std::uint64_t offset =
        options_.overlapping ? slot / 2 * 256 + slot % 2 * 64 : slot * 256;
    return Packed(kFloats + offset, ElementType::kF32, columns);
  }

  View Image() {
    const std::uint32_t slot = Pick(options_.images);
    return Packed(kImages + slot / 2 * 600 + slot % 2 * 288, ElementType::kQ8_1,
                  kImageBlocks);
  }

  View Rest() { return Packed(kRest + Pick(4) * 32, ElementType::kF32, 8); }

  static Access Read(const View& view, Role role = Role::kNone) {
    Access access;
    access.view = view;
    access.role = role;
    return access;
  }

  static Access Write(const View& view, Role role = Role::kNone) {
    Access access = Read(view, role);
    access.mode = AccessMode::kWrite;
    return access;
  }

  void AddNode() {
    const StreamId stream{Pick(options_.streams)};
    if (options_.again_percent > 0 && Chance(options_.again_percent)) {
      return AddAgain(stream);
    }
    const std::uint32_t kind = Pick(100);
    if (kind < options_.opaque_percent) {
      Add(stream, OtherOp{}, {}, /*complete=*/false);
    } else if (kind < options_.opaque_percent + options_.foreign_percent) {
      Add(stream, OtherOp{}, {Read(Image()), Write(Rest())});
    } else if (kind < 25) {
      AddProducer(stream);
    } else if (kind < 40) {
      AddOther(stream);
    } else {
      AddQuantizedProduct(stream);
    }
  }

  // What one of the latest pure nodes did, now and then to another place.
  void AddAgain(StreamId stream) {
    const auto count = static_cast<std::uint32_t>(graph_.num_nodes());
    if (count == 0) return;
    const NodeId id{count - 1 - Pick(std::min(count, 8u))};
    if (!graph_.node(id).pure || !graph_.node(id).effects_complete) return;
    const absl::Span<const Access> known = graph_.accesses(id);
    std::vector<Access> accesses(known.begin(), known.end());
    if (Chance(10)) accesses.back().view.address += 32;
    const NodeId again = Add(stream, graph_.node(id).op, accesses);
    graph_.mutable_node(again).pure = true;
    graph_.mutable_node(again).emitting = graph_.node(id).emitting;
  }

  void AddProducer(StreamId stream) {
    const View output = Floats();
    const View input = Chance(30) ? output : Chance(20) ? Floats() : Rest();
    const NodeId node =
        Add(stream, RmsNorm{RmsForm::kMul},
            {Read(input, Role::kSource), Write(output, Role::kOutput)});
    if (Chance(80)) {
      std::vector<EmittingKernel> kernels = {{"emit", 0, /*waits=*/true}};
      kernels.front().takes_no_floats = node.value % 8 != 0;
      if (options_.other_layouts_percent > 0) {
        kernels.push_back({"emit_d4", 0, true, ImageLayout::kD4});
      }
      graph_.mutable_node(node).emitting = graph_.AddEmittingKernels(kernels);
    }
    recent_ = output;
  }

  void AddOther(StreamId stream) {
    Access write = Write(Chance(50) ? Floats() : Rest());
    write.exact = Chance(80);
    Add(stream, OtherOp{}, {Read(Rest()), write});
  }

  // A quantizer, and most times its reader right after it.
  void AddQuantizedProduct(StreamId stream) {
    const View source = Chance(75) && !recent_.empty() ? recent_ : Floats();
    recent_ = source;
    const View image = Image();
    Quantize quantize;
    quantize.scratch = !options_.overlapping || Chance(90);
    std::vector<Access> accesses = {Read(source, Role::kSource),
                                    Write(image, Role::kImage)};
    if (OtherLayouts()) {
      quantize.layout = Chance(60) ? ImageLayout::kD4 : ImageLayout::kDs4;
      if (Chance(30)) accesses.push_back(Read(Rest(), Role::kIds));
    }
    Add(stream, quantize, accesses);
    if (!Chance(90)) return;
    View read = image;
    read.extents[0] = source.extents[0] / 32;
    if (options_.overlapping && Chance(10)) read.address += 36;
    accesses = {Read(Normalized(read), Role::kImage),
                Read(Rest(), Role::kWeights),
                Write(Chance(20) ? Floats() : Rest(), Role::kOutput)};
    if (OtherLayouts()) accesses.push_back(SlackOf(read));
    const bool same = options_.other_layouts_percent == 0 || Chance(95);
    Add(stream, MatVec{.layout = same ? quantize.layout : ImageLayout::kD2s6},
        accesses);
  }

  // Draws no number where it is off: the graphs of a seed stay what they are.
  bool OtherLayouts() {
    return options_.other_layouts_percent > 0 &&
           Chance(options_.other_layouts_percent);
  }

  // The image and some more, as a matrix kernel loads whole tiles.
  Access SlackOf(const View& image) {
    Access slack = Read(
        Packed(image.address, ElementType::kF32, kImageBlocks * 9 + Pick(40)),
        Role::kSlack);
    slack.exact = false;
    return slack;
  }

  NodeId Add(StreamId stream, Op op, const std::vector<Access>& accesses,
             bool complete = true) {
    Node node;
    node.kind = NodeKind::kKernel;
    node.op = op;
    node.effects_complete = complete;
    node.stream = stream;
    node.waits = !options_.programmatic || Chance(80);
    node.pure = options_.pure_percent > 0 && Chance(options_.pure_percent);
    const NodeId id = graph_.AddNode(node);
    graph_.SetAccesses(id, accesses);
    NodeId& last = last_[stream.value];
    if (last.valid()) AddEdge(last, id);
    last = id;
    if (id.value > 0 && Chance(25)) AddEdge(NodeId{Pick(id.value)}, id);
    return id;
  }

  void AddEdge(NodeId from, NodeId to) {
    for (const Edge& known : graph_.edges()) {
      if (known.from == from && known.to == to) return;
    }
    Edge edge;
    edge.from = from;
    edge.to = to;
    if (options_.programmatic && Chance(30)) {
      edge.type = EdgeType::kProgrammatic;
      edge.from_port = 1;
    }
    graph_.AddEdge(edge);
  }

  void OrderConflicts() {
    Reachability reached(graph_);
    for (std::uint32_t b = 1; b < graph_.num_nodes(); ++b) {
      for (std::uint32_t a = b; a-- > 0;) {
        if (!Conflict(graph_, NodeId{a}, NodeId{b})) continue;
        if (reached.Before(NodeId{a}, NodeId{b})) continue;
        if (Chance(options_.race_percent)) continue;
        AddEdge(NodeId{a}, NodeId{b});
        reached = Reachability(graph_);
      }
    }
  }

  std::mt19937 rng_;  // its output is fixed by the standard
  const RandomGraphOptions options_;
  Graph graph_;
  std::vector<NodeId> last_;  // by stream
  View recent_;
};

}  // namespace

RandomGraphOptions Tame() {
  RandomGraphOptions options;
  options.opaque_percent = 0;
  options.foreign_percent = 0;
  options.race_percent = 0;
  options.programmatic = false;
  options.overlapping = false;
  return options;
}

RandomGraphOptions Repetitive() {
  RandomGraphOptions options;
  options.nodes = 30;
  options.buffers = 8;
  options.pure_percent = 90;
  options.again_percent = 40;
  return options;
}

Graph RandomGraph(std::uint32_t seed, const RandomGraphOptions& options) {
  return Generator(seed, options).Run();
}

}  // namespace reprise::testing
