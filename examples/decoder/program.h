// The model's operations, recorded: each call takes an activation buffer for
// its result, launches its kernels on a lane and hands the buffer on.
//
// Lanes    with one stream all lanes are the origin stream. With three, the
//          others take part between Fork and Join.
// Images   every projection quantizes its own input anew, into the scratch of
//          its lane, as engines do that know nothing of the next call.
// Errors   the recorder keeps the first one; Finish returns it.
#ifndef REPRISE_EXAMPLES_DECODER_PROGRAM_H_
#define REPRISE_EXAMPLES_DECODER_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "capture/recorder.h"
#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/liveness_allocator.h"
#include "examples/decoder/options.h"
#include "examples/decoder/scratch_stack.h"
#include "graph/graph.h"
#include "graph/image_layout.h"
#include "replay/host_memory.h"

namespace reprise::decoder {

enum class Lane { kMain, kKeys, kValues };

// What memory is called that nobody needs when the step is done; of each lane's
// scratch the start.
inline constexpr char kActivations[] = "activations";
inline constexpr char kScratch[] = "scratch ";

class Program {
 public:
  // REQUIRES: `memory` gets no other stretch until Finish.
  Program(const Options& options, HostMemory& memory);

  Rows Embed(const Rows& table, Address tokens);
  Rows Norm(const Rows& x, const Rows& weights);
  Rows Project(Lane lane, const Rows& x, const Matrix& weights);
  void ProjectInto(const Rows& x, const Matrix& weights, const Rows& out);
  Rows Rope(Lane lane, const Rows& x, int heads, Address positions);
  void Append(Lane lane, const Rows& x, Address positions, const Cache& cache);
  Rows Attend(const Rows& q, const Cache& keys, const Cache& values,
              Address positions);
  Rows Glu(const Rows& gate, const Rows& up);
  Rows Add(const Rows& a, const Rows& b);

  Routing Route(const Rows& logits);
  // `x` has a row a token, or one for each of its slots.
  Rows RoutedProject(const Rows& x, const Matrix& weights,
                     const Routing& routing);
  Rows WeightedSum(const Rows& slots, const Routing& routing);

  // No call reads the buffer any more.
  void Release(const Rows& rows) { activations_.Release(rows.address); }
  void Release(const Routing& routing);

  void Fork();
  void Join();

  // Adds the activations to the memory, and all of it to the graph.
  absl::StatusOr<Graph> Finish() &&;

 private:
  Rows Take(std::int64_t rows, std::int64_t columns);
  StreamId StreamOf(Lane lane) const;
  void Launch(Lane lane, const KernelCall& call);
  void ProjectOn(Lane lane, const Rows& x, const Matrix& weights,
                 const Rows& out);
  // Pushes and writes an image of x; PopImage when its reader is launched.
  Address PushImage(Lane lane, const Rows& x, ImageLayout layout);
  void PopImage(Lane lane, const Rows& x, ImageLayout layout);

  const Options& options_;
  HostMemory& memory_;
  Recorder recorder_;
  std::vector<StreamId> streams_;      // one or three
  std::vector<ScratchStack> scratch_;  // by stream
  LivenessAllocator activations_;
};

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_PROGRAM_H_
