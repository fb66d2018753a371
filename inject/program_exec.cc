#include "inject/program_exec.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"
#include "inject/context_scope.h"
#include "inject/outcome_counts.h"

namespace reprise {
namespace {

// The driver's, unless memory could not be brought back to what the original
// leaves: an error then is better than other bytes.
CUresult AnswerOf(const Verification& verification, CUresult original) {
  if (original != CUDA_SUCCESS || verification.step.ok()) return original;
  return CUDA_ERROR_UNKNOWN;
}

}  // namespace

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
  SettleNow();
  if (MayLaunch(stream)) {
    const std::optional<CUresult> launched =
        verify_left_ > 0 ? VerifiedLaunch(stream, original)
                         : RewrittenLaunch(stream);
    if (launched) return *launched;
  }
  ++counts_.original_launches;
  return original();
}

std::optional<CUresult> ProgramExec::RewrittenLaunch(CUstream stream) {
  const absl::Status launched = rewritten_->Launch(stream);
  if (!launched.ok()) {
    DropNow(launched.message());
    return std::nullopt;
  }
  ++counts_.rewritten_launches;
  ++credit_;
  return CUDA_SUCCESS;
}

std::optional<CUresult> ProgramExec::VerifiedLaunch(
    CUstream stream, absl::FunctionRef<CUresult()> original) {
  const ContextScope scope(driver_, context_);
  const RelaxedCapture relaxed(driver_);
  if (!verifier_) {
    absl::StatusOr<DeviceVerifier> created =
        DeviceVerifier::Create(driver_, *rewritten_->captured(),
                               DroppingProducers(rewritten_->outcome().plan));
    if (!created.ok()) {
      GiveUpNow(
          absl::StrCat("cannot be verified: ", created.status().message()));
      return std::nullopt;
    }
    verifier_ = *std::move(created);
  }
  CUresult answer = CUDA_SUCCESS;
  const auto launch_original = [&](CUstream) {
    answer = original();
    return CudaStatus(driver_, answer, "launch the program's graph");
  };
  const auto launch_rewritten = [&](CUstream on) {
    return rewritten_->Launch(on);
  };
  const Verification verification = verifier_->Run(
      {launch_original, launch_rewritten, rewritten_->arena()}, stream);
  if (!verification.difference.ok()) {
    GiveUpNow(absl::StrCat("cannot be verified: ",
                           verification.difference.status().message()));
    ++counts_.original_launches;
    return AnswerOf(verification, answer);
  }
  ++counts_.verified_launches;
  if (--verify_left_ == 0) verifier_.reset();
  if (!verification.difference->has_value()) {
    ++counts_.rewritten_launches;
    return answer;
  }
  ++counts_.differing_launches;
  ++counts_.original_launches;
  GiveUpNow(ToText(*rewritten_->captured(), **verification.difference));
  return AnswerOf(verification, answer);
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
  SettleNow();
  // Only for speed: the launch says what is wrong.
  if (Runs()) rewritten_->Upload(stream).IgnoreError();
}

void ProgramExec::Update(CUgraph graph) {
  const absl::MutexLock lock(&mutex_);
  if (given_up_ || rewritten_ == nullptr) return;
  const ContextScope scope(driver_, context_);
  verifier_.reset();
  unsettled_ = false;
  Count(rewritten_->Update(graph));
}

void ProgramExec::SetKernelParams(CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS& params) {
  const absl::MutexLock lock(&mutex_);
  if (!Runs()) return;
  const ContextScope scope(driver_, context_);
  verifier_.reset();
  rewritten_->SetKernelParams(node, params);
  unsettled_ = rewritten_->unsettled();
  if (!rewritten_->runs()) Count(UpdateResult::kRebuilt);
}

void ProgramExec::Settle() {
  const absl::MutexLock lock(&mutex_);
  SettleNow();
}

void ProgramExec::SettleNow() {
  if (!unsettled_) return;
  unsettled_ = false;
  if (!Runs() || !rewritten_->unsettled()) return;
  const ContextScope scope(driver_, context_);
  const RelaxedCapture relaxed(driver_);
  Count(rewritten_->Settle());
}

void ProgramExec::ForgetFunctions() {
  const absl::MutexLock lock(&mutex_);
  if (Runs()) rewritten_->ForgetFunctions();
}

void ProgramExec::DropUntilUpdate(absl::string_view why) {
  const absl::MutexLock lock(&mutex_);
  DropNow(why);
}

void ProgramExec::GiveUp(absl::string_view why) {
  const absl::MutexLock lock(&mutex_);
  GiveUpNow(why);
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

ProgramCounts ProgramExec::counts() const {
  const absl::MutexLock lock(&mutex_);
  return counts_;
}

void ProgramExec::GiveUpNow(absl::string_view why) {
  given_up_ = true;
  DropNow(why);
}

void ProgramExec::DropNow(absl::string_view why) {
  verifier_.reset();
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
  CountUpdate(result, counts_);
  Pay(result);
}

void ProgramExec::Pay(UpdateResult result) {
  if (result != UpdateResult::kUpdated && result != UpdateResult::kRebuilt) {
    return;
  }
  credit_ -= kLaunchesForAnUpdate;
  if (credit_ < 0) GiveUpNow("updated too often for what a launch gains");
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
