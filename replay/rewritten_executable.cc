#include "replay/rewritten_executable.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "capture/graph_listing.h"
#include "capture/reimport_graph.h"
#include "driver/cuda_status.h"
#include "replay/changed_launches.h"
#include "replay/nvtx_range.h"
#include "replay/rewritable.h"

namespace reprise {
namespace {

absl::Status CannotFollow(absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("the program set ", what,
                   " to what no patch of the rewritten graph can follow"));
}

}  // namespace

RewrittenExecutable RewrittenExecutable::Create(const Driver& driver,
                                                CUgraph original,
                                                DeviceOptions options) {
  RewrittenExecutable executable(driver, std::move(options));
  executable.Update(original);
  executable.rebuilt_because_ = absl::OkStatus();
  return executable;
}

RewrittenExecutable::RewrittenExecutable(const Driver& driver,
                                         DeviceOptions options)
    : driver_(&driver),
      instantiate_flags_(options.instantiate_flags),
      preparer_(driver, std::move(options.prepare)),
      last_launch_(driver) {}

RewrittenExecutable::~RewrittenExecutable() {
  if (!last_launch_.Wait().ok()) arena_.Abandon();
}

absl::Status RewrittenExecutable::Launch(CUstream stream) {
  const CUresult result = driver_->GraphLaunch(running_->exec(), stream);
  last_launch_.Set(stream);
  return CudaStatus(*driver_, result, "launch the graph");
}

absl::Status RewrittenExecutable::Upload(CUstream stream) {
  return CudaStatus(*driver_, driver_->GraphUpload(running_->exec(), stream),
                    "upload the graph");
}

UpdateResult RewrittenExecutable::Update(CUgraph recaptured) {
  const NvtxRange range(Phase::kUpdate);
  rebuilt_because_ = absl::OkStatus();
  absl::StatusOr<Changed> changed = Read(recaptured);
  if (!changed.ok()) {
    Outcome outcome;
    outcome.declined = changed.status();
    Stop(std::move(outcome));
    return UpdateResult::kRebuilt;
  }
  if (*changed && (*changed)->empty()) return UpdateResult::kUnchanged;
  if (const auto followed = Follow(*changed)) return *followed;
  Outcome outcome = preparer_.Decide(*captured_);
  if (const auto patched = Patch(outcome, *changed)) return *patched;
  return Emit(recaptured, std::move(outcome));
}

absl::StatusOr<RewrittenExecutable::Changed> RewrittenExecutable::Read(
    CUgraph graph) {
  ids_.clear();
  if (running_) {
    absl::StatusOr<Changed> changed = ReadAgain(graph);
    if (changed.ok() && *changed &&
        CheckRewritable(*driver_, *captured_).ok()) {
      return changed;
    }
  }
  set_.reset();
  absl::StatusOr<ImportedGraph> imported = preparer_.Import(graph);
  if (!imported.ok()) return imported.status();
  captured_ = std::make_unique<ImportedGraph>(*std::move(imported));
  return std::nullopt;
}

absl::StatusOr<RewrittenExecutable::Changed> RewrittenExecutable::ReadAgain(
    CUgraph graph) {
  const NvtxRange range(Phase::kImport);
  const absl::StatusOr<Changed> set = TakeSet();
  if (!set.ok() || !*set) return set;
  absl::StatusOr<Changed> changed = Reimport(*driver_, graph, *captured_);
  if (!changed.ok() || !*changed) return changed;
  std::vector<NodeId> both;
  absl::c_set_union(**set, **changed, std::back_inserter(both));
  preparer_.Annotate(both, *captured_);
  return both;
}

absl::StatusOr<RewrittenExecutable::Changed> RewrittenExecutable::TakeSet() {
  if (!unsettled()) return std::vector<NodeId>();
  const std::unique_ptr<LaunchReader> reader = std::move(set_);
  const absl::StatusOr<bool> same = reader->Finish();
  if (!same.ok()) return same.status();
  if (!*same) return std::nullopt;
  return reader->TakeChanged();
}

void RewrittenExecutable::SetKernelParams(
    CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params) {
  if (!running_) return;
  const NvtxRange range(Phase::kUpdate);
  const NodeId id = Find(node);
  if (!id.valid()) {
    return Drop(absl::InvalidArgumentError(
        "the program set a node that is no kernel of the captured graph"));
  }
  if (!unsettled()) {
    set_ = std::make_unique<LaunchReader>(*driver_, *captured_);
  }
  const absl::StatusOr<bool> follows = set_->Read(id, params);
  if (!follows.ok()) {
    return Drop(AtNode(id.value, NameOf(NodeKind::kKernel), follows.status()));
  }
  if (!*follows) Drop(CannotFollow(Named(captured_->graph, id)));
}

UpdateResult RewrittenExecutable::Settle() {
  if (!running_) return UpdateResult::kRebuilt;
  const NvtxRange range(Phase::kUpdate);
  const absl::StatusOr<Changed> changed = TakeSet();
  if (!changed.ok()) {
    Drop(changed.status());
    return UpdateResult::kRebuilt;
  }
  if (*changed) {
    if ((*changed)->empty()) return UpdateResult::kUnchanged;
    preparer_.Annotate(**changed, *captured_);
    if (const auto followed = Follow(*changed)) return *followed;
    Outcome outcome = preparer_.Decide(*captured_);
    if (const auto patched = Patch(outcome, *changed)) return *patched;
  }
  Drop(CannotFollow(*changed && (*changed)->size() == 1
                        ? Named(captured_->graph, (*changed)->front())
                        : "several nodes"));
  return UpdateResult::kRebuilt;
}

