#include "planner/dead_stores.h"

#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "planner/epochs.h"
#include "planner/order.h"
#include "planner/overwrites.h"
#include "planner/rewrite.h"
#include "planner/view_index.h"

namespace reprise {
namespace {

// How many reads of a chain are looked at before a store is given up.
constexpr std::size_t kMaxReads = 64;

// A producer that could leave its floats out.
struct Store {
  std::size_t image;  // of the plan
  NodeId producer;    // of the rewritten graph
  View floats;
};

ImageLayout LayoutOf(const Graph& graph, const PlannedImage& image) {
  return *LayoutOf(graph.node(image.removed.front()).op);
}

std::vector<Store> FindStores(const Graph& graph, const Rewritten& after,
                              Plan& plan) {
  std::vector<Store> stores;
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    const PlannedImage& image = plan.images[i];
    if (!image.emitted) continue;
    const EmittingKernel& kernel =
        *graph.FindEmittingKernel(image.writer, LayoutOf(graph, image));
    if (!kernel.drops_floats()) {
      plan.declines.push_back(
          {DeclineReason::kNoDroppingKernel, image.writer, {}});
      continue;
    }
    stores.push_back(
        {i, after.now[image.writer.value],
         graph.FindAccess(image.writer, Role::kOutput, AccessMode::kWrite)
             ->view});
  }
  return stores;
}

// All of the rewritten graph.
class Readers {
 public:
  Readers(const Graph& graph, const Order& order,
          const std::vector<Store>& stores)
      : graph_(graph),
        order_(order),
        floats_(IndexFloats(stores)),
        reads_(floats_.size()),
        views_(IndexReads()),
        epochs_(graph, order, views_) {}

  // Why the store has to stay; its nodes are of the rewritten graph.
  std::optional<Decline> Keeps(
      const Store& store,
      const std::optional<std::vector<View>>& outputs) const {
    const auto keep = [&](DeclineReason reason, NodeId evidence) {
      return Decline{reason, store.producer, evidence};
    };
    const auto view = views_.Find(store.floats);
    const Overwriters overwriters =
        OverwritersAfter(epochs_, view, store.producer);
    NodeId seen = MaySee(order_, epochs_.opaque(), store.producer, overwriters);
    if (seen.valid()) return keep(DeclineReason::kStoreOpaqueReader, seen);
    seen = ReaderAfter(store, overwriters);
    if (seen.valid()) return keep(DeclineReason::kStoreIsRead, seen);
    if (!overwriters.empty()) return std::nullopt;
    // The floats are still there when the graph ends.
    if (!outputs || absl::c_any_of(*outputs, [&](const View& output) {
          return MayOverlap(output, store.floats);
        })) {
      return keep(DeclineReason::kStoreIsOutput, {});
    }
    seen = ReaderInTheNextReplay(store, view);
    if (seen.valid()) return keep(DeclineReason::kStoreOutlivesReplay, seen);
    return std::nullopt;
  }

 private:
  static ViewIndex IndexFloats(const std::vector<Store>& stores) {
    ViewIndex floats;
    for (const Store& store : stores) floats.Add(store.floats);
    floats.Seal();
    return floats;
  }

  // Of slack nobody makes anything.
  static bool Uses(const Access& access) {
    return access.reads() && access.role != Role::kSlack;
  }

  // Also notes who reads the floats.
  ViewIndex IndexReads() {
    ViewIndex views;
    for (ViewIndex::ViewId id = 0; id < floats_.size(); ++id) {
      views.Add(floats_.view(id));
    }
    for (NodeId node : order_.nodes()) {
      if (!graph_.node(node).effects_complete) continue;
      for (const Access& access : graph_.accesses(node)) {
        if (!Uses(access)) continue;
        floats_.ForEachOverlap(access.view, [&](ViewIndex::ViewId id) {
          reads_.Add(id, node, /*covers=*/false);
          views.Add(access.view);
        });
      }
    }
    reads_.Seal(order_);
    views.Seal();
    return views;
  }

  // All that the node reads of the floats' place was left there, in this
  // replay, by one node each, and never by the producer.
  bool FindsOthers(NodeId reader, const Store& store) const {
    return absl::c_all_of(graph_.accesses(reader), [&](const Access& access) {
      if (!Uses(access) || !MayOverlap(access.view, store.floats)) {
        return true;
      }
      const Contents contents = epochs_.At(views_.Find(access.view), reader);
      return !contents.unordered.valid() && contents.writer.valid() &&
             contents.writer != store.producer;
    });
  }

  // A node that may find some of the floats, in no order with the producer or
  // after it; invalid when there is none.
  NodeId ReaderAfter(const Store& store, const Overwriters& overwriters) const {
    const ChainLists reads = reads_[floats_.Find(store.floats)];
    if (!reads.loose().empty()) return reads.loose().front().node;
    for (std::size_t i = 0; i < reads.num_lists(); ++i) {
      const auto list = reads.list(i);
      const std::size_t next = reads.NumBefore(i, store.producer, order_);
      for (std::size_t e = next; e < list.size(); ++e) {
        const NodeId reader = list[e].node;
        // In place: it reads what lay there before.
        if (reader == store.producer) continue;
        // So is the rest of the chain.
        if (IsAfterAny(order_, overwriters, reader)) break;
        if (e - next >= kMaxReads || !FindsOthers(reader, store)) {
          return reader;
        }
      }
    }
    return {};
  }

  NodeId ReaderInTheNextReplay(const Store& store,
                               ViewIndex::ViewId view) const {
    const ChainLists reads = reads_[floats_.Find(store.floats)];
    for (std::size_t i = 0; i < reads.num_lists(); ++i) {
      const auto list = reads.list(i);
      for (std::size_t e = 0; e < list.size(); ++e) {
        const NodeId reader = list[e].node;
        if (OverwrittenBefore(epochs_, view, reader)) break;
        if (e >= kMaxReads || !FindsOthers(reader, store)) return reader;
      }
    }
    const ChainLists opaque = epochs_.opaque();
    for (std::size_t i = 0; i < opaque.num_lists(); ++i) {
      const NodeId first = opaque.list(i).front().node;
      if (!OverwrittenBefore(epochs_, view, first)) return first;
    }
    return {};
  }

  const Graph& graph_;
  const Order& order_;
  const ViewIndex floats_;  // of all stores
  ChainTable reads_;        // by these: who reads some of them
  const ViewIndex views_;   // what those read, and the floats
  const Epochs epochs_;     // of all of these
};

}  // namespace

absl::Status DropDeadStores(const Graph& graph,
                            const std::optional<std::vector<View>>& outputs,
                            Plan& plan) {
  const Rewritten after = Rewrite(graph, plan, FreeAddress(graph));
  const std::vector<Store> stores = FindStores(graph, after, plan);
  if (stores.empty()) return absl::OkStatus();
  const absl::StatusOr<Order> order = Order::Of(after.graph);
  if (!order.ok()) return order.status();
  const Readers readers(after.graph, *order, stores);
  const auto captured = [&](NodeId node) {
    return node.valid() ? after.origin[node.value] : node;
  };
  for (const Store& store : stores) {
    const std::optional<Decline> kept = readers.Keeps(store, outputs);
    if (kept) {
      plan.declines.push_back(
          {kept->reason, captured(kept->node), captured(kept->evidence)});
    } else {
      plan.images[store.image].drops_floats = true;
    }
  }
  return absl::OkStatus();
}

}  // namespace reprise
