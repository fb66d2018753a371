#include "tests/kernels/ggml_kernels.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace reprise {
namespace {

constexpr std::array<std::size_t, 23> kNormOffsets = {
    0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80, 88,
    100, 112, 124, 136, 144, 152, 160, 168, 180, 192, 204};
constexpr std::array<std::size_t, 9> kGatedOffsets = {0,  8,  16, 24, 32,
                                                      40, 48, 56, 60};

struct Shape {
  dim3 grid;
  dim3 block;
  unsigned shared_bytes = 0;
};

cudaError_t Launch(const void* kernel, const Shape& shape, void** arguments,
                   Dependency dependency, cudaStream_t stream) {
  cudaLaunchAttribute programmatic{};
  programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmatic.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &programmatic;
  config.numAttrs = dependency == Dependency::kProgrammatic ? 1 : 0;
  return cudaLaunchKernelExC(&config, kernel, arguments);
}

// The engine takes its parameters one by one; they lie in the struct where the
// engine's buffer has them.
template <typename Params>
cudaError_t LaunchFields(const void* kernel, const Shape& shape, Params params,
                         std::span<const std::size_t> offsets,
                         Dependency dependency, cudaStream_t stream) {
  std::vector<void*> arguments;
  for (const std::size_t offset : offsets) {
    arguments.push_back(reinterpret_cast<std::byte*>(&params) + offset);
  }
  return Launch(kernel, shape, arguments.data(), dependency, stream);
}

}  // namespace

dim3 GgmlNormBlock(std::int64_t columns) { return columns < 1024 ? 256 : 1024; }

dim3 GgmlGatedGrid(std::int64_t count) {
  return static_cast<unsigned>((count + kGgmlGatedBlock - 1) / kGgmlGatedBlock);
}

cudaError_t LaunchGgmlNorm(const GgmlKernels& kernels, GgmlNorm form,
                           const GgmlRmsNormParams& params, dim3 grid,
                           Dependency dependency, cudaStream_t stream) {
  const dim3 block = GgmlNormBlock(params.columns);
  return LaunchFields(
      kernels.norms[block.x == 1024][static_cast<std::size_t>(form)],
      {grid, block, kGgmlNormSharedBytes}, params, kNormOffsets, dependency,
      stream);
}

cudaError_t LaunchGgmlGated(const GgmlKernels& kernels, GgmlGated function,
                            const GgmlGatedParams& params,
                            Dependency dependency, cudaStream_t stream) {
  return LaunchFields(kernels.gated[static_cast<std::size_t>(function)],
                      {GgmlGatedGrid(params.operands.count), kGgmlGatedBlock},
                      params, std::span(kGatedOffsets).first(7), dependency,
                      stream);
}

cudaError_t LaunchGgmlSwigluOai(const GgmlKernels& kernels,
                                const GgmlSwigluOaiParams& params,
                                cudaStream_t stream) {
  return LaunchFields(kernels.swiglu_oai,
                      {GgmlGatedGrid(params.operands.count), kGgmlGatedBlock},
                      params, kGatedOffsets, Dependency::kFull, stream);
}

cudaError_t LaunchGgmlQuantize(const GgmlKernels& kernels, const float* source,
                               BlockQ8_1* image, std::int64_t columns,
                               std::int64_t rows, Dependency dependency,
                               cudaStream_t stream) {
  std::int64_t row_stride = columns;
  std::int64_t plane_stride = columns * rows;
  std::int64_t padded = PaddedColumns(columns);
  auto image_rows = static_cast<std::uint32_t>(rows);
  MagicDivisor planes = MagicOf(1);
  void* arguments[] = {&source,     &image,        &columns,
                       &row_stride, &plane_stride, &plane_stride,
                       &padded,     &image_rows,   &planes};
  const dim3 grid(static_cast<unsigned>(padded / 256), image_rows, 1);
  return Launch(kernels.quantize, {grid, 256}, arguments, dependency, stream);
}

}  // namespace reprise
