// A CUDA loop that knows nothing of Reprise, and the five lines that hand it
// over. Each step normalizes a row and multiplies it with three matrices; each
// product quantizes the row anew, as engines do.
//
//   wrapped_loop            runs the loop as it is, then wrapped, and compares
//
// The lines that were added are marked with "+".
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/block_q8_1.h"
#include "kernels/device_kernels.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "kernels/weight_blocks.h"
#include "replay/loop.h"  // +

namespace {

constexpr std::int64_t kWidth = 4096;
constexpr int kMatrices = 3;
constexpr int kSteps = 100;

void Check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "wrapped_loop: %s: %s\n", what,
               cudaGetErrorString(status));
  std::exit(EXIT_FAILURE);
}

template <typename T>
T* Allocate(std::int64_t count) {
  void* memory = nullptr;
  Check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(T)),
        "allocate");
  return static_cast<T*>(memory);
}

struct Model {
  float* x = Allocate<float>(kWidth);
  float* scale = Allocate<float>(kWidth);
  float* normed = Allocate<float>(kWidth);
  reprise::BlockQ8_1* image =
      Allocate<reprise::BlockQ8_1>(reprise::ImageRowBlocks(kWidth));
  reprise::BlockQ4_0* weights = Allocate<reprise::BlockQ4_0>(
      kMatrices * kWidth * kWidth / reprise::BlockQ4_0::kValues);
  float* out = Allocate<float>(kMatrices * kWidth);
};

// How this program launches any of its kernels.
template <typename Params>
void Launch(const char* kernel, const Params& params, cudaStream_t stream) {
  Check(reprise::LaunchOnStream(*reprise::FindHostKernel(kernel), &params,
                                reprise::Dependency::kFull, stream),
        kernel);
}

void Step(const Model& model, cudaStream_t stream) {
  Launch("reprise_rms_norm_mul",
         reprise::RmsNormParams{.x = model.x,
                                .output = model.normed,
                                .mul = model.scale,
                                .columns = kWidth,
                                .rows = 1,
                                .x_row_stride = kWidth,
                                .epsilon = 1e-5f},
         stream);
  for (int i = 0; i < kMatrices; ++i) {
    Launch("reprise_quantize_q8_1",
           reprise::QuantizeQ8_1Params{.source = model.normed,
                                       .image = model.image,
                                       .columns = kWidth,
                                       .rows = 1,
                                       .planes = 1,
                                       .row_stride = kWidth},
           stream);
    constexpr std::int64_t kRowBlocks = kWidth / reprise::BlockQ4_0::kValues;
    Launch("reprise_matvec_q4_0",
           reprise::MatVecParams{
               .weights = model.weights + i * kWidth * kRowBlocks,
               .image = model.image,
               .output = model.out + i * kWidth,
               .columns = kWidth,
               .rows = kWidth,
               .weight_row_stride = kRowBlocks,
               .image_row_stride = reprise::ImageRowBlocks(kWidth),
               .output_row_stride = kWidth,
               .tokens = 1},
           stream);
  }
  // The next step's input: the first product.
  Check(cudaMemcpyAsync(model.x, model.out, kWidth * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream),
        "copy");
}

// Bytes of no meaning, whose scales and floats are numbers near one.
void Fill(const Model& model) {
  std::uint32_t state = 1;
  const auto next = [&state] { return state = state * 1664525u + 1013904223u; };
  std::vector<float> row(kWidth);
  for (float& value : row) value = static_cast<float>(next() >> 8) * 0x1p-24f;
  Check(cudaMemcpy(model.x, row.data(), kWidth * sizeof(float),
                   cudaMemcpyHostToDevice),
        "fill");
  Check(cudaMemcpy(model.scale, row.data(), kWidth * sizeof(float),
                   cudaMemcpyHostToDevice),
        "fill");
  std::vector<reprise::BlockQ4_0> blocks(kMatrices * kWidth * kWidth /
                                         reprise::BlockQ4_0::kValues);
  for (reprise::BlockQ4_0& block : blocks) {
    block.scale = static_cast<std::uint16_t>(0x1C00 | (next() >> 24));
    for (auto& nibbles : block.nibbles) {
      nibbles = static_cast<std::uint8_t>(next() >> 24);
    }
  }
  Check(cudaMemcpy(model.weights, blocks.data(),
                   blocks.size() * sizeof blocks[0], cudaMemcpyHostToDevice),
        "fill");
}

std::vector<std::uint32_t> Outputs(const Model& model, cudaStream_t stream) {
  std::vector<std::uint32_t> bits(kMatrices * kWidth);
  Check(cudaMemcpyAsync(bits.data(), model.out, bits.size() * sizeof bits[0],
                        cudaMemcpyDeviceToHost, stream),
        "read");
  Check(cudaStreamSynchronize(stream), "run");
  return bits;
}

}  // namespace

int main() {
  cudaStream_t stream = nullptr;
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  const Model model;

  Fill(model);
  for (int step = 0; step < kSteps; ++step) Step(model, stream);
  const std::vector<std::uint32_t> plain = Outputs(model, stream);

  Fill(model);
  reprise::Loop loop("wrapped_loop");  // +
  for (int step = 0; step < kSteps; ++step) {
    const absl::Status ran =                                       // +
        loop.Run(stream, [&] { Step(model, stream); });            // +
    if (!ran.ok()) std::puts(std::string(ran.message()).c_str());  // +
  }
  const std::vector<std::uint32_t> wrapped = Outputs(model, stream);

  const bool same = plain == wrapped;
  const bool rewritten = loop.outcome() != nullptr && loop.outcome()->rewritten;
  if (!loop.status().ok()) std::puts(loop.status().ToString().c_str());
  if (rewritten) {
    std::printf("%d steps, launches a step %u before, %u after, outputs %s\n",
                kSteps, static_cast<unsigned>(loop.outcome()->captured.kernels),
                static_cast<unsigned>(loop.outcome()->running.kernels),
                same ? "identical" : "DIFFERENT");
  }
  return same && rewritten ? EXIT_SUCCESS : EXIT_FAILURE;
}
