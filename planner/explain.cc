#include "planner/explain.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

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
  std::string out = absl::StrCat(
      Named(graph, image.writer),
      image.emitted ? " writes its image itself, " : " writes one image, ",
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
  return absl::StrCat(out, "; ", Listed(graph, image.removed),
                      image.removed.size() == 1 ? " goes" : " go");
}

std::string Explain(const Graph& graph, const Repeat& repeat) {
  return absl::StrCat(Listed(graph, repeat.removed),
                      " would only write again what ",
                      Named(graph, repeat.kept), " left there, and ",
                      repeat.removed.size() == 1 ? "goes" : "go");
}

}  // namespace reprise
