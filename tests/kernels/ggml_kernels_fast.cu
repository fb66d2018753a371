#include "tests/kernels/ggml_kernels.cuh"

const reprise::GgmlKernels& reprise::FastGgmlKernels() {
  static const GgmlKernels kernels = GgmlKernelsOfThisSource();
  return kernels;
}
