// Every decline of the planner must be true: its evidence is looked at by
// walking edges and comparing bytes, on random graphs.
#include "planner/decline.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "graph/text.h"
#include "planner/planner.h"
#include "planner/pure_kernels.h"
#include "tests/planner/random_graph.h"
#include "tests/planner/reachability.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

class Evidence {
 public:
  Evidence(const Graph& graph, const Plan& plan)
      : graph_(graph), plan_(plan), reached_(graph) {}

  bool Holds(const Decline& d) const {
    const bool given = d.evidence.valid();
    const bool before = given && reached_.Before(d.evidence, d.node);
    const bool after = given && reached_.Before(d.node, d.evidence);
    const bool opaque = given && !graph_.node(d.evidence).effects_complete;
    switch (d.reason) {
      case DeclineReason::kUnsupportedSource:
        return false;  // the generator makes none
      case DeclineReason::kUnorderedWrite:
        return !before && !after && WritesInput(d.evidence, d.node);
      case DeclineReason::kOpaqueNode:
        return opaque && !after;
      case DeclineReason::kOverlappingWrite:
        return before && WritesInput(d.evidence, d.node);
      case DeclineReason::kRepeatOfPart:
        return !Outputs(d.node, /*exact=*/false).empty();
      case DeclineReason::kRepeatOverwritten:
        return !after && (opaque || WritesOutput(d.evidence, d.node));
      case DeclineReason::kRepeatElsewhere:
        return !after && graph_.node(d.evidence).pure &&
               Outputs(d.evidence, true) != Outputs(d.node, true);
      case DeclineReason::kImageIsOutput:
        return !std::get<Quantize>(graph_.node(d.node).op).scratch;
      case DeclineReason::kUnknownReader:
        return !before && Touches(d.evidence, Image(d.node), false);
      case DeclineReason::kOpaqueReader:
        return opaque && !before;
      case DeclineReason::kImageOutlivesReplay:
        return opaque || Touches(d.evidence, Image(d.node), false);
      case DeclineReason::kPlacementDisabled:
        return false;  // not turned off here
      case DeclineReason::kNoProducer:
        return !HasWriterBefore(d.node);
      case DeclineReason::kSeveralWriters:
        return before && (opaque || Touches(d.evidence, Source(d.node), true));
      case DeclineReason::kNotAProducer:
        return before && !IsProducer(graph_.node(d.evidence).op) &&
               Touches(d.evidence, Source(d.node), true);
      case DeclineReason::kRoutedImage:
        return before && IsRouted(graph_, d.node);
      case DeclineReason::kNoEmittingKernel:
        return before &&
               graph_.FindEmittingKernel(
                   d.evidence, *LayoutOf(graph_.node(d.node).op)) == nullptr;
      case DeclineReason::kProbeMismatch:
        return false;  // the generator's kernels are never tried
      case DeclineReason::kProducerClaimed:
        return Emits(d.evidence);
      case DeclineReason::kEventBranch:
        return BehindEvent(d);
      case DeclineReason::kPartialOverlap:
        return OverlapsItself(d.evidence);
      case DeclineReason::kNotCanonicalImage:
        return false;  // the generator pads all images
      case DeclineReason::kNotCanonicalOutput:
        return before && Source(d.node) != Output(d.evidence);
      case DeclineReason::kNoDroppingKernel:
        return Emits(d.node) &&
               !graph_.emitting_kernels(d.node).front().drops_floats();
      case DeclineReason::kStoreOpaqueReader:
        return Emits(d.node) && opaque && !before;
      case DeclineReason::kStoreIsRead:
        return Emits(d.node) && !before && !IsGone(d.evidence) &&
               Touches(d.evidence, Output(d.node), false);
      case DeclineReason::kStoreIsOutput:
        return Emits(d.node) && !IsOverwritten(d.node);
      case DeclineReason::kStoreOutlivesReplay:
        return false;  // no outputs are declared here
    }
    return false;
  }

 private:
  View Source(NodeId n) const {
    return graph_.FindAccess(n, Role::kSource, AccessMode::kRead)->view;
  }
  View Image(NodeId n) const {
    return graph_.FindAccess(n, Role::kImage, AccessMode::kWrite)->view;
  }
  View Output(NodeId n) const {
    return graph_.FindAccess(n, Role::kOutput, AccessMode::kWrite)->view;
  }

  std::vector<View> Outputs(NodeId node, bool exact) const {
    std::vector<View> views;
    for (const Access& access : graph_.accesses(node)) {
      if (access.writes() && access.exact == exact) {
        views.push_back(access.view);
      }
    }
    return views;
  }

  bool WritesInput(NodeId writer, NodeId node) const {
    return WritesWhat(writer, node, AccessMode::kRead);
  }
  bool WritesOutput(NodeId writer, NodeId node) const {
    return WritesWhat(writer, node, AccessMode::kWrite);
  }
  bool WritesWhat(NodeId writer, NodeId node, AccessMode mode) const {
    for (const Access& access : graph_.accesses(node)) {
      if (access.mode == mode && Touches(writer, access.view, true)) {
        return true;
      }
    }
    return false;
  }

