// A loop of real kernels on the GPU, small and with all that a plan looks for:
// a norm whose output three matrices read, each with a quantizer of its own,
// and a GLU whose output a fourth one reads.
//
//   norm -> [quantize -> matvec] x 3 -> swiglu -> quantize -> matvec -> add
//
// Errors   what CUDA refuses throws.
// Threads  one caller at a time; two loops share nothing.
#ifndef REPRISE_TESTS_REPLAY_DEVICE_LOOP_H_
#define REPRISE_TESTS_REPLAY_DEVICE_LOOP_H_

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <vector>

#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "kernels/block_q8_1.h"
#include "kernels/device_kernels.h"
#include "kernels/weight_blocks.h"
#include "tests/kernels/on_device.h"

namespace reprise::testing {

// What comes between the first reader of the norm's output and the next.
enum class Between {
  kNothing,
  kCopy,      // of that output
  kFill,      // over the image that the first reader read
  kHostCall,  // which might do anything
};

struct DeviceLoopShape {
  int input = 0;  // the loop has two of them
  std::int32_t tokens = 1;
  // The three matrices on three streams, between a fork and a join.
  bool fork = false;
  // Work on the first stream between the norm and what follows it.
  bool work = false;
  Between between = Between::kNothing;
  // How a kernel depends on the one before it in its stream.
  Dependency dependency = Dependency::kFull;
  // Ends with a fill, of other bytes for 2 than for 1; 0: with none.
  int fill = 0;
  // Ends with an allocation and its release.
  bool allocates = false;
};

class DeviceEvent {
 public:
  DeviceEvent() {
    Require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming),
            "cudaEventCreateWithFlags");
  }
  ~DeviceEvent() { EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess); }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  // `after` waits for all work of `before` up to now.
  void Order(cudaStream_t before, cudaStream_t after) const {
    Require(cudaEventRecord(event_, before), "cudaEventRecord");
    Require(cudaStreamWaitEvent(after, event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class DeviceLoop {
 public:
  static constexpr std::int32_t kMaxTokens = 8;

  // `seed` is of the weights.
  explicit DeviceLoop(std::uint32_t seed);

  // Launches the loop.
  void Run(const DeviceLoopShape& shape, cudaStream_t stream);

  // The same as a graph: nothing runs.
  GraphHandle Capture(const Driver& driver, const DeviceLoopShape& shape,
                      const DeviceStream& stream);

  // New values for the inputs, and 0xFF bytes wherever the loop writes.
  // REQUIRES: nothing of the loop runs but on `stream`.
  void Refresh(std::uint32_t replay, const DeviceStream& stream);

  // All that the loop leaves, its scratch apart, once `stream` is done.
  std::vector<float> Outputs(const DeviceStream& stream) const;

 private:
  static constexpr std::int64_t kWidth = 1024;
  static constexpr std::int64_t kHidden = 512;
  static constexpr int kBranches = 3;
  static constexpr std::int64_t kMatrixBlocks =
      kWidth * kHidden / BlockQ4_0::kValues;
  static constexpr std::int64_t kFilled = 64;

  struct Matrix {
    const BlockQ4_0* blocks;
    std::int64_t columns;
    std::int64_t rows;
  };

  const float* input(int number) const {
    return inputs_.data() + number * kMaxTokens * kWidth;
  }
  // The last one leads back from kHidden to kWidth.
  Matrix matrix(int number) const;
  BlockQ8_1* scratch(int number);

  // Where in the outputs each one lies, for kMaxTokens.
  static constexpr std::int64_t kNormal = 0;
  static constexpr std::int64_t kWork = kNormal + kMaxTokens * kWidth;
  static constexpr std::int64_t kProduct = kWork + kMaxTokens * kWidth;
  static constexpr std::int64_t kSum = kProduct + kMaxTokens * kWidth;
  static constexpr std::int64_t kBranch = kSum + kMaxTokens * kWidth;
  static constexpr std::int64_t kGlu =
      kBranch + kBranches * kMaxTokens * kHidden;
  static constexpr std::int64_t kFill = kGlu + kMaxTokens * kHidden;
  static constexpr std::int64_t kOutputs = kFill + 2 * kFilled;

  float* output(std::int64_t offset) { return outputs_.data() + offset; }
  float* branch(int number) {
    return output(kBranch + number * kMaxTokens * kHidden);
  }

  void Multiply(const DeviceLoopShape& shape, const Matrix& matrix,
                const float* source, BlockQ8_1* image, float* out,
                Dependency first, cudaStream_t stream);
  void RunBranches(const DeviceLoopShape& shape, cudaStream_t stream);
  void RunBetween(const DeviceLoopShape& shape, cudaStream_t stream);

  DeviceArray<float> inputs_;
  DeviceArray<float> norm_weights_;
  DeviceArray<BlockQ4_0> weights_;
  DeviceArray<BlockQ8_1> scratch_;
  DeviceArray<float> outputs_;
  // Of the branches but the first.
  std::array<DeviceStream, kBranches - 1> streams_;
  std::array<DeviceEvent, kBranches - 1> forks_;
  std::array<DeviceEvent, kBranches - 1> joins_;
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_DEVICE_LOOP_H_
