// How the lanes of a warp read a weight block of each format from shared
// memory.
//
// A BlockLane<Block> is lane t (0..3) of the four that share a row. `step`
// counts 32 columns of the block, of which Words gives the lane's eight as
// signed bytes. A weight is (byte - kCenter) * Scale - Min. Where kScaleColumns
// is 16, the low and the high word have a scale and a min each; where it is 32
// they share one. A format that looks its codes up has kGridWords words in
// shared memory, a copy of GridOf.
//
// What the bits mean stands in weight_values.h, which the tests hold these to.
#ifndef REPRISE_KERNELS_BLOCK_LANE_CUH_
#define REPRISE_KERNELS_BLOCK_LANE_CUH_

#include <cstdint>

#include "kernels/byte_words.cuh"

namespace reprise {

// The scales or mins of a lane's low and high word.
struct FloatPair {
  float low;
  float high;
};

// What most formats have: no min, no grid, one scale for 32 columns.
struct PlainLane {
  static constexpr int kScaleColumns = 32;
  static constexpr bool kHasMin = false;
  static constexpr int kCenter = 0;
  static constexpr int kGridWords = 0;
};

template <typename Block>
struct BlockLane;

}  // namespace reprise

#endif  // REPRISE_KERNELS_BLOCK_LANE_CUH_
