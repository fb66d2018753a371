#include "planner/decline.h"

#include <cstddef>

#include "absl/strings/str_replace.h"

namespace reprise {
namespace {

struct ReasonText {
  DeclineReason reason;
  absl::string_view name;
  // $q: the node that stays, $e: the evidence.
  absl::string_view sentence;
};

constexpr ReasonText kReasons[] = {
    {DeclineReason::kUnsupportedSource, "unsupported_source",
     "$q does not read packed f32 columns in whole blocks of 32"},
    {DeclineReason::kUnorderedWrite, "unordered_write",
     "$e writes what $q reads, in no order with it"},
    {DeclineReason::kOpaqueNode, "opaque_node",
     "$e is opaque and may write what $q reads"},
    {DeclineReason::kOverlappingWrite, "overlapping_write",
     "$e rewrote part of what $q reads since the same was last computed"},
    {DeclineReason::kRepeatOfPart, "repeat_of_part",
     "$q computes the same again, but writes only some of its output"},
    {DeclineReason::kRepeatOverwritten, "repeat_overwritten",
     "$q computes the same again, but $e may have written there in between"},
    {DeclineReason::kRepeatElsewhere, "repeat_elsewhere",
     "$q computes the same as $e, but leaves it elsewhere"},
    {DeclineReason::kImageIsOutput, "image_is_output",
     "the image of $q is not scratch; the outside may read it"},
    {DeclineReason::kUnknownReader, "unknown_reader",
     "$e reads the image of $q and cannot be patched, or wants another "
     "layout"},
    {DeclineReason::kOpaqueReader, "opaque_reader",
     "$e is opaque and may read the image of $q"},
    {DeclineReason::kImageOutlivesReplay, "image_outlives_replay",
     "$e may read the image of $q in the next replay"},
    {DeclineReason::kPlacementDisabled, "placement_disabled",
     "serving $q too, $e would have to move before the fork"},
    {DeclineReason::kNoProducer, "no_producer",
     "the source of $q comes from outside the graph"},
    {DeclineReason::kSeveralWriters, "several_writers",
     "$e did not write all of the source of $q"},
    {DeclineReason::kNotAProducer, "not_a_producer",
     "the source of $q was written by $e, no norm or GLU"},
    {DeclineReason::kRoutedImage, "routed_image",
     "numbers in memory pick the rows of the image of $q, which $e does not "
     "know"},
    {DeclineReason::kNoEmittingKernel, "no_emitting_kernel",
     "no pack offers a kernel with which $e could write the image of $q"},
    {DeclineReason::kProbeMismatch, "probe_mismatch",
     "tried on the device, the kernel that would replace $e did not leave its "
     "bytes and those of $q"},
    {DeclineReason::kProducerClaimed, "producer_claimed",
     "$e is taken already and cannot write the image of $q"},
    {DeclineReason::kEventBranch, "event_branch",
     "$e uses the activation of $q behind an event"},
    {DeclineReason::kPartialOverlap, "partial_overlap",
     "the output of $e overlaps what it reads"},
    {DeclineReason::kNotCanonicalImage, "not_canonical_image",
     "the image of $q is not padded as the kernel of $e would pad it"},
    {DeclineReason::kNotCanonicalOutput, "not_canonical_output",
     "the source of $q is not the whole packed output of $e"},
    {DeclineReason::kNoDroppingKernel, "no_dropping_kernel",
     "no pack says how $q could leave its floats out"},
    {DeclineReason::kStoreOpaqueReader, "store_opaque_reader",
     "$e is opaque and may read the floats of $q"},
    {DeclineReason::kStoreIsRead, "store_is_read",
     "$e may read some of the floats of $q"},
    {DeclineReason::kStoreIsOutput, "store_is_output",
     "nothing overwrites the floats of $q; the outside may read them"},
    {DeclineReason::kStoreOutlivesReplay, "store_outlives_replay",
     "$e may read some of the floats of $q in the next replay"},
};

constexpr bool InEnumOrder() {
  for (std::size_t i = 0; i < std::size(kReasons); ++i) {
    if (static_cast<std::size_t>(kReasons[i].reason) != i) return false;
  }
  return true;
}
static_assert(InEnumOrder());

const ReasonText& TextOf(DeclineReason reason) {
  return kReasons[static_cast<std::size_t>(reason)];
}

std::string NamedOrNothing(const Graph& graph, NodeId node) {
  return node.valid() ? Named(graph, node) : "nothing";
}

}  // namespace

absl::string_view NameOf(DeclineReason reason) { return TextOf(reason).name; }

std::string Explain(const Graph& graph, const Decline& decline) {
  return absl::StrReplaceAll(TextOf(decline.reason).sentence,
                             {{"$q", NamedOrNothing(graph, decline.node)},
                              {"$e", NamedOrNothing(graph, decline.evidence)}});
}

}  // namespace reprise
