// As the dense block, but each token's gate, up and down come from the experts
// that a router picks for it, and their rows are summed by the router's
// weights.
#ifndef REPRISE_EXAMPLES_DECODER_MOE_BLOCK_H_
#define REPRISE_EXAMPLES_DECODER_MOE_BLOCK_H_

#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/model.h"
#include "examples/decoder/program.h"

namespace reprise::decoder {

// Takes over `x` and returns the sum.
Rows MoeBlock(const Layer& layer, const Rows& x, Program& program);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_MOE_BLOCK_H_
