// A small decoder on the GPU, and the ways to run its steps.
#ifndef REPRISE_TESTS_EXAMPLES_DECODER_RIG_H_
#define REPRISE_TESTS_EXAMPLES_DECODER_RIG_H_

#include <stdexcept>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "capture/stream_capture.h"
#include "driver/driver.h"
#include "examples/decoder/device_decoder.h"
#include "examples/decoder/greedy_run.h"
#include "kernels/device_kernels.h"
#include "tests/kernels/on_device.h"

namespace reprise::testing {

template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(value.status().ToString());
  return *std::move(value);
}

struct DecoderRig {
  explicit DecoderRig(const decoder::Options& options,
                      Dependency dependency = Dependency::kProgrammatic)
      : driver(*Value(LoadDriver())),
        decoder(Value(
            decoder::DeviceDecoder::Create(driver, options, dependency))) {}

  absl::Status Step() const { return decoder.Step(stream.get()); }

  GraphHandle Capture() const {
    return Value(CaptureStream(driver, stream.get(), [&] { return Step(); }));
  }

  std::vector<decoder::GreedyStep> Run(int steps,
                                       absl::FunctionRef<absl::Status()> step) {
    return Value(decoder::RunGreedily(decoder, steps, stream.get(), step));
  }

  const Driver& driver;
  DeviceStream stream;
  decoder::DeviceDecoder decoder;
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_EXAMPLES_DECODER_RIG_H_
