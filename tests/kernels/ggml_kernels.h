// Kernels with ggml-cuda's symbols and parameters, and launches of them as that
// engine makes them: the oracle of the replacements.
//
// A launch takes the parameter struct of the replacement, whose image the
// kernel does not know.
#ifndef REPRISE_TESTS_KERNELS_GGML_KERNELS_H_
#define REPRISE_TESTS_KERNELS_GGML_KERNELS_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/device_kernels.h"
#include "kernels/ggml_gated.h"
#include "kernels/ggml_rms_norm.h"

namespace reprise {

enum class GgmlNorm { kPlain, kMul, kMulAdd };
enum class GgmlGated { kSilu, kGelu, kGeluErf, kGeluQuick, kRelu };

// By the runtime's names.
struct GgmlKernels {
  const void* norms[2][3];  // of 256 and of 1024 threads, by GgmlNorm
  const void* gated[5];     // by GgmlGated
  const void* swiglu_oai;
  const void* quantize;
};

const GgmlKernels& FastGgmlKernels();     // with -use_fast_math
const GgmlKernels& PreciseGgmlKernels();  // without

// The grid of a norm: x rows, y channels, z samples. The engine never launches
// its OAI form programmatically.
cudaError_t LaunchGgmlNorm(const GgmlKernels& kernels, GgmlNorm form,
                           const GgmlRmsNormParams& params, dim3 grid,
                           Dependency dependency, cudaStream_t stream);
cudaError_t LaunchGgmlGated(const GgmlKernels& kernels, GgmlGated function,
                            const GgmlGatedParams& params,
                            Dependency dependency, cudaStream_t stream);
cudaError_t LaunchGgmlSwigluOai(const GgmlKernels& kernels,
                                const GgmlSwigluOaiParams& params,
                                cudaStream_t stream);
// Of dense rows.
cudaError_t LaunchGgmlQuantize(const GgmlKernels& kernels, const float* source,
                               BlockQ8_1* image, std::int64_t columns,
                               std::int64_t rows, Dependency dependency,
                               cudaStream_t stream);

// What a replacement takes over of those launches.
dim3 GgmlNormBlock(std::int64_t columns);
dim3 GgmlGatedGrid(std::int64_t count);
inline constexpr unsigned kGgmlGatedBlock = 256;
inline constexpr unsigned kGgmlNormSharedBytes = 128;

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_GGML_KERNELS_H_
