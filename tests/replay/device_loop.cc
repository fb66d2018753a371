#include "tests/replay/device_loop.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capture/stream_capture.h"
#include "kernels/add.h"
#include "kernels/glu.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"

namespace reprise::testing {
namespace {

constexpr std::int64_t kInputs = 2;

std::vector<float> RandomRow(std::uint32_t seed, std::int64_t count) {
  return RandomFloats(seed).Row(static_cast<std::size_t>(count), 2);
}

std::vector<BlockQ4_0> RandomMatrices(std::uint32_t seed, std::int64_t blocks) {
  RandomFloats random(seed);
  return RandomWeights<BlockQ4_0>(random, blocks);
}

}  // namespace

DeviceLoop::DeviceLoop(std::uint32_t seed)
    : inputs_(RandomRow(seed + 1, kInputs * kMaxTokens * kWidth)),
      norm_weights_(RandomRow(seed + 2, kWidth)),
      weights_(RandomMatrices(seed + 3, (kBranches + 1) * kMatrixBlocks)),
      scratch_(kBranches * kMaxTokens * ImageRowBlocks(kWidth)),
      outputs_(kOutputs) {}

DeviceLoop::Matrix DeviceLoop::matrix(int number) const {
  const BlockQ4_0* blocks = weights_.data() + number * kMatrixBlocks;
  if (number == kBranches) return {blocks, kHidden, kWidth};
  return {blocks, kWidth, kHidden};
}

BlockQ8_1* DeviceLoop::scratch(int number) {
  return scratch_.data() + number * kMaxTokens * ImageRowBlocks(kWidth);
}

void DeviceLoop::Run(const DeviceLoopShape& shape, cudaStream_t stream) {
  const float* x = input(shape.input);
  const std::int64_t values = shape.tokens * kWidth;
  Launch("reprise_rms_norm_mul",
         RmsNormParams{.x = x,
                       .output = output(kNormal),
                       .mul = norm_weights_.data(),
                       .columns = kWidth,
                       .rows = shape.tokens,
                       .x_row_stride = kWidth,
                       .epsilon = 1e-5f},
         Dependency::kFull, stream);
  RunBranches(shape, stream);
  // What joins streams has predecessors of both kinds of waiting.
  Launch("reprise_glu_swiglu",
         GluParams{.gate = branch(0),
                   .up = branch(1),
                   .output = output(kGlu),
                   .columns = kHidden,
                   .rows = shape.tokens,
                   .gate_row_stride = kHidden,
                   .up_row_stride = kHidden},
         shape.fork ? Dependency::kFull : shape.dependency, stream);
  Multiply(shape, matrix(kBranches), output(kGlu), scratch(0), output(kProduct),
           shape.dependency, stream);
  Launch("reprise_add", AddParams{output(kProduct), x, output(kSum), values},
         shape.dependency, stream);
  if (shape.fill != 0) {
    Require(cudaMemsetAsync(output(kFill + (shape.fill - 1) * kFilled), 0x11,
                            kFilled * sizeof(float), stream),
            "cudaMemsetAsync");
  }
  if (shape.allocates) {
    void* memory = nullptr;
    Require(cudaMallocAsync(&memory, 1024, stream), "cudaMallocAsync");
    Require(cudaFreeAsync(memory, stream), "cudaFreeAsync");
  }
}

void DeviceLoop::RunBranches(const DeviceLoopShape& shape,
                             cudaStream_t stream) {
  if (shape.fork) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      forks_[i].Order(stream, streams_[i].get());
    }
  }
  if (shape.work) {
    const float* x = input(shape.input);
    Launch("reprise_add", AddParams{x, x, output(kWork), shape.tokens * kWidth},
           shape.dependency, stream);
  }
  for (int b = 0; b < kBranches; ++b) {
    const bool forked = shape.fork && b > 0;
    const cudaStream_t on =
        forked ? streams_[static_cast<std::size_t>(b - 1)].get() : stream;
    Multiply(shape, matrix(b), output(kNormal), scratch(shape.fork ? b : 0),
             branch(b), forked ? Dependency::kFull : shape.dependency, on);
    if (b == 0) RunBetween(shape, on);
  }
  if (shape.fork) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      joins_[i].Order(streams_[i].get(), stream);
    }
  }
}

void DeviceLoop::RunBetween(const DeviceLoopShape& shape, cudaStream_t stream) {
  switch (shape.between) {
    case Between::kNothing:
      return;
    case Between::kCopy:
      Require(cudaMemcpyAsync(output(kWork), output(kNormal),
                              kWidth * sizeof(float), cudaMemcpyDeviceToDevice,
                              stream),
              "cudaMemcpyAsync");
      return;
    case Between::kFill:
      Require(
          cudaMemsetAsync(scratch(0), 0x22,
                          ImageRowBlocks(kWidth) * sizeof(BlockQ8_1), stream),
          "cudaMemsetAsync");
      return;
    case Between::kHostCall:
      Require(cudaLaunchHostFunc(
                  stream, [](void*) {}, nullptr),
              "cudaLaunchHostFunc");
      return;
  }
}

void DeviceLoop::Multiply(const DeviceLoopShape& shape, const Matrix& matrix,
                          const float* source, BlockQ8_1* image, float* out,
                          Dependency first, cudaStream_t stream) {
  Launch("reprise_quantize_q8_1",
         QuantizeQ8_1Params{.source = source,
                            .image = image,
                            .columns = matrix.columns,
                            .rows = shape.tokens,
                            .planes = 1,
                            .row_stride = matrix.columns,
                            .plane_stride = shape.tokens * matrix.columns},
         first, stream);
  Launch("reprise_matvec_q4_0",
         MatVecParams{.weights = matrix.blocks,
                      .image = image,
                      .output = out,
                      .columns = matrix.columns,
                      .rows = matrix.rows,
                      .weight_row_stride = matrix.columns / BlockQ4_0::kValues,
                      .image_row_stride = ImageRowBlocks(matrix.columns),
                      .output_row_stride = matrix.rows,
                      .tokens = shape.tokens},
         shape.dependency, stream);
}

GraphHandle DeviceLoop::Capture(const Driver& driver,
                                const DeviceLoopShape& shape,
                                const DeviceStream& stream) {
  absl::StatusOr<GraphHandle> graph = CaptureStream(driver, stream.get(), [&] {
    Run(shape, stream.get());
    return absl::OkStatus();
  });
  if (!graph.ok()) throw std::runtime_error(graph.status().ToString());
  return *std::move(graph);
}

void DeviceLoop::Refresh(std::uint32_t replay, const DeviceStream& stream) {
  stream.Wait();
  inputs_.Upload(RandomRow(1000 + replay, kInputs * kMaxTokens * kWidth));
  Require(cudaMemsetAsync(outputs_.data(), 0xFF, kOutputs * sizeof(float),
                          stream.get()),
          "cudaMemsetAsync");
  Require(cudaMemsetAsync(scratch_.data(), 0xFF,
                          scratch_.size() * sizeof(BlockQ8_1), stream.get()),
          "cudaMemsetAsync");
}

std::vector<float> DeviceLoop::Outputs(const DeviceStream& stream) const {
  stream.Wait();
  return outputs_.Download();
}

}  // namespace reprise::testing
