// The decoder on a device: its program laid out in one block of device memory,
// launched step by step as a plain CUDA engine would.
//
//   absl::StatusOr<DeviceDecoder> decoder = DeviceDecoder::Create(**driver,
//   {}); decoder->Refresh(replay, stream); decoder->Step(stream); // or
//   captured, or by a Loop absl::StatusOr<std::vector<float>> logits =
//   decoder->Logits(stream);
//
// Threads  one caller at a time; steps of one decoder follow each other.
#ifndef REPRISE_EXAMPLES_DECODER_DEVICE_DECODER_H_
#define REPRISE_EXAMPLES_DECODER_DEVICE_DECODER_H_

#include <cuda.h>

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "examples/decoder/decoder.h"
#include "examples/decoder/device_step.h"
#include "examples/decoder/inputs.h"
#include "examples/decoder/options.h"
#include "kernels/device_kernels.h"
#include "replay/device_arena.h"

namespace reprise::decoder {

class DeviceDecoder {
 public:
  // On the current device. Loads every kernel of the step: a capture may come
  // next.
  // Errors   those of Build and of DeviceStep; ResourceExhausted without memory
  //          for the model.
  // REQUIRES: the table outlives the decoder.
  static absl::StatusOr<DeviceDecoder> Create(
      const Driver& driver, const Options& options,
      Dependency dependency = Dependency::kProgrammatic);

  // Memory as it was at first: weights, empty caches. Waits for the end.
  absl::Status Reset(CUstream stream);

  // Writes the inputs of the next step. Waits for the end.
  absl::Status SetInputs(const Inputs& inputs, CUstream stream);
  absl::Status Refresh(int replay, CUstream stream) {
    return SetInputs(InputsOf(program_.options, replay), stream);
  }

  absl::Status Step(CUstream stream) const { return step_.Launch(stream); }

  // [tokens][vocabulary] of the last step on the stream, whose end it waits
  // for.
  absl::StatusOr<std::vector<float>> Logits(CUstream stream) const;

  // As recorded, at the addresses of the device.
  const Decoder& program() const { return program_; }

 private:
  DeviceDecoder(const Driver& driver, DeviceArena block, Decoder program,
                DeviceStep step)
      : driver_(&driver),
        block_(std::move(block)),
        program_(std::move(program)),
        step_(std::move(step)) {}

  absl::Status Upload(CUdeviceptr target, absl::Span<const std::uint8_t> bytes,
                      CUstream stream) const;
  absl::Status Repeat(const Tile& tile, CUstream stream) const;
  absl::Status Wait(CUstream stream) const;

  const Driver* driver_;
  DeviceArena block_;
  Decoder program_;
  DeviceStep step_;
};

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_DEVICE_DECODER_H_
