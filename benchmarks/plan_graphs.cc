#include "benchmarks/plan_graphs.h"

#include <initializer_list>
#include <random>
#include <vector>

namespace reprise {
namespace {

constexpr std::int64_t kColumns = 4096;
constexpr std::int64_t kRowBlocks = kColumns / 32;

Access Touch(const View& view, AccessMode mode, Role role = Role::kNone) {
  Access access;
  access.view = view;
  access.mode = mode;
  access.role = role;
  return access;
}

class Builder {
 public:
  NodeId Add(Op op, std::initializer_list<Access> accesses,
             StreamId stream = StreamId{0}) {
    Node node;
    node.kind = NodeKind::kKernel;
    node.op = op;
    node.effects_complete = true;
    node.waits = true;
    node.stream = stream;
    if (IsProducer(op)) {
      node.emitting = graph_.AddEmittingKernel({"emit", 0, /*waits=*/true});
    }
    const NodeId id = graph_.AddNode(node);
    graph_.SetAccesses(id, accesses);
    return id;
  }

  void Connect(NodeId from, NodeId to) {
    if (!from.valid()) return;
    Edge edge;
    edge.from = from;
    edge.to = to;
    graph_.AddEdge(edge);
  }

  NodeId Norm(const View& input, const View& output, StreamId stream = {0}) {
    return Add(RmsNorm{RmsForm::kMul},
               {Touch(input, AccessMode::kRead, Role::kSource),
                Touch(output, AccessMode::kWrite, Role::kOutput)},
               stream);
  }

  NodeId Quantizer(const View& source, std::uint64_t image,
                   StreamId stream = {0}) {
    return Add(Quantize{.scratch = true},
               {Touch(source, AccessMode::kRead, Role::kSource),
                Touch(Packed(image, ElementType::kQ8_1, kRowBlocks),
                      AccessMode::kWrite, Role::kImage)},
               stream);
  }

  NodeId Product(std::uint64_t image, const View& output,
                 StreamId stream = {0}) {
    return Add(MatVec{},
               {Touch(Packed(image, ElementType::kQ8_1, kRowBlocks),
                      AccessMode::kRead, Role::kImage),
                Touch(output, AccessMode::kWrite, Role::kOutput)},
               stream);
  }

  NodeId Other(const View& input, const View& output, StreamId stream = {0}) {
    return Add(
        OtherOp{},
        {Touch(input, AccessMode::kRead), Touch(output, AccessMode::kWrite)},
        stream);
  }

  Graph& graph() { return graph_; }

 private:
  Graph graph_;
};

View Floats(std::uint64_t buffer) {
  return Packed(0x100000000 + buffer * kColumns * 4, ElementType::kF32,
                kColumns);
}

}  // namespace

Graph LayeredDecode(std::uint32_t nodes) {
  constexpr std::uint64_t kImage = 0x10000;
  const View x = Floats(0);
  const View norm = Floats(1);
  const View q = Floats(2);
  const View k = Floats(3);
  const View v = Floats(4);
  Builder builder;
  while (builder.graph().num_nodes() < nodes) {
    builder.Norm(x, norm);
    for (const View& output : {q, k, v}) {
      builder.Quantizer(norm, kImage);
      builder.Product(kImage, output);
    }
    builder.Other(q, q);
    builder.Other(k, v);
    builder.Quantizer(q, kImage);
    builder.Product(kImage, x);
    builder.Norm(x, norm);
    builder.Quantizer(norm, kImage);
    builder.Product(kImage, k);
    builder.Quantizer(k, kImage);
    builder.Product(kImage, x);
  }
  for (std::uint32_t n = 1; n < builder.graph().num_nodes(); ++n) {
    builder.Connect(NodeId{n - 1}, NodeId{n});
  }
  return std::move(builder.graph());
}

Graph RandomStreams(std::uint32_t nodes, std::uint32_t streams,
                    std::uint32_t seed) {
  std::mt19937 rng(seed);
  const std::uint32_t buffers = 16 + nodes / 32;
  Builder builder;
  std::vector<NodeId> last(streams);
  while (builder.graph().num_nodes() < nodes) {
    const StreamId stream{static_cast<std::uint32_t>(rng() % streams)};
    const View a = Floats(rng() % buffers);
    const View b = Floats(rng() % buffers);
    const std::uint64_t image = 0x10000 + stream.value * 0x10000;
    std::vector<NodeId> added;
    switch (rng() % 8) {
      case 0:
        added = {builder.Norm(a, b, stream),
                 builder.Quantizer(b, image, stream),
                 builder.Product(image, a, stream)};
        break;
      case 1:
        added = {builder.Quantizer(a, image, stream),
                 builder.Product(image, b, stream),
                 builder.Quantizer(a, image, stream),
                 builder.Product(image, b, stream)};
        break;
      default:
        added = {builder.Other(a, b, stream)};
        break;
    }
    if (rng() % 1000 == 0) {
      builder.graph().mutable_node(added.back()).effects_complete = false;
    }
    if (rng() % 4 == 0) builder.Connect(last[rng() % streams], added.front());
    for (NodeId node : added) {
      builder.Connect(last[stream.value], node);
      last[stream.value] = node;
    }
  }
  return std::move(builder.graph());
}

}  // namespace reprise
