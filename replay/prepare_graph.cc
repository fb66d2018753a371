#include "replay/prepare_graph.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "capture/annotate.h"
#include "driver/cuda_status.h"
#include "planner/rewrite.h"
#include "replay/emitting_functions.h"
#include "replay/kernel_node.h"
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

absl::StatusOr<Program> ProgramOf(const Driver& driver, Graph graph,
                                  std::vector<CUgraphNode> handles) {
  Program program{std::move(graph), std::move(handles), {}};
  program.code.resize(program.handles.size());
  for (std::uint32_t n = 0; n < program.handles.size(); ++n) {
    if (program.graph.node(NodeId{n}).kind != NodeKind::kKernel) continue;
    const CUresult result =
        GetCode(driver, program.handles[n], &program.code[n]);
    if (result != CUDA_SUCCESS) {
      return CudaStatus(
          driver, result,
          absl::StrCat("read the kernel of ", Named(program.graph, NodeId{n})));
    }
  }
  return program;
}

using QuantizersBySource = absl::flat_hash_map<View, NodeId>;

// One for each view of floats: the only quantizers that an emission can spare.
QuantizersBySource QuantizersOf(const Graph& graph) {
  QuantizersBySource quantizers;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    if (!IsQuantizer(graph.node(id).op)) continue;
    const Access* source =
        graph.FindAccess(id, Role::kSource, AccessMode::kRead);
    const Access* image =
        graph.FindAccess(id, Role::kImage, AccessMode::kWrite);
    if (source != nullptr && image != nullptr) {
      quantizers.try_emplace(source->view, id);
    }
  }
  return quantizers;
}

// An empty view where there is none.
View OutputOf(const Graph& graph, NodeId producer) {
  const Access* output =
      graph.FindAccess(producer, Role::kOutput, AccessMode::kWrite);
  return output == nullptr ? View{} : output->view;
}

// By node of the rewritten graph.
std::vector<CUgraphNode> HandlesNow(const std::vector<CUgraphNode>& handles,
                                    const Rewritten& rewritten) {
  std::vector<CUgraphNode> now;
  now.reserve(rewritten.origin.size());
  for (NodeId captured : rewritten.origin) {
    now.push_back(handles[captured.value]);
  }
  return now;
}

}  // namespace

GraphPreparer::GraphPreparer(const Driver& driver, PrepareOptions options)
    : driver_(&driver), options_(std::move(options)) {
  if (!options_.functions) options_.functions = OwnFunctions(driver);
  if (!options_.probe) options_.probe = std::make_shared<EmissionProbe>(driver);
}

PreparedGraph GraphPreparer::Prepare(CUgraph original,
                                     const Allocation& arena) const {
  PreparedGraph prepared;
  Outcome& outcome = prepared.outcome;
  // A new importer each time: kernels may have been unloaded since.
  absl::StatusOr<ImportedGraph> captured = [&] {
    const NvtxRange range(Phase::kImport);
    return GraphImporter(*driver_).Import(original);
  }();
  if (!captured.ok()) {
    outcome.declined = captured.status();
    return prepared;
  }
  Annotate(options_.packs, captured->graph);
  outcome.captured = CountGraph(captured->graph);
  outcome.declined = Rewrite(original, arena, *captured, prepared);
  outcome.rewritten = static_cast<bool>(prepared.rewritten);
  if (outcome.rewritten) {
    prepared.captured =
        std::make_unique<const Graph>(std::move(captured->graph));
  } else {
    outcome.running = outcome.captured;
  }
  return prepared;
}

// Also marks the kernels that were tried and left other bytes.
std::vector<MissingKernel> GraphPreparer::FindMissing(
    ImportedGraph& captured) const {
  Graph& graph = captured.graph;
  const QuantizersBySource quantizers = QuantizersOf(graph);
  std::vector<MissingKernel> missing;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    if (graph.node(id).emitting == Node::kNoIndex) continue;
    EmittingKernel kernel = graph.emitting_kernel(id);
    const auto function =
        options_.functions(kernel.symbol, graph.launch(id).shared_bytes);
    if (!function.ok()) {
      missing.push_back({id, function.status()});
      continue;
    }
    const auto quantizer = quantizers.find(OutputOf(graph, id));
    if (!kernel.probe || quantizer == quantizers.end()) continue;
    const absl::Status tried =
        options_.probe->Try(captured, id, quantizer->second, *function);
    if (tried.ok()) continue;
    missing.push_back({id, tried});
    kernel.refuted = true;
    graph.mutable_node(id).emitting =
        graph.AddEmittingKernel(std::move(kernel));
  }
  return missing;
}

// Sets the plan, and the rewritten graph unless there is nothing to do.
absl::Status GraphPreparer::Rewrite(CUgraph original, const Allocation& arena,
                                    ImportedGraph& captured,
                                    PreparedGraph& prepared) const {
  Outcome& outcome = prepared.outcome;
  outcome.missing = FindMissing(captured);
  PlanOptions plan_options = options_.plan;
  for (const MissingKernel& missing : outcome.missing) {
    plan_options.claimed_producers.push_back(missing.producer);
  }
  absl::StatusOr<Plan> plan = [&] {
    const NvtxRange range(Phase::kPlan);
    return MakePlan(captured.graph, plan_options);
  }();
  if (!plan.ok()) return plan.status();
  outcome.plan = *std::move(plan);
  if (outcome.plan.empty()) return absl::OkStatus();

  const absl::Status rewritable = CheckRewritable(*driver_, captured);
  if (!rewritable.ok()) return rewritable;

  Allocation images = arena;
  std::optional<DeviceArena> larger;
  if (outcome.plan.arena.bytes > arena.bytes) {
    absl::StatusOr<DeviceArena> created =
        DeviceArena::Create(*driver_, outcome.plan.arena.bytes);
    if (!created.ok()) return created.status();
    images = created->allocation();
    larger = *std::move(created);
  }
  NvtxRange range(Phase::kEmit);
  reprise::Rewritten rewritten =
      reprise::Rewrite(captured.graph, outcome.plan, images.address);
  absl::StatusOr<EmittedGraph> emitted =
      EmitClone(*driver_, original,
                {captured, outcome.plan, rewritten, options_.functions});
  if (!emitted.ok()) return emitted.status();
  outcome.running = CountGraph(rewritten.graph);
  range.MarkNodes(outcome.captured.nodes, outcome.running.nodes);
  std::vector<CUgraphNode> handles = HandlesNow(emitted->handles, rewritten);
  absl::StatusOr<Program> program =
      ProgramOf(*driver_, std::move(rewritten.graph), std::move(handles));
  if (!program.ok()) return program.status();
  prepared.program = *std::move(program);
  prepared.arena = std::move(larger);
  prepared.rewritten = std::move(emitted->graph);
  return absl::OkStatus();
}

}  // namespace reprise
