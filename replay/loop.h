// The front door: wrap the code of a loop's step, and it is captured, planned
// and replayed.
//
//   Loop loop("decode");
//   while (generating) {
//     absl::Status ran = loop.Run(stream, [&] { LaunchDecode(stream); });
//   }
//
// The first Run captures what `step` launches and runs the rewritten graph of
// it. Later ones launch that graph and do not call `step`: it is called again
// only after Recapture(), which the caller owes the loop whenever a pointer, a
// shape or a branch of the step changes. What the step reads from memory may
// change at any time.
//
// Fails open  where a rewrite, or a verification that was asked for, fails, the
//             graph runs as it was captured. Where the capture itself fails,
//             `step` is called instead; the next Run tries once more, because a
//             first launch loads code, which a capture may not, and after that
//             every Run calls `step`. status() says which, and why.
// Host code   runs when `step` is called, not at each replay: inputs that the
//             host makes belong in front of Run.
// Errors      what `step` returns, and what the driver returns for a launch.
// Threads     one caller at a time for each loop; two loops know nothing of
//             each other. `step` runs on the calling thread, which the capture
//             keeps from what a capture forbids.
// Streams     Run launches on any stream; it must live until the loop ended or
//             the stream of a later Run has waited for it.
#ifndef REPRISE_REPLAY_LOOP_H_
#define REPRISE_REPLAY_LOOP_H_

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "replay/device_executable.h"
#include "replay/device_verifier.h"
#include "replay/verdict.h"

namespace reprise {

// When a replay runs the original and the rewritten graph from the same bytes
// and compares all that they leave (replay/device_verifier.h).
enum class VerifyMode { kOff, kFirstReplay, kEveryN };

struct LoopOptions {
  DeviceOptions executable = {};
  VerifyMode verify = VerifyMode::kOff;
  std::uint64_t verify_every = 1000;  // replays; of kEveryN, the first included
  const Driver* driver = nullptr;     // this machine's, if none is given
};

// What all Runs so far did.
struct LoopCounts {
  std::uint64_t runs = 0;
  std::uint64_t captures = 0;  // times that the step was captured
  std::uint64_t eager = 0;     // runs that called the step and no graph
  std::uint64_t original = 0;  // runs of the graph as captured
  std::uint64_t verified = 0;  // runs that compared both
  std::uint64_t unchanged = 0, patched = 0, updated = 0, rebuilt = 0;

  friend bool operator==(const LoopCounts&, const LoopCounts&) = default;
};

class Loop {
 public:
  explicit Loop(std::string name, LoopOptions options = {});

  // `step` launches on `stream`, and on others that it forks from and joins to
  // it. It returns nothing or an absl::Status.
  template <typename Step>
  absl::Status Run(CUstream stream, Step&& step) {
    if constexpr (std::is_void_v<std::invoke_result_t<Step&>>) {
      return RunStep(stream, [&step] {
        step();
        return absl::OkStatus();
      });
    } else {
      return RunStep(stream, step);
    }
  }

  // The next Run calls its step again.
  void Recapture() { recapture_ = true; }

  const std::string& name() const { return name_; }
  // Ok while the rewritten graph runs, or one in which there is nothing to
  // rewrite; else why it does not.
  const absl::Status& status() const { return status_; }
  // What became of the capture; null before the first.
  const Outcome* outcome() const;
  // The first byte that a verification found different, if it did.
  const std::optional<Difference>& difference() const { return difference_; }
  const LoopCounts& counts() const { return counts_; }

 private:
  using Step = absl::FunctionRef<absl::Status()>;

  absl::Status RunStep(CUstream stream, Step step);
  // The status says whether there is a graph to launch; `stepped` gets what the
  // step returned.
  absl::Status Capture(CUstream stream, Step step, absl::Status& stepped);
  absl::Status Adopt(GraphHandle captured);
  absl::Status Replay(CUstream stream);
  bool VerifiesNow() const;
  absl::Status VerifiedReplay(CUstream stream);
  void KeepOriginal(const absl::Status& why);
  absl::Status NotRewritten(const absl::Status& why) const;

  std::string name_;
  LoopOptions options_;
  const Driver* driver_;
  absl::Status status_;
  bool recapture_ = true;
  int failed_captures_ = 0;     // in a row
  bool keep_original_ = false;  // a verification failed
  std::uint64_t replays_ = 0;   // of the capture
  std::optional<DeviceExecutable> executable_;
  std::optional<DeviceVerifier> verifier_;
  std::optional<Difference> difference_;
  LoopCounts counts_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_LOOP_H_
