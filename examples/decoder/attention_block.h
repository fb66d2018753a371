// x + O(attention(norm(x))): Q, K and V on a lane each, joined before the
// attention reads the caches.
#ifndef REPRISE_EXAMPLES_DECODER_ATTENTION_BLOCK_H_
#define REPRISE_EXAMPLES_DECODER_ATTENTION_BLOCK_H_

#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/model.h"
#include "examples/decoder/options.h"
#include "examples/decoder/program.h"

namespace reprise::decoder {

// Takes over `x` and returns the sum.
Rows AttentionBlock(const Options& options, const Layer& layer,
                    Address positions, const Rows& x, Program& program);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_ATTENTION_BLOCK_H_
