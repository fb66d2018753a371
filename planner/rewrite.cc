#include "planner/rewrite.h"

#include <algorithm>
#include <cstring>

namespace reprise {
namespace {

void PatchPointer(KernelLaunch& launch, std::uint32_t offset,
                  std::uint64_t address) {
  std::memcpy(launch.bytes.data() + offset, &address, sizeof(address));
}

class Rewriter {
 public:
  Rewriter(const Graph& graph, const Plan& plan, std::uint64_t arena_address)
      : before_(graph), plan_(plan), arena_(arena_address) {}

  Rewritten Run() {
    result_.relaxed = plan_.relaxed;
    CopyNodes();
    CopyEdges();
    for (const Allocation& a : before_.allocations()) after().AddAllocation(a);
    after().set_source(before_.source());
    if (plan_.arena.bytes > 0) {
      after().AddAllocation({arena_, plan_.arena.bytes});
    }
    for (const PlannedImage& image : plan_.images) {
      Settle(image);
      if (image.in_arena) Apply(image);
    }
    return std::move(result_);
  }

 private:
  Graph& after() { return result_.graph; }
  NodeId Now(NodeId captured) const { return result_.now[captured.value]; }

  void CopyNodes() {
    std::vector<bool> removed(before_.num_nodes(), false);
    for (const RemovedNode& gone : RemovedNodes(plan_)) {
      removed[gone.node.value] = true;
    }
    result_.now.resize(before_.num_nodes());
    for (std::uint32_t n = 0; n < before_.num_nodes(); ++n) {
      if (removed[n]) continue;
      result_.now[n] = after().CopyNode(before_, NodeId{n});
      result_.origin.push_back(NodeId{n});
    }
  }

  void CopyEdges() {
    const auto add = [&](Edge edge) {
      edge.from = Now(edge.from);
      edge.to = Now(edge.to);
      after().AddEdge(edge);
    };
    const auto& dropped = plan_.dropped_edges;
    for (std::uint32_t e = 0; e < before_.edges().size(); ++e) {
      if (!std::binary_search(dropped.begin(), dropped.end(), e)) {
        add(before_.edges()[e]);
      }
    }
    for (const Edge& edge : plan_.added_edges) add(edge);
  }

  // The image serves others now, perhaps the outside: it is nobody's scratch
  // any more, and a second plan must not move it.
  void Settle(const PlannedImage& image) {
    if (image.emitted) return;
    std::get<Quantize>(after().mutable_node(Now(image.writer)).op).scratch =
        false;
  }

  void Apply(const PlannedImage& image) {
    const NodeId quantizer =
        image.emitted ? image.removed.front() : image.writer;
    View view =
        before_.FindAccess(quantizer, Role::kImage, AccessMode::kWrite)->view;
    view.address = arena_ + image.offset;
    if (image.emitted) {
      const ImageLayout layout = *LayoutOf(before_.node(quantizer).op);
      const EmittingKernel kernel =
          *after().FindEmittingKernel(Now(image.writer), layout);
      Emit(Now(image.writer), kernel, view);
      if (image.drops_floats) DropFloats(Now(image.writer), kernel);
    } else {
      MoveImage(Now(image.writer), AccessMode::kWrite, view.address);
    }
    for (const ImageReader& reader : image.readers) {
      MoveImage(Now(reader.node), AccessMode::kRead,
                view.address + reader.offset);
    }
    if (image.moved && !image.ready.empty()) {
      after().mutable_node(Now(image.writer)).stream =
          before_.node(image.ready.front()).stream;
    }
  }

  void Emit(NodeId producer, const EmittingKernel& emitting,
            const View& image) {
    Node& node = after().mutable_node(producer);
    Access access;
    access.view = image;
    access.mode = AccessMode::kWrite;
    access.role = Role::kImage;
    access.parameter = emitting.image_parameter;
    const absl::Span<const Access> known = after().accesses(producer);
    std::vector<Access> accesses(known.begin(), known.end());
    accesses.push_back(access);
    after().SetAccesses(producer, accesses);
    if (node.launch != Node::kNoIndex) {
      UseEmittingKernel(emitting, image.address,
                        after().mutable_launch(producer));
    }
    node.waits = emitting.waits;
    node.emitting = Node::kNoIndex;
  }

  void DropFloats(NodeId producer, const EmittingKernel& emitting) {
    const Access output =
        *after().FindAccess(producer, Role::kOutput, AccessMode::kWrite);
    result_.dropped.push_back({producer, output.view});
    const absl::Span<const Access> known = after().accesses(producer);
    std::vector<Access> accesses(known.begin(), known.end());
    std::erase(accesses, output);
    after().SetAccesses(producer, accesses);
    if (after().node(producer).launch == Node::kNoIndex) return;
    LeaveFloatsOut(emitting, output.parameter,
                   after().mutable_launch(producer));
  }

  // A reader's slack keeps its distance from the image: both hang on one
  // pointer.
  void MoveImage(NodeId id, AccessMode mode, std::uint64_t address) {
    const std::uint64_t was =
        after().FindAccess(id, Role::kImage, mode)->view.address;
    for (Access& access : after().mutable_accesses(id)) {
      if (access.role == Role::kSlack && access.mode == mode) {
        access.view.address += address - was;
      }
      if (access.role != Role::kImage || access.mode != mode) continue;
      access.view.address = address;
      if (after().node(id).launch == Node::kNoIndex) continue;
      PatchPointer(after().mutable_launch(id), access.parameter, address);
    }
  }

  const Graph& before_;
  const Plan& plan_;
  const std::uint64_t arena_;
  Rewritten result_;
};

}  // namespace

Rewritten Rewrite(const Graph& graph, const Plan& plan,
                  std::uint64_t arena_address) {
  return Rewriter(graph, plan, arena_address).Run();
}

void UseEmittingKernel(const EmittingKernel& emitting, std::uint64_t image,
                       KernelLaunch& launch) {
  launch.symbol = emitting.symbol;
  if (emitting.appends_image) {
    const std::uint32_t end = emitting.image_parameter + sizeof(image);
    launch.parameters = {{0, end}};
    launch.bytes.resize(end);
  }
  PatchPointer(launch, emitting.image_parameter, image);
}

void LeaveFloatsOut(const EmittingKernel& emitting, std::uint32_t floats,
                    KernelLaunch& launch) {
  if (emitting.takes_no_floats) {
    PatchPointer(launch, floats, 0);
  } else {
    launch.symbol = emitting.dropping_symbol;
  }
}

std::uint64_t FreeAddress(const Graph& graph) {
  constexpr std::uint64_t kBoundary = std::uint64_t{2} << 20;
  std::uint64_t end = 0;
  for (const Allocation& a : graph.allocations()) end = std::max(end, a.end());
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    for (const Access& access : graph.accesses(NodeId{n})) {
      end = std::max(end, access.view.end());
    }
  }
  return (end + kBoundary - 1) / kBoundary * kBoundary;
}

}  // namespace reprise
