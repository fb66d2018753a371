// Whether a producer also writes the q8_1 image of its output.
//
// A producer and its emitting twin take one parameter struct and run one body.
// The plain form never looks at `image`; the twin writes the F32 output first
// and then the image of exactly those floats, so its image has the bytes that
// the quantizer would have made. Where the twin's output is null it writes the
// image alone. The twin's symbol has the suffix below.
#ifndef REPRISE_KERNELS_EMISSION_H_
#define REPRISE_KERNELS_EMISSION_H_

#include <string_view>

namespace reprise {

enum class Emission { kPlain, kEmit };

inline constexpr std::string_view kEmitSuffix = "_emit";

}  // namespace reprise

#endif  // REPRISE_KERNELS_EMISSION_H_
