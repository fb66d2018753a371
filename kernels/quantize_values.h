// What every image's quantizer makes of 32 floats, whatever it stores of it.
#ifndef REPRISE_KERNELS_QUANTIZE_VALUES_H_
#define REPRISE_KERNELS_QUANTIZE_VALUES_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace reprise {

// What the device's float-to-integer conversion and a byte store leave.
inline std::int8_t LowByteOfSaturated(float value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (std::isnan(value)) return 0;
  if (value >= 0x1p31f) return static_cast<std::int8_t>(Limits::max());
  if (value <= -0x1p31f) return static_cast<std::int8_t>(Limits::min());
  return static_cast<std::int8_t>(static_cast<std::int32_t>(value));
}

// Fills `quants` and gives the scale. Formula in quantize_q8_1.h.
template <std::size_t kValues>
float QuantizeValues(const float (&values)[kValues],
                     std::int8_t (&quants)[kValues]) {
  // A NaN that any number replaces, so that only NaNs give a NaN scale. Not by
  // fmax: what it makes of a signaling NaN is each C library's own.
  float amax = std::numeric_limits<float>::quiet_NaN();
  for (const float value : values) {
    const float size = std::fabs(value);
    if (!std::isnan(size) && !(amax >= size)) amax = size;
  }
  const float scale = amax / 127.0f;
  for (std::size_t i = 0; i < kValues; ++i) {
    quants[i] = amax == 0.0f
                    ? std::int8_t{0}
                    : LowByteOfSaturated(std::round(values[i] / scale));
  }
  return scale;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_QUANTIZE_VALUES_H_
