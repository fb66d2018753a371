#include "inject/program_exec.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "inject/context_scope.h"
#include "inject/outcome_counts.h"

namespace reprise {

ProgramExec::ProgramExec(const Driver& driver, CUcontext context, CUgraph graph,
                         const DeviceOptions& options, const Settings& settings)
    : driver_(driver),
      context_(context),
      rewritten_(std::make_unique<RewrittenExecutable>(
          RewrittenExecutable::Create(driver, graph, options))),
      verify_left_(settings.verify_launches) {
  const absl::MutexLock lock(&mutex_);
  const absl::Status device = CheckDevice();
  if (!device.ok()) rewritten_->Drop(device);
  counts_ = CountOutcome(rewritten_->outcome());
}

ProgramExec::~ProgramExec() {
  const absl::MutexLock lock(&mutex_);
  if (rewritten_ == nullptr) return;
  const ContextScope scope(driver_, context_);
  rewritten_.reset();
}

CUresult ProgramExec::Launch(CUstream stream,
                             absl::FunctionRef<CUresult()> original) {
  const absl::MutexLock lock(&mutex_);
  if (MayLaunch(stream)) {
    const absl::Status launched = rewritten_->Launch(stream);
    if (launched.ok()) {
      ++counts_.rewritten_launches;
      return CUDA_SUCCESS;
    }
    DropNow(launched.message());
  }
  ++counts_.original_launches;
  return original();
}

bool ProgramExec::Runs() const {
  return rewritten_ != nullptr && rewritten_->runs();
}

bool ProgramExec::MayLaunch(CUstream stream) {
  if (!Runs()) return false;
  // What a capture records outlives this executable's arena.
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = driver_.StreamIsCapturing(stream, &capture);
  if (asked == CUDA_SUCCESS && capture == CU_STREAM_CAPTURE_STATUS_NONE) {
    return true;
  }
  ++counts_.fallbacks["launched into a capture"];
  return false;
}

void ProgramExec::Upload(CUstream stream) {
  const absl::MutexLock lock(&mutex_);
  // Only for speed: the launch says what is wrong.
  if (Runs()) rewritten_->Upload(stream).IgnoreError();
}

void ProgramExec::Update(CUgraph graph) {
  const absl::MutexLock lock(&mutex_);
  if (given_up_ || rewritten_ == nullptr) return;
  const ContextScope scope(driver_, context_);
  Count(rewritten_->Update(graph));
}

void ProgramExec::SetKernelParams(CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS& params) {
  const absl::MutexLock lock(&mutex_);
  if (!Runs()) return;
  const ContextScope scope(driver_, context_);
  Count(rewritten_->SetKernelParams(node, params));
}

void ProgramExec::DropUntilUpdate(absl::string_view why) {
  const absl::MutexLock lock(&mutex_);
  DropNow(why);
}

void ProgramExec::GiveUp(absl::string_view why) {
  const absl::MutexLock lock(&mutex_);
  given_up_ = true;
  DropNow(why);
}

void ProgramExec::StreamEnds(CUstream stream) {
  const absl::MutexLock lock(&mutex_);
  if (rewritten_ == nullptr) return;
  const ContextScope scope(driver_, context_);
  rewritten_->LeaveStream(stream).IgnoreError();
}

void ProgramExec::Abandon() {
  const absl::MutexLock lock(&mutex_);
  rewritten_.release();
}

bool ProgramExec::runs() const {
  const absl::MutexLock lock(&mutex_);
  return Runs();
}

bool ProgramExec::Ended() const {
  const absl::MutexLock lock(&mutex_);
  if (rewritten_ == nullptr) return true;
  const ContextScope scope(driver_, context_);
  return rewritten_->Ended();
}

std::uint64_t ProgramExec::arena_bytes() const {
  const absl::MutexLock lock(&mutex_);
  return Runs() ? rewritten_->arena().bytes : 0;
}

RunCounts ProgramExec::counts() const {
  const absl::MutexLock lock(&mutex_);
  return counts_;
}

void ProgramExec::DropNow(absl::string_view why) {
  if (!Runs()) return;
  ++counts_.fallbacks[std::string(why)];
  const ContextScope scope(driver_, context_);
  rewritten_->Drop(absl::AbortedError(why));
}

void ProgramExec::Count(UpdateResult result) {
  if (!rewritten_->runs()) {
    ++counts_.fallbacks[std::string(rewritten_->outcome().declined.message())];
    return;
  }
  switch (result) {
    case UpdateResult::kUnchanged:
      ++counts_.unchanged;
      break;
    case UpdateResult::kPatched:
      ++counts_.patched;
      break;
    case UpdateResult::kUpdated:
      ++counts_.updated;
      break;
    case UpdateResult::kRebuilt:
      ++counts_.rebuilt;
      break;
  }
}

absl::Status ProgramExec::CheckDevice() {
  CUresult result = driver_.CtxGetDevice(&device_);
  if (!Runs()) return absl::OkStatus();
  for (const Allocation& memory : rewritten_->captured()->allocations()) {
    int owner = device_;
    if (result == CUDA_SUCCESS) {
      result = driver_.PointerGetAttribute(
          &owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory.address);
    }
    if (result != CUDA_SUCCESS) break;
    if (owner != device_) {
      return absl::UnimplementedError(
          absl::StrCat("the graph uses memory of device ", owner, ", and ",
                       device_, " is current"));
    }
  }
  return CudaStatus(driver_, result, "find the graph's device");
}

}  // namespace reprise
