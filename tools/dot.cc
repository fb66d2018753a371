#include "tools/dot.h"

#include <cstddef>
#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace reprise {
namespace {

enum class Fate : std::uint8_t { kStays, kGoes, kEmits, kUsesArena };

std::vector<Fate> FatesOf(const Graph& graph, const Plan* plan) {
  std::vector<Fate> fates(graph.num_nodes(), Fate::kStays);
  if (plan == nullptr) return fates;
  for (const RemovedNode& removed : RemovedNodes(*plan)) {
    fates[removed.node.value] = Fate::kGoes;
  }
  for (const PlannedImage& image : plan->images) {
    for (const ImageReader& r : image.readers) {
      fates[r.node.value] = Fate::kUsesArena;
    }
  }
  // A producer may read one image and emit another; it shows as emitting.
  for (const PlannedImage& image : plan->images) {
    if (!image.in_arena) continue;
    fates[image.writer.value] = image.emitted ? Fate::kEmits : Fate::kUsesArena;
  }
  return fates;
}

absl::string_view ColorOf(const Node& node) {
  if (!node.effects_complete) return "lightpink";
  if (IsQuantizer(node.op)) return "gold";
  if (IsProducer(node.op)) return "palegreen";
  if (IsReader(node.op)) return "lightskyblue";
  return "white";
}

absl::string_view StyleOf(Fate fate) {
  switch (fate) {
    case Fate::kStays:
      return "";
    case Fate::kGoes:
      return ", style=\"filled,dashed\", fillcolor=gray92, color=gray60, "
             "fontcolor=gray50";
    case Fate::kEmits:
      return ", peripheries=2, color=red3";
    case Fate::kUsesArena:
      return ", penwidth=2, color=red3";
  }
  return "";
}

class DotWriter {
 public:
  DotWriter(const Graph& graph, const DotOptions& options)
      : graph_(graph),
        options_(options),
        fates_(FatesOf(graph, options.plan)) {}

  std::string Run() {
    out_ =
        "digraph capture {\n"
        "  node [shape=box, style=filled, fontname=Helvetica, fontsize=10];\n"
        "  edge [arrowsize=0.6];\n";
    WriteNodes();
    WriteEdges();
    return absl::StrCat(out_, "}\n");
  }

 private:
  bool Shown(NodeId id) const {
    return options_.shown.empty() || options_.shown[id.value];
  }

  void WriteNodes() {
    std::map<StreamId, std::vector<NodeId>> by_stream;
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      if (!Shown(NodeId{n})) continue;
      by_stream[graph_.node(NodeId{n}).stream].push_back(NodeId{n});
    }
    for (const auto& [stream, nodes] : by_stream) {
      if (!stream.valid()) {
        for (NodeId node : nodes) WriteNode(node, "  ");
        continue;
      }
      absl::StrAppend(&out_, "  subgraph cluster_", stream.value,
                      " {\n    label=\"stream ", stream.value,
                      "\"; color=gray70; fontname=Helvetica;\n");
      for (NodeId node : nodes) WriteNode(node, "    ");
      out_ += "  }\n";
    }
  }

  void WriteNode(NodeId id, absl::string_view indent) {
    const Fate fate = fates_[id.value];
    const std::string label = absl::StrCat(id.value, " ", NameOf(graph_, id));
    absl::StrAppend(&out_, indent, "n", id.value, " [label=", DotQuoted(label));
    if (fate != Fate::kGoes) {
      absl::StrAppend(&out_, ", fillcolor=", ColorOf(graph_.node(id)));
    }
    absl::StrAppend(&out_, StyleOf(fate), "];\n");
  }

  void WriteEdges() {
    std::vector<bool> goes(graph_.edges().size(), false);
    if (options_.plan != nullptr) {
      for (std::uint32_t e : options_.plan->dropped_edges) goes[e] = true;
    }
    for (std::size_t e = 0; e < graph_.edges().size(); ++e) {
      WriteEdge(graph_.edges()[e], goes[e] ? "color=gray75" : "");
    }
    if (options_.plan == nullptr) return;
    for (const Edge& edge : options_.plan->added_edges) {
      WriteEdge(edge, "color=red3");
    }
  }

  void WriteEdge(const Edge& edge, absl::string_view color) {
    if (!Shown(edge.from) || !Shown(edge.to)) return;
    const bool dashed = edge.type == EdgeType::kProgrammatic;
    absl::StrAppend(&out_, "  n", edge.from.value, " -> n", edge.to.value);
    if (dashed || !color.empty()) {
      absl::StrAppend(&out_, " [", dashed ? "style=dashed" : "",
                      dashed && !color.empty() ? ", " : "", color, "]");
    }
    out_ += ";\n";
  }

  const Graph& graph_;
  const DotOptions& options_;
  const std::vector<Fate> fates_;
  std::string out_;
};

}  // namespace

std::string ToDot(const Graph& graph, const DotOptions& options) {
  return DotWriter(graph, options).Run();
}

std::vector<bool> NodesAround(const Graph& graph, NodeId node, int distance) {
  std::vector<std::vector<NodeId>> neighbours(graph.num_nodes());
  for (const Edge& edge : graph.edges()) {
    neighbours[edge.from.value].push_back(edge.to);
    neighbours[edge.to.value].push_back(edge.from);
  }
  std::vector<bool> near(graph.num_nodes(), false);
  near[node.value] = true;
  std::vector<NodeId> rim = {node};
  for (int step = 0; step < distance; ++step) {
    std::vector<NodeId> next;
    for (NodeId from : rim) {
      for (NodeId to : neighbours[from.value]) {
        if (!near[to.value]) next.push_back(to);
        near[to.value] = true;
      }
    }
    rim = std::move(next);
  }
  return near;
}

std::string DotQuoted(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

}  // namespace reprise
