// Which kernel multiplies by a matrix, and which image it reads.
//
// Up to kMatVecMaxTokens tokens a matrix-vector kernel reads q8_1, whatever the
// format. With more, a format that has a kernel on the tensor core reads
// q8_0_pad40_t, any other reads q8_0_pad40 (kernels/matmul.h).
//
// Experts are not asked about here: their one kernel, routed_matvec.h, reads
// q8_1 and takes each token by itself, so any number of them.
#ifndef REPRISE_EXAMPLES_DECODER_PROJECTION_H_
#define REPRISE_EXAMPLES_DECODER_PROJECTION_H_

#include <cstdint>

#include "examples/decoder/kernel_calls.h"
#include "graph/image_layout.h"
#include "graph/weight_format.h"

namespace reprise::decoder {

// Of the image that weights of `format` are multiplied with.
ImageLayout LayoutFor(WeightFormat format, std::int64_t tokens);

// Reads an image in the layout that LayoutFor names; `out` has a row a token.
KernelCall ProjectCall(const Matrix& weights, Address image, const Rows& out);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_PROJECTION_H_
