// Whether a producer also writes the image of its output, and in which layout.
//
// A producer and its emitting twins take one parameter struct and run one body.
// The plain form never looks at `image`; a twin writes the F32 output first and
// then the image of exactly those floats, so its image has the bytes that the
// quantizer would have made. Where the twin's output is null it writes the
// image alone. A twin's symbol has its suffix below.
#ifndef REPRISE_KERNELS_EMISSION_H_
#define REPRISE_KERNELS_EMISSION_H_

#include <cstdint>
#include <string_view>

namespace reprise {

enum class Emission {
  kPlain,
  kEmit,            // q8_1
  kEmitTransposed,  // q8_0_pad40_t, whose tokens are the output's rows
};

inline constexpr std::string_view kEmitSuffix = "_emit";
inline constexpr std::string_view kEmitTransposedSuffix = "_emit_t";

// On the host, what a producer emits of one row of its [rows][columns] output:
// with the last row also the padding rows. Nothing for kPlain.
void EmitRow(Emission emission, const float* floats, std::int64_t row,
             std::int64_t rows, std::int64_t columns, void* image);

}  // namespace reprise

#endif  // REPRISE_KERNELS_EMISSION_H_
