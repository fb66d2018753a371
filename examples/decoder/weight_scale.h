// Gives a block of weights, whatever its other bits, about the scale that is
// asked for. Scales for 16 or 32 values stay as they are and come on top.
//
// REQUIRES: the scale is not 0, and so moderate that its format can hold it.
#ifndef REPRISE_EXAMPLES_DECODER_WEIGHT_SCALE_H_
#define REPRISE_EXAMPLES_DECODER_WEIGHT_SCALE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/half.h"
#include "kernels/weight_blocks.h"

namespace reprise {

template <typename Block>
void SetScale(Block& block, float scale) {
  block.scale = FloatToHalf(scale);
}

// The power of two at or below the scale.
inline void SetScale(BlockMxfp4& block, float scale) {
  block.exponent = static_cast<std::uint8_t>(127 + std::ilogb(scale));
}

// The same in four bits, next to the mantissas and the unused bits as they are.
inline void SetScale(BlockNvfp4& block, float scale) {
  const int exponent = std::clamp(7 + std::ilogb(scale), 0, 14);
  for (std::uint8_t& sub_scale : block.sub_scales) {
    sub_scale = static_cast<std::uint8_t>((sub_scale & 0x87) | exponent << 3);
  }
}

// A half in the top quarters of four words.
inline void SetScale(BlockIq1M& block, float scale) {
  const int half = FloatToHalf(scale);
  for (int i = 0; i < 4; ++i) {
    const int quarter = half >> (4 * i) & 15;
    block.sub_scales[i] = static_cast<std::uint16_t>(
        (block.sub_scales[i] & 0x0FFF) | quarter << 12);
  }
}

}  // namespace reprise

#endif  // REPRISE_EXAMPLES_DECODER_WEIGHT_SCALE_H_
