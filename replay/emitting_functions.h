// Reprise's own kernels as the driver's functions: what a plan puts in the
// place of a producer that emits.
#ifndef REPRISE_REPLAY_EMITTING_FUNCTIONS_H_
#define REPRISE_REPLAY_EMITTING_FUNCTIONS_H_

#include <cuda.h>

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "driver/driver.h"

namespace reprise {

// Of the device that is current at the first look-up of a symbol, which should
// be the graph's.
// Threads  one caller at a time.
class EmittingFunctions {
 public:
  explicit EmittingFunctions(const Driver& driver) : driver_(&driver) {}

  // A FunctionLookup (replay/graph_emitter.h). NotFound where this build has no
  // kernel of that symbol; an error of CUDA where the device cannot run it or
  // has not as much shared memory.
  absl::StatusOr<CUfunction> Find(absl::string_view symbol,
                                  std::uint32_t shared_bytes);

 private:
  struct Entry {
    CUfunction function = nullptr;
    std::uint32_t shared_bytes = 0;  // the most that was asked for
  };

  absl::StatusOr<CUfunction> Load(absl::string_view symbol,
                                  std::uint32_t shared_bytes) const;

  const Driver* driver_;
  absl::flat_hash_map<std::string, Entry> found_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_EMITTING_FUNCTIONS_H_
