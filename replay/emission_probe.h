// Whether a kernel that is to stand in for a producer and its quantizer leaves
// their bytes: tried on the device before it is used.
//
// A replacement for another engine's kernel owes its bytes to code that some
// compiler built with some options. So the program's own functions, as the
// graph has them, and the replacement run over the same inputs in memory of
// their own (probe_layout.h, probe_inputs.h), and all that memory is compared:
// the output, the image with its padding, the inputs and the guards between.
//
// Safe     while others capture and run: own memory, own stream, and the
//          thread's capture mode relaxed meanwhile.
// Cost     milliseconds for each pair of functions and launch shape, once: what
//          was found out is kept, also that bytes differ. Functions are told
//          apart by their handles, so after a module was unloaded use a new
//          probe.
// Threads  any; one probe runs at a time.
#ifndef REPRISE_REPLAY_EMISSION_PROBE_H_
#define REPRISE_REPLAY_EMISSION_PROBE_H_

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "capture/import_graph.h"
#include "driver/driver.h"
#include "graph/graph.h"

namespace reprise {

class EmissionProbe {
 public:
  // REQUIRES: the table outlives the probe.
  explicit EmissionProbe(const Driver& driver) : driver_(driver) {}

  // OK where the bytes are the same.
  // Errors   DataLoss with the first byte that differs: "probe_mismatch: byte 2
  //          of the image of node 5 (rms_norm_f32) is 0x31, not 0x30"; those of
  //          LayOutProbe; what CudaStatus makes of a failed call.
  // REQUIRES: as LayOutProbe; the context of the graph's kernels is current.
  absl::Status Try(const ImportedGraph& captured, NodeId producer,
                   NodeId quantizer, CUfunction replacement);

  // Code is about to be unloaded: a function that comes later may have the
  // handle of one that was tried.
  void Forget();
  // How often that was. Any thread may ask.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  const Driver& driver_;
  std::atomic<std::uint64_t> forgotten_ = 0;
  std::mutex mutex_;
  // By functions and launches; the mutex guards it.
  absl::flat_hash_map<std::string, absl::Status> known_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_EMISSION_PROBE_H_
