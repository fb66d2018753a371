#include "planner/plan.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace reprise {
namespace {

std::string Names(absl::Span<const NodeId> nodes) {
  return absl::StrJoin(nodes, " ", [](std::string* out, NodeId node) {
    absl::StrAppend(out, "n", node.value);
  });
}

std::string ToText(const PlannedImage& image) {
  std::string out = "image ";
  if (image.in_arena) {
    absl::StrAppend(&out, "arena ", image.offset, "+", image.bytes);
  } else {
    absl::StrAppend(&out, "in place");
  }
  absl::StrAppend(&out, ": n", image.writer.value,
                  image.emitted ? " emits" : "",
                  image.drops_floats ? " and drops its floats" : "");
  if (image.moved) absl::StrAppend(&out, " after ", Names(image.ready));
  if (!image.removed.empty()) {
    absl::StrAppend(&out, ", without ", Names(image.removed));
  }
  if (!image.readers.empty()) {
    absl::StrAppend(&out, "; patches");
  }
  for (const ImageReader& reader : image.readers) {
    absl::StrAppend(&out, " n", reader.node.value);
    if (reader.offset != 0) absl::StrAppend(&out, "+", reader.offset);
  }
  return absl::StrCat(out, "\n");
}

std::string ToText(const Repeat& repeat) {
  return absl::StrCat("repeat of n", repeat.kept.value, ": without ",
                      Names(repeat.removed), "\n");
}

}  // namespace

std::vector<RemovedNode> RemovedNodes(const Plan& plan) {
  std::vector<RemovedNode> removed;
  for (const PlannedImage& image : plan.images) {
    for (NodeId node : image.removed) removed.push_back({node, image.writer});
  }
  for (const Repeat& repeat : plan.repeats) {
    for (NodeId node : repeat.removed) removed.push_back({node, repeat.kept});
  }
  return removed;
}

std::vector<NodeId> DroppingProducers(const Plan& plan) {
  std::vector<NodeId> producers;
  for (const PlannedImage& image : plan.images) {
    if (image.drops_floats) producers.push_back(image.writer);
  }
  return producers;
}

std::string ToText(const Plan& plan) {
  std::string out;
  for (const PlannedImage& image : plan.images) out += ToText(image);
  for (const Repeat& repeat : plan.repeats) out += ToText(repeat);
  for (const Edge& edge : plan.added_edges) {
    absl::StrAppend(&out, "edge n", edge.from.value,
                    edge.type == EdgeType::kProgrammatic ? " ~> n" : " -> n",
                    edge.to.value, "\n");
  }
  for (const Decline& decline : plan.declines) {
    absl::StrAppend(&out, "decline ", NameOf(decline.reason), " n",
                    decline.node.value);
    if (decline.evidence.valid()) {
      absl::StrAppend(&out, ": n", decline.evidence.value);
    }
    absl::StrAppend(&out, "\n");
  }
  return out;
}

}  // namespace reprise
