#include "replay/prepare_graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "replay/emitting_functions.h"
#include "replay/graph_emitter.h"
#include "replay/nvtx_range.h"
#include "replay/rewritable.h"

namespace reprise {
namespace {

FunctionLookup OwnFunctions(const Driver& driver) {
  return [functions = std::make_shared<EmittingFunctions>(driver)](
             absl::string_view symbol, std::uint32_t shared_bytes) {
    return functions->Find(symbol, shared_bytes);
  };
}

using Quantizers = absl::flat_hash_map<std::pair<View, ImageLayout>, NodeId>;

// One for each view of floats and layout: the only quantizers that an emission
// can spare.
Quantizers QuantizersOf(const Graph& graph) {
  Quantizers quantizers;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    if (!IsQuantizer(graph.node(id).op)) continue;
    const Access* source =
        graph.FindAccess(id, Role::kSource, AccessMode::kRead);
    const Access* image =
        graph.FindAccess(id, Role::kImage, AccessMode::kWrite);
    if (source != nullptr && image != nullptr) {
      const ImageLayout layout = *LayoutOf(graph.node(id).op);
      quantizers.try_emplace({source->view, layout}, id);
    }
  }
  return quantizers;
}

// Whoever asks again is told the same. What a call that failed kept from being
// known may be known the next time.
bool Settles(const absl::Status& told) {
  return told.ok() || absl::IsNotFound(told) || absl::IsDataLoss(told) ||
         absl::IsUnimplemented(told);
}

// An empty view where there is none.
View OutputOf(const Graph& graph, NodeId producer) {
  const Access* output =
      graph.FindAccess(producer, Role::kOutput, AccessMode::kWrite);
  return output == nullptr ? View{} : output->view;
}

}  // namespace

GraphPreparer::GraphPreparer(const Driver& driver, PrepareOptions options)
    : driver_(&driver),
      options_(std::move(options)),
      annotator_(options_.packs) {
  if (!options_.functions) options_.functions = OwnFunctions(driver);
  if (!options_.probe) options_.probe = std::make_shared<EmissionProbe>(driver);
}

absl::StatusOr<ImportedGraph> GraphPreparer::Import(CUgraph graph) {
  const NvtxRange range(Phase::kImport);
  // A new importer each time: kernels may have been unloaded since.
  absl::StatusOr<ImportedGraph> captured =
      GraphImporter(*driver_).Import(graph);
  if (captured.ok()) annotator_.Annotate(captured->graph);
  return captured;
}

void GraphPreparer::Annotate(absl::Span<const NodeId> changed,
                             ImportedGraph& captured) {
  annotator_.Annotate(captured.graph, changed);
}

Outcome GraphPreparer::Decide(ImportedGraph& captured) const {
  const NvtxRange range(Phase::kPlan);
  Outcome outcome;
  FindMissing(captured, outcome);
  outcome.captured = CountGraph(captured.graph);
  outcome.running = outcome.captured;
  PlanOptions options = options_.plan;
  for (const MissingKernel& missing : outcome.missing) {
    options.claimed_producers.push_back(missing.producer);
  }
  absl::StatusOr<Plan> plan = MakePlan(captured.graph, options);
  outcome.declined = plan.status();
  if (plan.ok()) outcome.plan = *std::move(plan);
  return outcome;
}

// Tries nothing where nobody is to emit. Also marks the kernels that were tried
// and left other bytes, and those whose twin that drops the floats is not at
// hand. Of a layout in which nobody wants the image, no kernel is missed.
void GraphPreparer::FindMissing(ImportedGraph& captured,
                                Outcome& outcome) const {
  if (!options_.plan.emission) return;
  Graph& graph = captured.graph;
  const Quantizers quantizers = QuantizersOf(graph);
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    const auto known = graph.emitting_kernels(id);
    std::vector<EmittingKernel> kernels(known.begin(), known.end());
    const auto find = [&](const std::string& symbol) {
      return options_.functions(symbol, graph.launch(id).shared_bytes);
    };
    bool changed = false;
    for (EmittingKernel& kernel : kernels) {
      const auto quantizer =
          quantizers.find({OutputOf(graph, id), kernel.layout});
      if (quantizer == quantizers.end()) continue;
      const auto function = find(kernel.symbol);
      if (!function.ok()) {
        outcome.missing.push_back({id, function.status()});
        continue;
      }
      if (!kernel.dropping_symbol.empty()) {
        const absl::Status dropping = find(kernel.dropping_symbol).status();
        outcome.settled = outcome.settled && Settles(dropping);
        changed = changed || kernel.cannot_drop == dropping.ok();
        kernel.cannot_drop = !dropping.ok();
      }
      if (!kernel.probe) continue;
      const absl::Status tried =
          options_.probe->Try(captured, id, quantizer->second, *function);
      if (tried.ok()) continue;
      outcome.missing.push_back({id, tried});
      kernel.refuted = changed = true;
    }
    if (!changed) continue;
    graph.mutable_node(id).emitting = graph.AddEmittingKernels(kernels);
  }
  outcome.settled = outcome.settled &&
                    absl::c_all_of(outcome.missing, [](const auto& missing) {
                      return Settles(missing.why);
                    });
}

absl::StatusOr<Program> GraphPreparer::Rewrite(const ImportedGraph& captured,
                                               const Plan& plan,
                                               const Allocation& arena) const {
  return MakeProgram(captured, plan, arena.address, options_.functions);
}

absl::StatusOr<EmittedGraph> GraphPreparer::Emit(
    CUgraph original, const ImportedGraph& captured, const Plan& plan,
    const Allocation& arena) const {
  NvtxRange range(Phase::kEmit);
  const absl::Status rewritable = CheckRewritable(*driver_, captured);
  if (!rewritable.ok()) return rewritable;
  EmittedGraph emitted;
  if (plan.arena.bytes > arena.bytes) {
    absl::StatusOr<DeviceArena> created =
        DeviceArena::Create(*driver_, plan.arena.bytes);
    if (!created.ok()) return created.status();
    emitted.arena = *std::move(created);
  }
  absl::StatusOr<Program> program = Rewrite(
      captured, plan, emitted.arena ? emitted.arena->allocation() : arena);
  if (!program.ok()) return program.status();
  absl::StatusOr<GraphHandle> graph =
      EmitClone(*driver_, original, captured, plan, *program);
  if (!graph.ok()) return graph.status();
  range.MarkNodes(captured.graph.num_nodes(), program->graph().num_nodes());
  emitted.graph = *std::move(graph);
  emitted.program = *std::move(program);
  return emitted;
}

}  // namespace reprise