  bool Touches(NodeId node, const View& view, bool writes) const {
    for (const Access& access : graph_.accesses(node)) {
      if (access.writes() == writes && MayOverlap(access.view, view)) {
        return true;
      }
    }
    return false;
  }

  bool HasWriterBefore(NodeId node) const {
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      if (!reached_.Before(NodeId{n}, node)) continue;
      if (!graph_.node(NodeId{n}).effects_complete ||
          Touches(NodeId{n}, Source(node), true)) {
        return true;
      }
    }
    return false;
  }

  bool IsGone(NodeId node) const {
    for (const RemovedNode& removed : RemovedNodes(plan_)) {
      if (removed.node == node) return true;
    }
    return false;
  }

  // By one node that stays, after the producer.
  bool IsOverwritten(NodeId producer) const {
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      if (!reached_.Before(producer, NodeId{n}) || IsGone(NodeId{n})) continue;
      for (const Access& access : graph_.accesses(NodeId{n})) {
        if (access.writes() && access.exact &&
            Contains(access.view, Output(producer))) {
          return true;
        }
      }
    }
    return false;
  }

  bool Emits(NodeId node) const {
    for (const PlannedImage& image : plan_.images) {
      if (image.emitted && image.writer == node) return true;
    }
    return false;
  }

  // The evidence runs on another stream than a producer of the source.
  bool BehindEvent(const Decline& d) const {
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      if (reached_.Before(NodeId{n}, d.node) &&
          IsProducer(graph_.node(NodeId{n}).op) &&
          Output(NodeId{n}) == Source(d.node) &&
          graph_.node(NodeId{n}).stream != graph_.node(d.evidence).stream) {
        return true;
      }
    }
    return false;
  }

  bool OverlapsItself(NodeId node) const {
    for (const Access& access : graph_.accesses(node)) {
      if (access.reads() && access.view != Output(node) &&
          MayOverlap(access.view, Output(node))) {
        return true;
      }
    }
    return false;
  }

  const Graph& graph_;
  const Plan& plan_;
  const Reachability reached_;
};

TEST(Decline, HasRealEvidenceInRandomGraphs) {
  std::map<DeclineReason, int> seen;
  for (std::uint32_t seed = 1; seed <= 900; ++seed) {
    const Graph graph =
        seed <= 600 ? RandomGraph(seed) : RandomGraph(seed, Repetitive());
    const absl::StatusOr<Plan> plan = MakePlan(graph, {.dead_stores = true});
    ASSERT_OK(plan);
    const Evidence evidence(graph, *plan);
    for (const Decline& decline : plan->declines) {
      ++seen[decline.reason];
      ASSERT_TRUE(evidence.Holds(decline))
          << "seed " << seed << "\n"
          << ToText(graph) << Explain(graph, decline);
    }
  }
  for (DeclineReason reason :
       {DeclineReason::kUnorderedWrite,     DeclineReason::kOpaqueNode,
        DeclineReason::kOverlappingWrite,   DeclineReason::kRepeatOfPart,
        DeclineReason::kRepeatOverwritten,  DeclineReason::kRepeatElsewhere,
        DeclineReason::kImageIsOutput,      DeclineReason::kUnknownReader,
        DeclineReason::kOpaqueReader,       DeclineReason::kImageOutlivesReplay,
        DeclineReason::kNoProducer,         DeclineReason::kSeveralWriters,
        DeclineReason::kNotAProducer,       DeclineReason::kNoEmittingKernel,
        DeclineReason::kEventBranch,        DeclineReason::kPartialOverlap,
        DeclineReason::kNotCanonicalOutput, DeclineReason::kNoDroppingKernel,
        DeclineReason::kStoreOpaqueReader,  DeclineReason::kStoreIsRead,
        DeclineReason::kStoreIsOutput}) {
    EXPECT_GT(seen[reason], 0) << NameOf(reason);
  }
}

TEST(Decline, IsExplainedInOneSentenceThatNamesTheNodes) {
  const absl::StatusOr<Graph> graph = GraphFromText(R"(chain
0: rms_norm mul | 0x1000:f32:64 -> 0x2000:f32:64 |
1: quantize scratch | 0x2000:f32:64 -> 0x3000:q8_1:16 |
)");
  ASSERT_OK(graph);
  EXPECT_EQ(
      Explain(*graph, {DeclineReason::kNoEmittingKernel, NodeId{1}, NodeId{0}}),
      "no pack offers a kernel with which node 0 (rms_norm mul) could "
      "write the image of node 1 (quantize scratch)");
}

TEST(Decline, EveryReasonHasItsOwnName) {
  std::set<absl::string_view> names;
  const int last = static_cast<int>(DeclineReason::kStoreOutlivesReplay);
  for (int reason = 0; reason <= last; ++reason) {
    names.insert(NameOf(static_cast<DeclineReason>(reason)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
}

}  // namespace
}  // namespace reprise::testing
