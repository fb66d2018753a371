#include "tools/node_report.h"

#include <cstddef>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "planner/decline.h"
#include "planner/explain.h"
#include "planner/image_readers.h"
#include "planner/rewrite.h"

namespace reprise {
namespace {

// One fact a line, its name in a column of its own.
class Facts {
 public:
  void Add(absl::string_view name, absl::string_view fact) {
    const std::string padding(10 - name.size(), ' ');
    absl::StrAppend(&text_, "  ", name, padding, fact, "\n");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void AddWork(const Graph& graph, NodeId id, Facts& facts) {
  const Node& node = graph.node(id);
  if (node.launch != Node::kNoIndex) {
    facts.Add("symbol", graph.launch(id).symbol);
  }
  facts.Add("op", ToText(node.op));
  for (const EmittingKernel& kernel : graph.emitting_kernels(id)) {
    facts.Add("emits", absl::StrCat(InfoOf(kernel.layout).name, " with ",
                                    kernel.symbol));
  }
  if (node.stream.valid()) facts.Add("stream", absl::StrCat(node.stream.value));
}

void AddEffects(const Graph& graph, NodeId id, Facts& facts) {
  for (const Access& access : graph.accesses(id)) {
    const absl::string_view role =
        access.role == Role::kNone ? "" : NameOf(access.role);
    facts.Add(access.reads() ? "reads" : "writes",
              absl::StrCat(ToText(access.view), role.empty() ? "" : " as ",
                           role, access.exact ? "" : ", some of it"));
  }
  if (!graph.node(id).effects_complete) {
    facts.Add("opaque", "may read and write anything");
  }
}

void AddNeighbours(const Graph& graph, NodeId id, Facts& facts) {
  const auto add = [&](absl::string_view name, NodeId other, EdgeType type) {
    const bool programmatic = type == EdgeType::kProgrammatic;
    facts.Add(name, absl::StrCat(Named(graph, other),
                                 programmatic ? ", programmatic" : ""));
  };
  for (const Edge& edge : graph.edges()) {
    if (edge.to == id) add("after", edge.from, edge.type);
  }
  for (const Edge& edge : graph.edges()) {
    if (edge.from == id) add("before", edge.to, edge.type);
  }
}

void AddPlan(const Graph& graph, const Plan& plan, NodeId id, Facts& facts) {
  const auto readers = ReadersOfImages(graph, plan);
  bool untouched = true;
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    const PlannedImage& image = plan.images[i];
    if (image.writer != id && !absl::c_linear_search(image.removed, id) &&
        !absl::c_linear_search(readers[i], id)) {
      continue;
    }
    facts.Add("plan", Explain(graph, image, readers[i]));
    untouched = false;
  }
  for (const Repeat& repeat : plan.repeats) {
    if (repeat.kept != id && !absl::c_linear_search(repeat.removed, id)) {
      continue;
    }
    facts.Add("plan", Explain(graph, repeat));
    untouched = false;
  }
  if (untouched) facts.Add("plan", "nothing changes");
  for (const Decline& decline : plan.declines) {
    if (decline.node != id && decline.evidence != id) continue;
    facts.Add("declined", absl::StrCat(NameOf(decline.reason), ": ",
                                       Explain(graph, decline)));
  }
}

// Of a relaxed plan, what the node still waits for, and why.
void AddKeptOrder(const Graph& graph, const Plan& plan, NodeId id,
                  Facts& facts) {
  const Rewritten after = Rewrite(graph, plan, FreeAddress(graph));
  for (const Edge& edge : after.graph.edges()) {
    if (edge.to != after.now[id.value]) continue;
    facts.Add("waits", Explain(graph, after, edge));
  }
}

}  // namespace

std::string NodeReport(const Graph& graph, const Plan& plan, NodeId node) {
  Facts facts;
  AddWork(graph, node, facts);
  AddEffects(graph, node, facts);
  AddNeighbours(graph, node, facts);
  AddPlan(graph, plan, node, facts);
  if (plan.relaxed) AddKeptOrder(graph, plan, node, facts);
  return absl::StrCat(Named(graph, node), "\n", facts.text());
}

}  // namespace reprise
