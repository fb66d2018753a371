#include "replay/loop.h"

#include "absl/strings/str_cat.h"
#include "capture/stream_capture.h"
#include "replay/nvtx_range.h"

namespace reprise {
namespace {

// In a row that may fail before the step is no longer captured.
constexpr int kCaptures = 2;

absl::Status NotVerified(const absl::Status& why) {
  return absl::Status(why.code(),
                      absl::StrCat("cannot be verified: ", why.message()));
}

}  // namespace

Loop::Loop(std::string name, LoopOptions options)
    : name_(std::move(name)),
      options_(std::move(options)),
      driver_(options_.driver) {}

const Outcome* Loop::outcome() const {
  return executable_ ? &executable_->outcome() : nullptr;
}

absl::Status Loop::RunStep(CUstream stream, Step step) {
  ++counts_.runs;
  if (recapture_ && failed_captures_ < kCaptures) {
    absl::Status stepped;
    const absl::Status captured = Capture(stream, step, stepped);
    if (!stepped.ok()) return stepped;
    recapture_ = !captured.ok();
    failed_captures_ = captured.ok() ? 0 : failed_captures_ + 1;
    if (!captured.ok()) {
      status_ =
          absl::Status(captured.code(),
                       absl::StrCat("loop '", name_,
                                    "' runs uncaptured: ", captured.message()));
    }
  }
  if (recapture_) {
    ++counts_.eager;
    return step();
  }
  return Replay(stream);
}

absl::Status Loop::Capture(CUstream stream, Step step, absl::Status& stepped) {
  if (driver_ == nullptr) {
    const absl::StatusOr<const Driver*> driver = LoadDriver();
    if (!driver.ok()) return driver.status();
    driver_ = *driver;
  }
  absl::StatusOr<GraphHandle> captured = [&] {
    const NvtxRange range(Phase::kCapture);
    return CaptureStream(*driver_, stream, [&] { return stepped = step(); });
  }();
  return captured.ok() ? Adopt(*std::move(captured)) : captured.status();
}

absl::Status Loop::Adopt(GraphHandle captured) {
  verifier_.reset();
  if (executable_) {
    const absl::StatusOr<UpdateResult> result =
        executable_->Update(std::move(captured));
    if (!result.ok()) return result.status();
    CountUpdate(*result, counts_);
  } else {
    absl::StatusOr<DeviceExecutable> executable = DeviceExecutable::Create(
        *driver_, std::move(captured), options_.executable);
    if (!executable.ok()) return executable.status();
    executable_ = *std::move(executable);
  }
  ++counts_.captures;
  replays_ = 0;
  keep_original_ = false;
  difference_.reset();
  const absl::Status& declined = executable_->outcome().declined;
  status_ = declined.ok() ? absl::OkStatus() : NotRewritten(declined);
  return absl::OkStatus();
}

absl::Status Loop::NotRewritten(const absl::Status& why) const {
  return absl::Status(
      why.code(),
      absl::StrCat("loop '", name_, "' is not rewritten: ", why.message()));
}

bool Loop::VerifiesNow() const {
  if (keep_original_ || !executable_->outcome().rewritten) return false;
  switch (options_.verify) {
    case VerifyMode::kOff:
      return false;
    case VerifyMode::kFirstReplay:
      return replays_ == 0;
    case VerifyMode::kEveryN:
      return options_.verify_every > 0 && replays_ % options_.verify_every == 0;
  }
  return false;
}

absl::Status Loop::Replay(CUstream stream) {
  const NvtxRange range(Phase::kReplay);
  const bool verifies = VerifiesNow();
  ++replays_;
  if (verifies) return VerifiedReplay(stream);
  if (keep_original_) {
    ++counts_.original;
    return executable_->LaunchOriginal(stream);
  }
  if (!executable_->outcome().rewritten) ++counts_.original;
  return executable_->Launch(stream);
}

absl::Status Loop::VerifiedReplay(CUstream stream) {
  if (!verifier_) {
    absl::StatusOr<DeviceVerifier> verifier =
        DeviceVerifier::Create(*driver_, *executable_->captured(),
                               DroppingProducers(executable_->outcome().plan));
    if (!verifier.ok()) {
      KeepOriginal(NotVerified(verifier.status()));
      ++counts_.original;
      return executable_->LaunchOriginal(stream);
    }
    verifier_ = *std::move(verifier);
  }
  const auto original = [&](CUstream on) {
    return executable_->LaunchOriginal(on);
  };
  const auto rewritten = [&](CUstream on) { return executable_->Launch(on); };
  const Verification verification =
      verifier_->Run({original, rewritten, executable_->arena()}, stream);
  if (!verification.difference.ok()) {
    ++counts_.original;
    KeepOriginal(NotVerified(verification.difference.status()));
    return verification.step;
  }
  ++counts_.verified;
  if (!verification.difference->has_value()) return verification.step;
  difference_ = **verification.difference;
  difference_->replay = static_cast<int>(replays_ - 1);
  KeepOriginal(
      absl::DataLossError(ToText(*executable_->captured(), *difference_)));
  return verification.step;
}

void Loop::KeepOriginal(const absl::Status& why) {
  keep_original_ = true;
  verifier_.reset();
  status_ = NotRewritten(why);
}

}  // namespace reprise
