#include "inject/program_graphs.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "capture/capture_file.h"
#include "capture/import_graph.h"
#include "capture/stream_capture.h"
#include "inject/dry_run.h"

namespace reprise {
namespace {

// Adds the time of a scope.
class Timed {
 public:
  explicit Timed(std::atomic<std::uint64_t>& nanoseconds)
      : nanoseconds_(nanoseconds) {}
  ~Timed() {
    const auto taken = std::chrono::steady_clock::now() - start_;
    nanoseconds_ +=
        std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  std::atomic<std::uint64_t>& nanoseconds_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace

ProgramGraphs::ProgramGraphs(const Driver& driver, Settings settings,
                             PrepareOptions prepare)
    : driver_(driver),
      settings_(std::move(settings)),
      prepare_(std::move(prepare)) {
  prepare_.plan = settings_.plan;
  // What one graph's kernels were seen to do holds for the next.
  if (prepare_.probe == nullptr) {
    prepare_.probe = std::make_shared<EmissionProbe>(driver);
  }
}

void ProgramGraphs::Instantiated(CUgraphExec exec, CUgraph graph,
                                 std::uint64_t flags) {
  const Timed timed(nanoseconds_);
  const RelaxedCapture relaxed(driver_);
  FreeEnded();
  // The driver may give a new executable the handle of one that ended unseen.
  Take(exec);
  if (!settings_.capture_directory.empty()) WriteCaptureFile(graph);
  CUcontext context = nullptr;
  if (driver_.CtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) {
    return LeaveAlone("no context is current");
  }
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) {
    return LeaveAlone("launched from the device");
  }
  if (settings_.dry_run) {
    const ProgramCounts planned = DryRun(driver_, graph, prepare_);
    const absl::MutexLock lock(&mutex_);
    ended_ += planned;
    return;
  }
  // The program's own has been uploaded; ours is when it asks for it.
  const DeviceOptions options = {
      prepare_, flags & ~std::uint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD}};
  auto record = std::make_shared<ProgramExec>(driver_, context, graph, options,
                                              settings_);
  const absl::MutexLock lock(&mutex_);
  if (!record->runs()) {
    ended_ += record->counts();
    return;
  }
  execs_[exec] = std::move(record);
  CountRecords();
}

void ProgramGraphs::Updated(CUgraphExec exec, CUgraph graph, CUresult result) {
  const Exec record = Find(exec);
  if (record == nullptr) return;
  const Timed timed(nanoseconds_);
  const RelaxedCapture relaxed(driver_);
  if (result != CUDA_SUCCESS) {
    return record->DropUntilUpdate("an update was refused");
  }
  record->Update(graph);
  const absl::MutexLock lock(&mutex_);
  CountRecords();
}

void ProgramGraphs::KernelParamsSet(CUgraphExec exec, CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS& params,
                                    CUresult result) {
  const Exec record = Find(exec);
  if (record == nullptr) return;
  const Timed timed(nanoseconds_);
  const RelaxedCapture relaxed(driver_);
  // A refused call leaves the node as it was.
  if (result == CUDA_SUCCESS) record->SetKernelParams(node, params);
}

void ProgramGraphs::Changed(CUgraphExec exec, absl::string_view call) {
  const Exec record = Find(exec);
  if (record == nullptr) return;
  const RelaxedCapture relaxed(driver_);
  record->GiveUp(absl::StrCat("changed by ", call));
}

void ProgramGraphs::Upload(CUgraphExec exec, CUstream stream) {
  const Exec record = Find(exec);
  if (record == nullptr) return;
  Settle(*record);
  record->Upload(stream);
}

CUresult ProgramGraphs::Launch(CUgraphExec exec, CUstream stream,
                               absl::FunctionRef<CUresult()> original) {
  const Exec record = Find(exec);
  if (record == nullptr) return original();
  Settle(*record);
  return record->Launch(stream, original);
}

void ProgramGraphs::Settle(ProgramExec& record) {
  if (!record.unsettled()) return;
  const Timed timed(nanoseconds_);
  record.Settle();
}

void ProgramGraphs::CodeUnloads() {
  prepare_.probe->Forget();
  for (const Exec& record : All()) record->ForgetFunctions();
}

void ProgramGraphs::Destroyed(CUgraphExec exec) {
  const RelaxedCapture relaxed(driver_);
  FreeEnded();
  Exec record = Take(exec);
  // Waiting here might be for something that this thread still has to do.
  if (record == nullptr || record->Ended()) return;
  const absl::MutexLock lock(&mutex_);
  retired_.push_back(std::move(record));
  CountRecords();
}

void ProgramGraphs::StreamEnds(CUstream stream) {
  for (const Exec& record : All()) record->StreamEnds(stream);
}

void ProgramGraphs::ContextEnds(CUcontext context) {
  Forget([context](const ProgramExec& record) {
    return record.context() == context;
  });
}

void ProgramGraphs::PrimaryContextReleased(CUdevice device) {
  unsigned int flags = 0;
  int active = 0;
  if (driver_.DevicePrimaryCtxGetState(device, &flags, &active) ==
          CUDA_SUCCESS &&
      active != 0) {
    return;
  }
  Forget([device](const ProgramExec& record) {
    return record.device() == device;
  });
}

ProgramCounts ProgramGraphs::counts() const {
  const absl::MutexLock lock(&mutex_);
  ProgramCounts sum = ended_;
  for (const auto& [exec, record] : execs_) sum += record->counts();
  sum.seconds += 1e-9 * static_cast<double>(nanoseconds_);
  return sum;
}

ProgramGraphs::Exec ProgramGraphs::Find(CUgraphExec exec) const {
  if (followed_.load(std::memory_order_relaxed) == 0) return nullptr;
  const absl::ReaderMutexLock lock(&mutex_);
  const auto found = execs_.find(exec);
  return found == execs_.end() ? nullptr : found->second;
}

ProgramGraphs::Exec ProgramGraphs::Take(CUgraphExec exec) {
  const absl::MutexLock lock(&mutex_);
  const auto found = execs_.find(exec);
  if (found == execs_.end()) return nullptr;
  Exec record = std::move(found->second);
  execs_.erase(found);
  ended_ += record->counts();
  CountRecords();
  return record;
}

std::vector<ProgramGraphs::Exec> ProgramGraphs::All() const {
  std::vector<Exec> all;
  if (followed_.load(std::memory_order_relaxed) == 0) return all;
  const absl::ReaderMutexLock lock(&mutex_);
  all = retired_;
  for (const auto& [exec, record] : execs_) all.push_back(record);
  return all;
}

void ProgramGraphs::Forget(absl::FunctionRef<bool(const ProgramExec&)> gone) {
  const absl::MutexLock lock(&mutex_);
  for (auto at = execs_.begin(); at != execs_.end();) {
    const auto next = std::next(at);
    if (gone(*at->second)) {
      ended_ += at->second->counts();
      at->second->Abandon();
      execs_.erase(at);
    }
    at = next;
  }
  std::erase_if(retired_, [gone](const Exec& record) {
    if (gone(*record)) record->Abandon();
    return gone(*record);
  });
  CountRecords();
}

void ProgramGraphs::FreeEnded() {
  std::vector<Exec> retired;
  {
    const absl::MutexLock lock(&mutex_);
    retired.swap(retired_);
  }
  if (retired.empty()) return;
  std::erase_if(retired, [](const Exec& record) { return record->Ended(); });
  const absl::MutexLock lock(&mutex_);
  absl::c_move(retired, std::back_inserter(retired_));
  CountRecords();
}

void ProgramGraphs::CountRecords() {
  followed_ = execs_.size() + retired_.size();
  std::uint64_t bytes = 0;
  for (const auto& [exec, record] : execs_) bytes += record->arena_bytes();
  for (const Exec& record : retired_) bytes += record->arena_bytes();
  ended_.arena_bytes = bytes;
  ended_.most_arena_bytes = std::max(ended_.most_arena_bytes, bytes);
}

void ProgramGraphs::LeaveAlone(absl::string_view why) {
  const absl::MutexLock lock(&mutex_);
  ++ended_.graphs;
  ++ended_.declined_graphs[std::string(why)];
}

void ProgramGraphs::WriteCaptureFile(CUgraph graph) {
  absl::StatusOr<ImportedGraph> imported = GraphImporter(driver_).Import(graph);
  absl::Status written = imported.status();
  if (written.ok()) {
    written = WriteCapture(
        imported->graph,
        absl::StrCat(settings_.capture_directory, "/graph-", getpid(), "-",
                     captures_written_++, ".json.gz"));
  }
  if (written.ok()) return;
  const absl::MutexLock lock(&mutex_);
  ++ended_.fallbacks[absl::StrCat("no capture file: ", written.message())];
}

}  // namespace reprise
