#include "planner/explain.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "planner/needed_order.h"

namespace reprise {
namespace {

// "a", "a and b", "a, b and c".
std::string Listed(const Graph& graph, absl::Span<const NodeId> nodes) {
  std::string out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool last = i + 1 == nodes.size();
    if (i > 0) out += last ? " and " : ", ";
    out += Named(graph, nodes[i]);
  }
  return out;
}

std::string Place(const PlannedImage& image) {
  if (!image.in_arena) return "where it always was";
  return absl::StrCat("to arena ", image.offset, "+", image.bytes);
}

}  // namespace

std::string Explain(const Graph& graph, const PlannedImage& image,
                    absl::Span<const NodeId> readers) {
  std::string out =
      absl::StrCat(Named(graph, image.writer),
                   image.drops_floats ? " writes its image and no floats, "
                   : image.emitted    ? " writes its image itself, "
                                      : " writes one image, ",
                   Place(image));
  if (!readers.empty()) {
    absl::StrAppend(&out, ", for ", Listed(graph, readers));
  }
  if (image.moved) {
    absl::StrAppend(&out, ", and runs before the fork");
  }
  if (!image.ready.empty()) {
    absl::StrAppend(&out, ", right after ", Listed(graph, image.ready));
  }
  if (image.removed.empty()) return out;
  return absl::StrCat(out, "; ", Listed(graph, image.removed),
                      image.removed.size() == 1 ? " goes" : " go");
}

std::string Explain(const Graph& graph, const Repeat& repeat) {
  return absl::StrCat(Listed(graph, repeat.removed),
                      " would only write again what ",
                      Named(graph, repeat.kept), " left there, and ",
                      repeat.removed.size() == 1 ? "goes" : "go");
}

std::string Explain(const Graph& graph, const Rewritten& relaxed,
                    const Edge& edge) {
  const auto name = [&](NodeId id) {
    return Named(graph, relaxed.origin[id.value]);
  };
  const Graph& after = relaxed.graph;
  for (NodeId end : {edge.from, edge.to}) {
    if (!MayTouchAnything(after, end)) continue;
    return absl::StrCat(name(end), " may touch anything");
  }
  for (const Access& later : after.accesses(edge.to)) {
    for (const Access& earlier : after.accesses(edge.from)) {
      if (!later.writes() && !earlier.writes()) continue;
      if (!MayOverlap(later.view, earlier.view)) continue;
      return absl::StrCat(name(edge.to),
                          later.writes() ? " overwrites " : " reads ",
                          ToText(later.view), ", which ", name(edge.from),
                          earlier.writes() ? " writes" : " reads");
    }
  }
  return absl::StrCat(name(edge.from), " and ", name(edge.to),
                      " share no memory: one of them races with another node, "
                      "or no more may run at once");
}

}  // namespace reprise
