#include "replay/device_executable.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "replay/graph_exec.h"
#include "replay/nvtx_range.h"

namespace reprise {
namespace {

absl::Status NothingToLaunch() {
  return absl::FailedPreconditionError(
      "nothing to launch: the last update of the executable failed");
}

}  // namespace

absl::StatusOr<DeviceExecutable> DeviceExecutable::Create(
    const Driver& driver, GraphHandle captured, DeviceOptions options) {
  DeviceExecutable executable(driver, std::move(options));
  PreparedGraph prepared =
      executable.preparer_.Prepare(captured.get(), Allocation());
  const absl::Status status =
      executable.Instantiate(std::move(captured), std::move(prepared));
  if (!status.ok()) return status;
  return executable;
}

DeviceExecutable::DeviceExecutable(const Driver& driver, DeviceOptions options)
    : driver_(&driver),
      instantiate_flags_(options.instantiate_flags),
      preparer_(driver, std::move(options.prepare)),
      last_launch_(driver) {}

absl::Status DeviceExecutable::Launch(CUstream stream) {
  if (!running_) return NothingToLaunch();
  last_launch_.Set(stream);
  return CudaStatus(*driver_, driver_->GraphLaunch(running_->exec(), stream),
                    "launch the graph");
}

absl::Status DeviceExecutable::LaunchOriginal(CUstream stream) {
  if (!original_) return Launch(stream);
  if (!original_exec_) {
    absl::StatusOr<GraphExecHandle> exec = reprise::Instantiate(
        *driver_, original_.get(), instantiate_flags_, nullptr);
    if (!exec.ok()) return exec.status();
    original_exec_ = *std::move(exec);
  }
  return CudaStatus(*driver_,
                    driver_->GraphLaunch(original_exec_.get(), stream),
                    "launch the original graph");
}

absl::Status DeviceExecutable::Upload(CUstream stream) {
  if (!running_) return NothingToLaunch();
  return CudaStatus(*driver_, driver_->GraphUpload(running_->exec(), stream),
                    "upload the graph");
}

absl::StatusOr<UpdateResult> DeviceExecutable::Update(GraphHandle recaptured) {
  const NvtxRange range(Phase::kUpdate);
  PreparedGraph prepared =
      preparer_.Prepare(recaptured.get(), arena_.allocation());
  rebuilt_because_ = running_ ? absl::OkStatus() : NothingToLaunch();
  if (running_) {
    const CUgraph graph =
        prepared.rewritten ? prepared.rewritten.get() : recaptured.get();
    absl::StatusOr<UpdateResult> result =
        running_->Update(graph, std::move(prepared.program));
    // Running launches still use the arena that a larger one replaces.
    if (result.ok() && prepared.arena) {
      const absl::Status waited = last_launch_.Wait();
      if (!waited.ok()) result = waited;
    }
    if (result.ok()) {
      Adopt(std::move(recaptured), std::move(prepared));
      return result;
    }
    rebuilt_because_ = result.status();
  }
  const absl::Status status =
      Instantiate(std::move(recaptured), std::move(prepared));
  if (!status.ok()) return status;
  return UpdateResult::kRebuilt;
}

absl::Status DeviceExecutable::Instantiate(GraphHandle original,
                                           PreparedGraph prepared) {
  const NvtxRange range(Phase::kInstantiate);
  // What is instantiated anew is not ordered after launches of what ran before,
  // and would share the arena with them.
  const absl::Status waited = last_launch_.Wait();
  running_.reset();
  original_exec_ = GraphExecHandle();
  original_ = GraphHandle();
  captured_.reset();
  if (!waited.ok()) return waited;
  Outcome& outcome = prepared.outcome;
  if (prepared.rewritten) {
    absl::StatusOr<GraphInstance> instance =
        GraphInstance::Create(*driver_, std::move(prepared.rewritten),
                              std::move(prepared.program), instantiate_flags_);
    if (instance.ok()) {
      running_ = *std::move(instance);
      Adopt(std::move(original), std::move(prepared));
      return absl::OkStatus();
    }
    outcome.rewritten = false;
    outcome.declined = instance.status();
    outcome.running = outcome.captured;
    prepared.program.reset();
  }
  absl::StatusOr<GraphInstance> instance =
      GraphInstance::Create(*driver_, std::move(original),
                            std::move(prepared.program), instantiate_flags_);
  if (!instance.ok()) {
    if (outcome.declined.ok()) return instance.status();
    return absl::Status(
        instance.status().code(),
        absl::StrCat(instance.status().message(),
                     "; not rewritten because: ", outcome.declined.message()));
  }
  running_ = *std::move(instance);
  Adopt(GraphHandle(), std::move(prepared));
  return absl::OkStatus();
}

void DeviceExecutable::Adopt(GraphHandle original, PreparedGraph prepared) {
  outcome_ = std::move(prepared.outcome);
  original_exec_ = GraphExecHandle();
  original_ = outcome_.rewritten ? std::move(original) : GraphHandle();
  captured_ = outcome_.rewritten ? std::move(prepared.captured) : nullptr;
  if (outcome_.rewritten && prepared.arena) {
    arena_ = *std::move(prepared.arena);
  }
}

}  // namespace reprise
