// One executable of the program, and the rewritten one beside it.
//
// Threads  any; calls follow one after the other.
#ifndef REPRISE_INJECT_PROGRAM_EXEC_H_
#define REPRISE_INJECT_PROGRAM_EXEC_H_

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "driver/driver.h"
#include "inject/program_counts.h"
#include "inject/settings.h"
#include "replay/device_verifier.h"
#include "replay/rewritten_executable.h"

namespace reprise {

class ProgramExec {
 public:
  // What an update made anew, by the driver or by instantiating, has to be
  // launched about this often before the rewrite has gained what that cost: 4
  // us a node, where a launch gains some 5 % of 3 us (benchmarks/README.md).
  // Patches cost less than a launch takes, and may well hide behind it.
  static constexpr std::int64_t kLaunchesForAnUpdate = 32;
  // Where it never is, the rewrite is given up after so many such updates.
  static constexpr std::int64_t kUpdatesOnTrust = 64;

  // Of `graph`, which the program has just instantiated: reads it, and changes
  // nothing of it. REQUIRES: the table outlives the object.
  ProgramExec(const Driver& driver, CUcontext context, CUgraph graph,
              const DeviceOptions& options, const Settings& settings);
  ~ProgramExec();

  // Launches the rewritten executable, or `original`.
  CUresult Launch(CUstream stream, absl::FunctionRef<CUresult()> original);
  void Upload(CUstream stream);

  // Follow what the program did to its own executable. Parameters that are set
  // in a row are planned with together, before the next launch or upload.
  void Update(CUgraph graph);
  void SetKernelParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params);

  // Parameters were set and nothing was made of them yet; any thread may ask.
  bool unsettled() const { return unsettled_.load(std::memory_order_acquire); }
  void Settle();

  // Code is about to be unloaded: handles of its functions may come again.
  void ForgetFunctions();

  // Its context ended, and all that was in it: nothing of it is used again, nor
  // given back.
  void Abandon();

  // Only the original runs: until an update says again what it is, or for good.
  void DropUntilUpdate(absl::string_view why);
  void GiveUp(absl::string_view why);
  void StreamEnds(CUstream stream);

  CUcontext context() const { return context_; }
  CUdevice device() const { return device_; }
  bool runs() const;
  // Whether nothing of it runs on the device any more.
  bool Ended() const;
  std::uint64_t arena_bytes() const;
  ProgramCounts counts() const;

 private:
  bool Runs() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SettleNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayLaunch(CUstream stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Nothing where it could not be launched.
  std::optional<CUresult> RewrittenLaunch(CUstream stream)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Launches both from the same bytes and compares what they leave; nothing
  // where that could not be begun.
  std::optional<CUresult> VerifiedLaunch(CUstream stream,
                                         absl::FunctionRef<CUresult()> original)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Count(UpdateResult result) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What following costs must not outgrow what launches gain.
  void Pay(UpdateResult result) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveUpNow(absl::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropNow(absl::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the memory of the graph is that of the current device, which it
  // notes.
  absl::Status CheckDevice() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Driver& driver_;
  const CUcontext context_;
  CUdevice device_ = 0;
  std::atomic<bool> unsettled_ = false;
  mutable absl::Mutex mutex_;
  // Null once it was abandoned.
  std::unique_ptr<RewrittenExecutable> rewritten_ ABSL_GUARDED_BY(mutex_);
  bool given_up_ ABSL_GUARDED_BY(mutex_) = false;
  // Launches that are still to spend on updates.
  std::int64_t credit_ ABSL_GUARDED_BY(mutex_) =
      kLaunchesForAnUpdate * kUpdatesOnTrust;
  std::uint64_t verify_left_ ABSL_GUARDED_BY(mutex_);
  // Of what the graph is now.
  std::optional<DeviceVerifier> verifier_ ABSL_GUARDED_BY(mutex_);
  ProgramCounts counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace reprise

#endif  // REPRISE_INJECT_PROGRAM_EXEC_H_
