// What the engine's rows are quantized to.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_BLOCKS_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_BLOCKS_H_

#include <cstdint>

namespace victims {

inline constexpr int kBlockValues = 32;

// 32 values of a row: about scale * quants[i]. `sum` is that of the floats.
struct ImageBlock {
  std::uint16_t scale;  // half
  std::uint16_t sum;    // half
  std::int8_t quants[kBlockValues];
};
static_assert(sizeof(ImageBlock) == 36);

// As the image's, without the sum.
struct WeightBlock {
  std::uint16_t scale;  // half
  std::int8_t quants[kBlockValues];
};
static_assert(sizeof(WeightBlock) == 34);

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_BLOCKS_H_
