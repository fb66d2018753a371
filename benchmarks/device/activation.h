// One activation on the device, with what makes its floats and its q8_1 image.
#ifndef REPRISE_BENCHMARKS_DEVICE_ACTIVATION_H_
#define REPRISE_BENCHMARKS_DEVICE_ACTIVATION_H_

#include <cstdint>
#include <string_view>

#include "benchmarks/device/device_memory.h"
#include "benchmarks/device/graph_recorder.h"
#include "kernels/block_q8_1.h"

namespace reprise {

class Activation {
 public:
  // Dense rows. The floats and the inputs of the producers are random.
  Activation(std::int64_t columns, std::int64_t rows);

  // Records the norm or GLU of that symbol, plain or emitting, as the producer
  // of the floats, and of the image if it emits.
  void Produce(GraphRecorder& recorder, std::string_view symbol) const;

  // Records the quantizer that makes the image.
  void Quantize(GraphRecorder& recorder) const;

  const BlockQ8_1* image() const { return image_.As<BlockQ8_1>(); }
  std::int64_t columns() const { return columns_; }

 private:
  std::int64_t columns_;
  std::int64_t rows_;
  DeviceMemory left_;   // a norm's x, a GLU's gate
  DeviceMemory right_;  // a norm's weights and addend, a GLU's up
  DeviceMemory floats_;
  DeviceMemory image_;
};

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_ACTIVATION_H_
