#include "replay/rewritten_executable.h"

#include <utility>

#include "driver/cuda_status.h"
#include "replay/nvtx_range.h"

namespace reprise {

RewrittenExecutable RewrittenExecutable::Create(const Driver& driver,
                                                CUgraph original,
                                                DeviceOptions options) {
  RewrittenExecutable executable(driver, std::move(options));
  executable.Instantiate(executable.preparer_.Prepare(original, Allocation()));
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
  PreparedGraph prepared = preparer_.Prepare(recaptured, arena_.allocation());
  if (running_ && prepared.rewritten) {
    absl::StatusOr<UpdateResult> result = running_->Update(
        prepared.rewritten.get(), *std::move(prepared.program));
    // Running launches still use the arena that a larger one replaces.
    if (result.ok() && prepared.arena) {
      const absl::Status waited = last_launch_.Wait();
      if (!waited.ok()) result = waited;
    }
    rebuilt_because_ = result.status();
    if (result.ok()) {
      Adopt(std::move(prepared));
      return *result;
    }
  } else {
    rebuilt_because_ = absl::FailedPreconditionError(
        running_ ? "the capture is not rewritten any more"
                 : "no rewritten graph ran");
  }
  Instantiate(std::move(prepared));
  return UpdateResult::kRebuilt;
}

UpdateResult RewrittenExecutable::SetKernelParams(
    CUgraphNode, const CUDA_KERNEL_NODE_PARAMS&) {
  Drop(absl::UnimplementedError("the program sets the launch of a node"));
  return UpdateResult::kRebuilt;
}

void RewrittenExecutable::Drop(absl::Status why) {
  const absl::Status waited = last_launch_.Wait();
  running_.reset();
  captured_.reset();
  if (waited.ok()) arena_ = DeviceArena();
  outcome_.rewritten = false;
  outcome_.declined = std::move(why);
  outcome_.running = outcome_.captured;
}

void RewrittenExecutable::Instantiate(PreparedGraph prepared) {
  const NvtxRange range(Phase::kInstantiate);
  // What is instantiated anew is not ordered after launches of what ran before,
  // and would share the arena with them.
  absl::Status status = last_launch_.Wait();
  running_.reset();
  Outcome& outcome = prepared.outcome;
  if (status.ok() && prepared.rewritten) {
    absl::StatusOr<GraphInstance> instance =
        GraphInstance::Create(*driver_, std::move(prepared.rewritten),
                              *std::move(prepared.program), instantiate_flags_);
    if (instance.ok()) running_ = *std::move(instance);
    status = instance.status();
  }
  if (!status.ok()) {
    outcome.rewritten = false;
    outcome.declined = status;
    outcome.running = outcome.captured;
    prepared.captured.reset();
  }
  Adopt(std::move(prepared));
}

void RewrittenExecutable::Adopt(PreparedGraph prepared) {
  outcome_ = std::move(prepared.outcome);
  captured_ = std::move(prepared.captured);
  if (outcome_.rewritten && prepared.arena) {
    arena_ = *std::move(prepared.arena);
  }
}

}  // namespace reprise
