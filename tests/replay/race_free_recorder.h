// A recorder that orders every conflict: before a node is recorded, its stream
// waits for each earlier node of another stream that touches the same bytes.
#ifndef REPRISE_TESTS_REPLAY_RACE_FREE_RECORDER_H_
#define REPRISE_TESTS_REPLAY_RACE_FREE_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture/recorder.h"
#include "examples/decoder/kernel_calls.h"

namespace reprise::testing {

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool writes = false;
};

class RaceFreeRecorder {
 public:
  explicit RaceFreeRecorder(std::size_t streams);

  std::size_t num_streams() const { return streams_.size(); }

  void Launch(std::size_t stream, const decoder::KernelCall& call,
              std::vector<Range> touched);
  void CopyBytes(std::size_t stream, std::uint64_t target, std::uint64_t source,
                 std::uint64_t bytes);
  void FillBytes(std::size_t stream, std::uint64_t target, std::uint8_t value,
                 std::uint64_t bytes);
  // Ordered with everything. Returns the node.
  NodeId HostCall(std::size_t stream);
  void ExternalEvent(std::size_t stream);

  // All other streams wait for this one, at this point.
  void Fork(std::size_t stream);

  // All streams joined to the origin.
  Recorder& Join();

 private:
  struct Issued {
    std::size_t stream = 0;
    std::size_t index = 0;  // among its stream's nodes
    std::vector<Range> touched;
  };

  void Start(std::size_t stream);
  void Order(std::size_t stream, std::vector<Range> touched);
  void Wait(std::size_t stream, std::size_t other);

  Recorder recorder_;
  std::vector<StreamId> streams_;
  std::vector<bool> started_;
  std::vector<std::size_t> count_;  // nodes issued, by stream
  // known_[s][t]: how many nodes of t are before the next node of s.
  std::vector<std::vector<std::size_t>> known_;
  std::vector<Issued> issued_;
  std::uint32_t nodes_ = 0;
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_RACE_FREE_RECORDER_H_
