#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "kernels/add.h"
#include "kernels/attention.h"
#include "kernels/built_formats.h"
#include "kernels/device_kernels.h"
#include "kernels/embedding_row.h"
#include "kernels/ggml_gated.h"
#include "kernels/ggml_rms_norm.h"
#include "kernels/glu.h"
#include "kernels/kv_append.h"
#include "kernels/matmul.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "kernels/rope.h"
#include "kernels/routed_matvec.h"
#include "kernels/router_top_k.h"
#include "kernels/weighted_sum.h"

// Each device symbol once, so that declarations and table cannot disagree:
// _(symbol, parameter struct). The configure step writes the list of formats.
#define REPRISE_PRODUCER(_, symbol, Params) \
  _(symbol, Params)                         \
  _(symbol##_emit, Params)                  \
  _(symbol##_emit_t, Params)
#define REPRISE_MATVECS(_, format)               \
  _(reprise_matmul_pad40_##format, MatMulParams) \
  _(reprise_matvec_##format, MatVecParams)       \
  _(reprise_routed_matvec_##format, RoutedMatVecParams)
#define REPRISE_MATMULS(_, format) _(reprise_matmul_##format, MatMulParams)
#define REPRISE_DEVICE_KERNELS(_)                                  \
  _(reprise_add, AddParams)                                        \
  _(reprise_attention, AttentionParams)                            \
  _(reprise_attention_tile_128, AttentionParams)                   \
  _(reprise_attention_tile_64, AttentionParams)                    \
  _(reprise_embedding_row, EmbeddingRowParams)                     \
  _(reprise_kv_append, KvAppendParams)                             \
  _(reprise_quantize_q8_0_pad40, QuantizeQ8_0Params)               \
  _(reprise_quantize_q8_0_pad40_t, QuantizeQ8_0Params)             \
  _(reprise_quantize_q8_1, QuantizeQ8_1Params)                     \
  _(reprise_rope, RopeParams)                                      \
  _(reprise_router_top_k, RouterTopKParams)                        \
  _(reprise_weighted_sum, WeightedSumParams)                       \
  REPRISE_PRODUCER(_, reprise_rms_norm, RmsNormParams)             \
  REPRISE_PRODUCER(_, reprise_rms_norm_mul, RmsNormParams)         \
  REPRISE_PRODUCER(_, reprise_rms_norm_mul_add, RmsNormParams)     \
  REPRISE_PRODUCER(_, reprise_rms_norm_scale, RmsNormParams)       \
  REPRISE_PRODUCER(_, reprise_glu_reglu, GluParams)                \
  REPRISE_PRODUCER(_, reprise_glu_geglu, GluParams)                \
  REPRISE_PRODUCER(_, reprise_glu_swiglu, GluParams)               \
  REPRISE_PRODUCER(_, reprise_glu_geglu_erf, GluParams)            \
  REPRISE_PRODUCER(_, reprise_glu_geglu_quick, GluParams)          \
  REPRISE_PRODUCER(_, reprise_glu_swiglu_oai, GluParams)           \
  REPRISE_PRODUCER(_, reprise_glu_swiglu_clamp, GluParams)         \
  _(reprise_ggml_rms_norm_plain, GgmlRmsNormParams)                \
  _(reprise_ggml_rms_norm_mul, GgmlRmsNormParams)                  \
  _(reprise_ggml_rms_norm_mul_add, GgmlRmsNormParams)              \
  _(reprise_ggml_scaled_rms_norm_plain, GgmlScaledRmsNormParams)   \
  _(reprise_ggml_scaled_rms_norm_mul, GgmlScaledRmsNormParams)     \
  _(reprise_ggml_scaled_rms_norm_mul_add, GgmlScaledRmsNormParams) \
  _(reprise_ggml_scaled_rms_norm_scale, GgmlScaledRmsNormParams)   \
  _(reprise_ggml_gated_silu, GgmlGatedParams)                      \
  _(reprise_ggml_gated_gelu, GgmlGatedParams)                      \
  _(reprise_ggml_gated_gelu_erf, GgmlGatedParams)                  \
  _(reprise_ggml_gated_gelu_quick, GgmlGatedParams)                \
  _(reprise_ggml_gated_relu, GgmlGatedParams)                      \
  _(reprise_ggml_swiglu_oai, GgmlSwigluOaiParams)                  \
  REPRISE_BUILT_MATMULS(REPRISE_MATMULS, _)                        \
  REPRISE_BUILT_FORMATS(REPRISE_MATVECS, _)

extern "C" {
#define REPRISE_DECLARE(symbol, Params) __global__ void symbol(reprise::Params);
REPRISE_DEVICE_KERNELS(REPRISE_DECLARE)
#undef REPRISE_DECLARE
}

namespace reprise {
namespace {

struct DeviceKernel {
  std::string_view symbol;
  const void* function;
};

const DeviceKernel kDeviceKernels[] = {
#define REPRISE_ROW(symbol, Params) \
  {#symbol, reinterpret_cast<const void*>(&symbol)},
    REPRISE_DEVICE_KERNELS(REPRISE_ROW)
#undef REPRISE_ROW
};

// What a kernel may use without asking, on every device, less what the grids of
// the iq formats take of it besides.
constexpr std::uint32_t kPlainSharedBytes = (48 - 16) * 1024;

}  // namespace

const void* FindDeviceFunction(std::string_view symbol) {
  const DeviceKernel* found =
      std::ranges::find(kDeviceKernels, symbol, &DeviceKernel::symbol);
  return found == std::end(kDeviceKernels) ? nullptr : found->function;
}

cudaError_t AllowSharedBytes(const void* function, std::uint32_t bytes) {
  if (bytes <= kPlainSharedBytes) return cudaSuccess;
  const int wanted = static_cast<int>(bytes);
  cudaFuncAttributes now{};
  const cudaError_t read = cudaFuncGetAttributes(&now, function);
  if (read != cudaSuccess) return read;
  // Never lower: a captured launch may have taken more.
  if (now.maxDynamicSharedSizeBytes >= wanted) return cudaSuccess;
  return cudaFuncSetAttribute(
      function, cudaFuncAttributeMaxDynamicSharedMemorySize, wanted);
}

cudaError_t LaunchOnStream(const HostKernel& kernel, const void* params,
                           Dependency dependency, cudaStream_t stream) {
  const void* function = FindDeviceFunction(kernel.symbol);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  const LaunchShape shape = kernel.shape(params);
  if (shape.empty()) return cudaSuccess;
  const cudaError_t allowed = AllowSharedBytes(function, shape.shared_bytes);
  if (allowed != cudaSuccess) return allowed;
  cudaLaunchAttribute programmatic{};
  programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmatic.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = {shape.grid[0], shape.grid[1], shape.grid[2]};
  config.blockDim = {shape.block[0], shape.block[1], shape.block[2]};
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &programmatic;
  config.numAttrs = dependency == Dependency::kProgrammatic ? 1 : 0;
  // The runtime's signature is not const, but it only copies the parameters.
  void* arguments[] = {const_cast<void*>(params)};
  return cudaLaunchKernelExC(&config, function, arguments);
}

}  // namespace reprise
