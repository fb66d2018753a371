// Runs a captured graph and its rewritten form from the same bytes on the
// device and compares all that they leave: the proof of a plan on live data.
//
// A run stands for one replay. It saves every byte that the graph may write,
// launches the original, saves what it left, goes back to the start, fills the
// arena and the place of floats that are not stored any more
// (replay/dropped_floats.h) with a pattern, so that nothing of an earlier
// replay can be right by chance, launches the rewritten graph and compares on
// the device. Where they differ, or a call fails on the way, what the original
// left is put back: whatever becomes of the comparison, memory is as the
// original leaves it.
//
// Memory   twice the bytes that the graph may write, from the first run on.
// Skipped  what replay/comparison.h skips.
// Threads  one caller at a time.
#ifndef REPRISE_REPLAY_DEVICE_VERIFIER_H_
#define REPRISE_REPLAY_DEVICE_VERIFIER_H_

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "graph/graph.h"
#include "replay/comparison.h"
#include "replay/device_arena.h"
#include "replay/verdict.h"

namespace reprise {

// The two ways to do a step.
struct VerifiedLaunches {
  absl::FunctionRef<absl::Status(CUstream)> original;
  absl::FunctionRef<absl::Status(CUstream)> rewritten;
  Allocation arena;  // of the rewritten one
};

struct Verification {
  // OK: the step is done, and memory as the original leaves it.
  absl::Status step;
  // The first byte that differs, if one does; or why that is not known. Its
  // replay is 0.
  absl::StatusOr<std::optional<Difference>> difference;
};

class DeviceVerifier {
 public:
  // Of the annotated capture, which must outlive the verifier.
  // Errors   those of WrittenRanges for a graph that cannot be run twice
  //          unseen; ResourceExhausted without memory for what it saves.
  // `dropped` as for Comparison::Of.
  static absl::StatusOr<DeviceVerifier> Create(
      const Driver& driver, const Graph& captured,
      std::vector<NodeId> dropped = {});

  // Waits for the end.
  // REQUIRES: both launches are of that capture.
  Verification Run(const VerifiedLaunches& launches, CUstream stream);

 private:
  // A stretch that the graph may write, and where both copies of it lie.
  struct Saved {
    Allocation range;
    std::uint64_t offset = 0;  // keeps the address modulo 16
  };

  DeviceVerifier(const Driver& driver, Comparison comparison)
      : driver_(&driver), comparison_(std::move(comparison)) {}

  absl::StatusOr<std::optional<Difference>> Compare(
      const VerifiedLaunches& launches, CUstream stream) const;
  absl::Status Poison(const Allocation& range, CUstream stream) const;
  absl::Status Save(const DeviceArena& copy, CUstream stream) const;
  absl::Status Restore(const DeviceArena& copy, CUstream stream) const;
  absl::StatusOr<bool> LeftTheSame(CUstream stream) const;
  absl::StatusOr<std::optional<Difference>> Blame(CUstream stream) const;

  const Driver* driver_;
  Comparison comparison_;
  std::vector<Saved> saved_;
  std::vector<Allocation> dropped_floats_;
  DeviceArena start_;
  DeviceArena expected_;
  DeviceArena different_;  // one word: whether a byte differs
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_DEVICE_VERIFIER_H_
