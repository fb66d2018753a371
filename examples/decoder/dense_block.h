// x + down(swiglu(gate(norm(x)), up(norm(x)))).
#ifndef REPRISE_EXAMPLES_DECODER_DENSE_BLOCK_H_
#define REPRISE_EXAMPLES_DECODER_DENSE_BLOCK_H_

#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/model.h"
#include "examples/decoder/program.h"

namespace reprise::decoder {

// Takes over `x` and returns the sum.
Rows DenseBlock(const Layer& layer, const Rows& x, Program& program);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_DENSE_BLOCK_H_
