#ifndef REPRISE_KERNELS_SOFTMAX_WEIGHT_CUH_
#define REPRISE_KERNELS_SOFTMAX_WEIGHT_CUH_

namespace reprise {

// exp(score - top). A score of -infinity counts for nothing, even while there
// is no other.
__device__ inline float SoftmaxWeight(float score, float top) {
  return score == -INFINITY ? 0.0f : expf(score - top);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_SOFTMAX_WEIGHT_CUH_
