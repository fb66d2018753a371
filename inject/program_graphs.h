// The graphs of a program that was not written for Reprise, and a rewritten
// executable beside each of the program's own.
//
// The program's executable stays what it always was: the driver makes, updates,
// changes and destroys it as the program asks, and this class is told
// afterwards. What differs is which of the two a launch runs. Whenever a
// rewritten executable cannot follow, it is dropped, and launches run the
// original: the program cannot get an error, or a handle, that it would not
// have got without.
//
// Threads   any number at once. As with the driver itself, the program does not
//           use one executable on two threads at the same time.
// Captures  of other threads are not disturbed; a launch into a capture is the
//           original's.
// Streams   may be destroyed at any time after a launch.
#ifndef REPRISE_INJECT_PROGRAM_GRAPHS_H_
#define REPRISE_INJECT_PROGRAM_GRAPHS_H_

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "driver/driver.h"
#include "inject/program_counts.h"
#include "inject/program_exec.h"
#include "inject/settings.h"

namespace reprise {

class ProgramGraphs {
 public:
  // The settings' plan takes the place of that in `prepare`.
  // REQUIRES: the table, and the packs of `prepare`, outlive the object.
  ProgramGraphs(const Driver& driver, Settings settings,
                PrepareOptions prepare);

  // The driver instantiated `graph`.
  void Instantiated(CUgraphExec exec, CUgraph graph, std::uint64_t flags);
  // The driver updated the executable to `graph`, or refused.
  void Updated(CUgraphExec exec, CUgraph graph, CUresult result);
  // The driver set a kernel node's parameters, or refused.
  void KernelParamsSet(CUgraphExec exec, CUgraphNode node,
                       const CUDA_KERNEL_NODE_PARAMS& params, CUresult result);
  // The program changed the executable by another call.
  void Changed(CUgraphExec exec, absl::string_view call);
  // The program wants the next launch prepared.
  void Upload(CUgraphExec exec, CUstream stream);
  // Launches the rewritten executable, or `original`.
  CUresult Launch(CUgraphExec exec, CUstream stream,
                  absl::FunctionRef<CUresult()> original);
  // Before the driver does the same.
  void Destroyed(CUgraphExec exec);
  void StreamEnds(CUstream stream);
  // Before code is unloaded: what is known of a function holds no more.
  void CodeUnloads();
  // All memory of the context goes with it: what is known of it is forgotten.
  void ContextEnds(CUcontext context);
  // After a call that may have ended the device's primary context.
  void PrimaryContextReleased(CUdevice device);

  ProgramCounts counts() const;

 private:
  using Exec = std::shared_ptr<ProgramExec>;

  Exec Find(CUgraphExec exec) const;
  // Plans with the parameters that were set, and counts the time.
  void Settle(ProgramExec& record);
  // Takes the record away; its counts stay.
  Exec Take(CUgraphExec exec);
  // The retired ones as well.
  std::vector<Exec> All() const;
  // Frees what has ended of that which the program destroyed while it ran.
  void FreeEnded();
  // Counts a graph that is not even read.
  void LeaveAlone(absl::string_view why);
  void Forget(absl::FunctionRef<bool(const ProgramExec&)> gone);
  void WriteCaptureFile(CUgraph graph);
  void CountRecords() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Driver& driver_;
  const Settings settings_;
  PrepareOptions prepare_;

  // All records; none: a launch asks no further.
  std::atomic<std::size_t> followed_ = 0;
  std::atomic<std::uint64_t> nanoseconds_ = 0;
  std::atomic<int> captures_written_ = 0;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<CUgraphExec, Exec> execs_ ABSL_GUARDED_BY(mutex_);
  std::vector<Exec> retired_ ABSL_GUARDED_BY(mutex_);
  ProgramCounts ended_ ABSL_GUARDED_BY(mutex_);  // of all that is not in execs_
};

}  // namespace reprise

#endif  // REPRISE_INJECT_PROGRAM_GRAPHS_H_