NodeId RewrittenExecutable::Find(CUgraphNode handle) {
  if (ids_.empty()) {
    for (std::uint32_t n = 0; n < captured_->handles.size(); ++n) {
      ids_.emplace(captured_->handles[n], NodeId{n});
    }
  }
  const auto found = ids_.find(handle);
  const bool kernel =
      found != ids_.end() &&
      captured_->graph.node(found->second).kind == NodeKind::kKernel;
  return kernel ? found->second : NodeId{};
}

std::optional<UpdateResult> RewrittenExecutable::Follow(
    const Changed& changed) {
  if (!running_ || !basis_ || !changed) return std::nullopt;
  std::optional<UpdateResult> result;
  if (basis_->Follow(*changed, *captured_)) result = PatchNodes(*changed);
  if (!result) basis_.reset();
  return result;
}

std::optional<UpdateResult> RewrittenExecutable::Patch(Outcome& outcome,
                                                       const Changed& changed) {
  const Plan& plan = outcome.plan;
  if (!running_ || plan.empty() || plan.arena.bytes > arena().bytes) {
    return std::nullopt;
  }
  std::optional<UpdateResult> result;
  basis_.reset();
  if (changed && plan == outcome_.plan) {
    result = PatchNodes(*changed);
    if (result && outcome.settled) {
      basis_.emplace(preparer_.BasisOf(*captured_));
    }
  } else {
    absl::StatusOr<Program> program =
        preparer_.Rewrite(*captured_, plan, arena());
    if (program.ok() &&
        SameShape(running_->program().graph(), program->graph())) {
      result = running_->Patch(*std::move(program));
    }
  }
  if (result) Adopt(std::move(outcome), std::nullopt);
  return result;
}

std::optional<UpdateResult> RewrittenExecutable::PatchNodes(
    const std::vector<NodeId>& changed) {
  UpdateResult result = UpdateResult::kUnchanged;
  const Program& program = running_->program();
  NodeLaunch launch;
  for (const NodeId captured : changed) {
    const NodeId now = program.rewritten.now[captured.value];
    if (!now.valid()) continue;
    if (!TranslateLaunch(*captured_, captured, program, now, arena(), launch)) {
      return std::nullopt;
    }
    if (launch.launch == program.graph().launch(now) &&
        launch.code == program.code[now.value]) {
      continue;
    }
    if (!running_->Set(now, launch).ok()) return std::nullopt;
    result = UpdateResult::kPatched;
  }
  return result;
}

UpdateResult RewrittenExecutable::Emit(CUgraph original, Outcome outcome) {
  basis_.reset();
  if (outcome.plan.empty()) {
    rebuilt_because_ =
        absl::FailedPreconditionError("there is nothing to rewrite");
    Stop(std::move(outcome));
    return UpdateResult::kRebuilt;
  }
  absl::StatusOr<EmittedGraph> emitted =
      preparer_.Emit(original, *captured_, outcome.plan, arena());
  absl::Status status = emitted.status();
  if (status.ok()) {
    rebuilt_because_ = Update(*emitted);
    if (!rebuilt_because_.ok()) status = Instantiate(*emitted);
  }
  if (status.ok()) {
    Adopt(std::move(outcome), std::move(emitted->arena));
    return rebuilt_because_.ok() ? UpdateResult::kUpdated
                                 : UpdateResult::kRebuilt;
  }
  rebuilt_because_ = status;
  outcome.declined = status;
  Stop(std::move(outcome));
  return UpdateResult::kRebuilt;
}

absl::Status RewrittenExecutable::Update(EmittedGraph& emitted) {
  if (!running_) {
    return absl::FailedPreconditionError("no rewritten graph ran");
  }
  if (!SameShape(running_->program().graph(), emitted.program.graph())) {
    return absl::FailedPreconditionError(
        "the rewritten graph has other nodes or edges");
  }
  // Running launches still use the arena that a larger one replaces.
  if (emitted.arena) {
    const absl::Status waited = last_launch_.Wait();
    if (!waited.ok()) return waited;
  }
  return running_->Update(emitted.graph.get(), std::move(emitted.program));
}

absl::Status RewrittenExecutable::Instantiate(EmittedGraph& emitted) {
  const NvtxRange range(Phase::kInstantiate);
  // What is instantiated anew is not ordered after launches of what ran before,
  // and would share the arena with them.
  const absl::Status waited = last_launch_.Wait();
  running_.reset();
  if (!waited.ok()) return waited;
  absl::StatusOr<GraphInstance> instance =
      GraphInstance::Create(*driver_, std::move(emitted.graph),
                            std::move(emitted.program), instantiate_flags_);
  if (instance.ok()) running_ = *std::move(instance);
  return instance.status();
}

void RewrittenExecutable::Adopt(Outcome outcome,
                                std::optional<DeviceArena> arena) {
  outcome_ = std::move(outcome);
  outcome_.rewritten = true;
  outcome_.running = CountGraph(running_->program().graph());
  if (arena) arena_ = *std::move(arena);
}

void RewrittenExecutable::Stop(Outcome outcome) {
  const absl::Status waited = running_ ? last_launch_.Wait() : absl::OkStatus();
  running_.reset();
  set_.reset();
  captured_.reset();
  basis_.reset();
  outcome_ = std::move(outcome);
  if (outcome_.declined.ok()) outcome_.declined = waited;
}

void RewrittenExecutable::Drop(absl::Status why) {
  Outcome outcome = std::move(outcome_);
  outcome.rewritten = false;
  outcome.declined = std::move(why);
  outcome.running = outcome.captured;
  Stop(std::move(outcome));
  if (last_launch_.Wait().ok()) arena_ = DeviceArena();
}

}  // namespace reprise
