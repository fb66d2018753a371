#include "planner/planner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "planner/activations.h"
#include "planner/computations.h"
#include "planner/dead_stores.h"
#include "planner/edges.h"
#include "planner/emission.h"
#include "planner/epochs.h"
#include "planner/image_uses.h"
#include "planner/order.h"
#include "planner/placement.h"
#include "planner/pure_kernels.h"
#include "planner/relax.h"
#include "planner/storage.h"
#include "planner/view_index.h"

namespace reprise {
namespace {

// Decides computation by computation which nodes go, and of quantizers where
// the image lives then.
class Decider {
 public:
  Decider(const Graph& graph, const PlanOptions& options, const Order& order)
      : graph_(graph),
        options_(options),
        order_(order),
        kernels_(graph, options.pure),
        views_(IndexViews(graph, kernels_)),
        epochs_(graph, order, views_),
        computations_(FindComputations(graph, kernels_, views_, options.sharing,
                                       epochs_, plan_.declines)),
        uses_(graph, views_, epochs_),
        claimed_(options.claimed_producers.begin(),
                 options.claimed_producers.end()) {}

  Plan Run() {
    for (Computation& computation : computations_) {
      const NodeId first = computation.places.front().nodes.front();
      if (IsQuantizer(graph_.node(first).op)) {
        DecideImage(std::move(computation));
      } else {
        for (const SamePlace& place : computation.places) KeepFirst(place);
      }
    }
    return std::move(plan_);
  }

 private:
  void DecideImage(Computation computation) {
    std::vector<SamePlace>& places = computation.places;
    const NodeId first = places.front().nodes.front();
    Activation activation = ActivationOf(first, computation.inputs);
    activation.quantizers = NodesOf(places);
    const bool emits = Emits(activation);
    // One scratch address would order all who use it.
    if (emits || places.size() > 1 || options_.relax) {
      places = MoveToArena(activation, std::move(places), emits);
    }
    for (const SamePlace& place : places) KeepInPlace(place);
  }

  // `contents` are those of each access that it reads, in that order.
  Activation ActivationOf(NodeId quantizer,
                          absl::Span<const Contents> contents) const {
    Activation activation;
    std::size_t read = 0;
    for (const Access& access : graph_.accesses(quantizer)) {
      if (!access.reads()) continue;
      activation.inputs.push_back(access.view);
      if (access.role == Role::kSource) {
        activation.source = access.view;
        activation.contents = contents[read];
      }
      ++read;
    }
    return activation;
  }

  bool Emits(const Activation& activation) {
    if (!options_.emission) return false;
    const std::optional<Decline> refusal = RefuseEmission(
        graph_, order_, activation, uses_, options_.event_branches, claimed_);
    if (refusal) plan_.declines.push_back(*refusal);
    return !refusal;
  }

  // One image in the arena for all places that may move; returns the others.
  std::vector<SamePlace> MoveToArena(const Activation& activation,
                                     std::vector<SamePlace> places,
                                     bool emits) {
    Activation moving = activation;
    std::vector<SamePlace> stay;
    std::vector<SamePlace> move;
    for (SamePlace& place : places) {
      (MayMove(place) ? move : stay).push_back(std::move(place));
    }
    moving.quantizers = NodesOf(move);
    const bool shares = move.size() > 1 || (options_.relax && !move.empty());
    const bool planned = emits    ? Emit(moving)
                         : shares ? ShareInArena(moving)
                                  : false;
    if (!planned) stay.insert(stay.end(), move.begin(), move.end());
    return stay;
  }

  // In schedule order.
  std::vector<NodeId> NodesOf(absl::Span<const SamePlace> places) const {
    std::vector<NodeId> nodes;
    for (const SamePlace& place : places) {
      nodes.insert(nodes.end(), place.nodes.begin(), place.nodes.end());
    }
    absl::c_sort(nodes, [&](NodeId a, NodeId b) {
      return order_.topology().position(a) < order_.topology().position(b);
    });
    return nodes;
  }

