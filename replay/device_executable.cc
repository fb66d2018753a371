#include "replay/device_executable.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "replay/graph_exec.h"

namespace reprise {
namespace {

absl::Status NothingToLaunch() {
  return absl::FailedPreconditionError(
      "nothing to launch: the last update of the executable failed");
}

}  // namespace

absl::StatusOr<DeviceExecutable> DeviceExecutable::Create(
    const Driver& driver, GraphHandle captured, DeviceOptions options) {
  const std::uint64_t flags = options.instantiate_flags;
  DeviceExecutable executable(
      driver,
      RewrittenExecutable::Create(driver, captured.get(), std::move(options)),
      flags);
  const absl::Status status = executable.Adopt(std::move(captured));
  if (!status.ok()) return status;
  return executable;
}

absl::Status DeviceExecutable::Launch(CUstream stream) {
  if (!original_) return NothingToLaunch();
  if (rewritten_.runs()) return rewritten_.Launch(stream);
  last_original_.Set(stream);
  return LaunchOriginal(stream);
}

absl::Status DeviceExecutable::LaunchOriginal(CUstream stream) {
  if (!original_) return NothingToLaunch();
  if (!original_exec_) {
    absl::Status status = InstantiateOriginal();
    if (!status.ok()) return status;
  }
  return CudaStatus(*driver_,
                    driver_->GraphLaunch(original_exec_.get(), stream),
                    "launch the original graph");
}

absl::Status DeviceExecutable::Upload(CUstream stream) {
  if (!original_) return NothingToLaunch();
  if (rewritten_.runs()) return rewritten_.Upload(stream);
  return CudaStatus(*driver_,
                    driver_->GraphUpload(original_exec_.get(), stream),
                    "upload the original graph");
}

absl::StatusOr<UpdateResult> DeviceExecutable::Update(GraphHandle recaptured) {
  const bool original_ran = original_ && !rewritten_.runs();
  const UpdateResult result = rewritten_.Update(recaptured.get());
  rebuilt_because_ = rewritten_.rebuilt_because();
  if (original_ran && !rewritten_.runs()) {
    rebuilt_because_ =
        UpdateExec(*driver_, original_exec_.get(), recaptured.get(), nullptr);
    if (rebuilt_because_.ok()) {
      original_ = std::move(recaptured);
      return UpdateResult::kUpdated;
    }
  }
  original_ = GraphHandle();
  original_exec_ = GraphExecHandle();
  const absl::Status status = Adopt(std::move(recaptured));
  if (!status.ok()) return status;
  return result;
}

absl::Status DeviceExecutable::Adopt(GraphHandle original) {
  // What runs now is not ordered after launches of what ran before.
  absl::Status status = last_original_.Wait();
  if (!rewritten_.runs() && status.ok()) status = rewritten_.Wait();
  if (!status.ok()) return status;
  original_ = std::move(original);
  if (rewritten_.runs()) return absl::OkStatus();
  status = InstantiateOriginal();
  if (status.ok()) return status;
  original_ = GraphHandle();
  const absl::Status& declined = outcome().declined;
  if (declined.ok()) return status;
  return absl::Status(
      status.code(), absl::StrCat(status.message(), "; not rewritten because: ",
                                  declined.message()));
}

absl::Status DeviceExecutable::InstantiateOriginal() {
  absl::StatusOr<GraphExecHandle> exec =
      Instantiate(*driver_, original_.get(), instantiate_flags_, nullptr);
  if (exec.ok()) original_exec_ = *std::move(exec);
  return exec.status();
}

}  // namespace reprise
