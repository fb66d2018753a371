#include "tests/kernels/ggml_kernels.cuh"

const reprise::GgmlKernels& reprise::PreciseGgmlKernels() {
  static const GgmlKernels kernels = GgmlKernelsOfThisSource();
  return kernels;
}
