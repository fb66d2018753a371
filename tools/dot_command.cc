// reprise dot: a picture of a capture.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/pack_list.h"
#include "planner/planner.h"
#include "tools/capture_input.h"
#include "tools/commands.h"
#include "tools/dot.h"
#include "tools/pack_flags.h"

namespace reprise {
namespace {

constexpr int kAroundEdges = 6;

struct DotFlags {
  std::string capture;
  std::vector<std::string> packs;
  bool plan = false;
  std::optional<std::uint32_t> around;
};

absl::Status RunDot(const DotFlags& flags) {
  const absl::StatusOr<std::vector<Pack>> packs = LoadPacks(flags.packs);
  if (!packs.ok()) return packs.status();
  const absl::StatusOr<Graph> graph = LoadCapture(flags.capture, *packs);
  if (!graph.ok()) return graph.status();

  DotOptions options;
  if (flags.around) {
    const absl::StatusOr<NodeId> node = FindNode(*graph, *flags.around);
    if (!node.ok()) return node.status();
    options.shown = NodesAround(*graph, *node, kAroundEdges);
  }
  absl::StatusOr<Plan> plan;
  if (flags.plan) {
    plan = MakePlan(*graph);
    if (!plan.ok()) return plan.status();
    options.plan = &*plan;
  }
  std::fputs(ToDot(*graph, options).c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

Action AddDotCommand(CLI::App& app) {
  const auto flags = std::make_shared<DotFlags>();
  app.add_option("CAPTURE", flags->capture, "A capture file: .json, .json.gz")
      ->type_name("")
      ->required();
  app.add_flag("--plan", flags->plan, "Show what the plan changes");
  app.add_option("--around", flags->around,
                 "Show only what is within 6 edges of a node")
      ->type_name("NODE");
  AddPack(app, flags->packs);
  app.footer(
      "Example: reprise dot --plan --around 12 capture.json | dot -Tsvg > "
      "12.svg");
  return [flags] { return RunDot(*flags); };
}

}  // namespace reprise