  bool Emit(const Activation& moving) {
    if (moving.quantizers.empty()) return false;
    PlannedImage image = ArenaImage(moving);
    image.writer = moving.contents.writer;
    image.emitted = true;
    image.removed = moving.quantizers;
    claimed_.insert(image.writer);
    plan_.images.push_back(std::move(image));
    return true;
  }

  bool ShareInArena(const Activation& moving) {
    PlannedImage image = ArenaImage(moving);
    image.writer = moving.quantizers.front();
    image.removed.assign(moving.quantizers.begin() + 1,
                         moving.quantizers.end());
    if (MustMove(graph_, order_, moving)) {
      if (!options_.placement) {
        plan_.declines.push_back({DeclineReason::kPlacementDisabled,
                                  image.removed.front(), image.writer});
        return false;
      }
      MoveBeforeFork(epochs_, views_, moving, image);
    }
    plan_.images.push_back(std::move(image));
    return true;
  }

  PlannedImage ArenaImage(const Activation& moving) const {
    PlannedImage image;
    image.in_arena = true;
    image.bytes = BytesOfImage(moving.quantizers.front());
    for (NodeId quantizer : moving.quantizers) {
      const std::vector<ImageReader>& readers = uses_.Readers(quantizer);
      image.readers.insert(image.readers.end(), readers.begin(), readers.end());
    }
    absl::c_sort(image.readers);
    for (const ImageReader& reader : image.readers) {
      image.bytes = std::max(image.bytes, reader.offset + BytesRead(reader));
    }
    return image;
  }

  std::uint64_t BytesOfImage(NodeId quantizer) const {
    const View& view =
        graph_.FindAccess(quantizer, Role::kImage, AccessMode::kWrite)->view;
    return view.end() - view.begin();
  }

  // From where its image pointer points, slack included: it must be the
  // arena's.
  std::uint64_t BytesRead(const ImageReader& reader) const {
    const View& image =
        graph_.FindAccess(reader.node, Role::kImage, AccessMode::kRead)->view;
    std::uint64_t end = image.end();
    for (const Access& access : graph_.accesses(reader.node)) {
      if (access.role == Role::kSlack) end = std::max(end, access.view.end());
    }
    return end - image.begin();
  }

  void KeepInPlace(const SamePlace& place) {
    if (place.nodes.size() < 2) return;
    PlannedImage image;
    image.writer = place.nodes.front();
    image.bytes = BytesOfImage(image.writer);
    image.removed.assign(place.nodes.begin() + 1, place.nodes.end());
    plan_.images.push_back(std::move(image));
  }

  void KeepFirst(const SamePlace& place) {
    if (place.nodes.size() < 2) return;
    plan_.repeats.push_back({place.nodes.front(), {}});
    plan_.repeats.back().removed.assign(place.nodes.begin() + 1,
                                        place.nodes.end());
  }

  // Notes the obstacle when there is one. All readers of the place read what
  // its first quantizer wrote.
  bool MayMove(const SamePlace& place) {
    const std::optional<Decline> obstacle = uses_.Obstacle(place.nodes.front());
    if (obstacle) plan_.declines.push_back(*obstacle);
    return !obstacle;
  }

  const Graph& graph_;
  const PlanOptions& options_;
  const Order& order_;
  Plan plan_;
  const PureKernels kernels_;
  const ViewIndex views_;
  Epochs epochs_;
  std::vector<Computation> computations_;
  const ImageUses uses_;
  absl::flat_hash_set<NodeId> claimed_;
};

}  // namespace

absl::StatusOr<Plan> MakePlan(const Graph& graph, const PlanOptions& options) {
  absl::StatusOr<Order> order = Order::Of(graph);
  if (!order.ok()) return order.status();
  Plan plan = Decider(graph, options, *order).Run();
  plan.arena = PackImages(*order, options.storage && !options.relax,
                          absl::MakeSpan(plan.images));
  RewireEdges(graph, *order, plan);
  if (options.dead_stores) {
    const absl::Status dropped = DropDeadStores(graph, options.outputs, plan);
    if (!dropped.ok()) return dropped;
  }
  if (!options.relax) return plan;
  const absl::Status relaxed =
      Relax(graph, options.relax_width, options.storage, plan);
  if (!relaxed.ok()) return relaxed;
  return plan;
}

}  // namespace reprise
