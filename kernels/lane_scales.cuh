// The scales and mins of a lane's 32 columns, and what they make of integer
// dots: the one place where a format's kind of scale is told apart.
#ifndef REPRISE_KERNELS_LANE_SCALES_CUH_
#define REPRISE_KERNELS_LANE_SCALES_CUH_

#include "kernels/block_lane.cuh"

namespace reprise {

template <typename Lane>
struct LaneScales {
  decltype(Lane().Scale(0)) scale;
  decltype(Lane().Scale(0)) min;
};

template <typename Lane>
__device__ LaneScales<Lane> StepScales(const Lane& lane, int step) {
  if constexpr (Lane::kHasMin) {
    return {lane.Scale(step), lane.Min(step)};
  } else {
    return {lane.Scale(step), {}};
  }
}

// `low` and `high` are the dots of the two sixteens of columns, `low_sum` and
// `high_sum` the sums of their activations.
template <typename Lane>
__device__ float ScaledDot(const LaneScales<Lane>& scales, int low, int high,
                           int low_sum, int high_sum) {
  if constexpr (Lane::kScaleColumns == 32) {
    const float dot = scales.scale * static_cast<float>(low + high);
    if constexpr (!Lane::kHasMin) return dot;
    return __fmaf_rn(-scales.min, static_cast<float>(low_sum + high_sum), dot);
  } else {
    const float dot = __fmaf_rn(scales.scale.high, static_cast<float>(high),
                                scales.scale.low * static_cast<float>(low));
    if constexpr (!Lane::kHasMin) return dot;
    return __fmaf_rn(
        -scales.min.high, static_cast<float>(high_sum),
        __fmaf_rn(-scales.min.low, static_cast<float>(low_sum), dot));
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_LANE_SCALES_CUH_
