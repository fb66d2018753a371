// The tensors of a decoder that outlive a step: weights, caches, inputs and the
// logits, each an allocation of its own.
#ifndef REPRISE_EXAMPLES_DECODER_MODEL_H_
#define REPRISE_EXAMPLES_DECODER_MODEL_H_

#include <vector>

#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/options.h"
#include "replay/host_memory.h"

namespace reprise::decoder {

struct Layer {
  Rows attention_norm;
  Matrix q, k, v, o;
  Cache keys, values;
  Rows feed_forward_norm;
  Matrix router;  // mixture of experts only
  Matrix gate, up, down;
};

struct Tensors {
  Rows embedding;
  std::vector<Layer> layers;
  Rows final_norm;
  Matrix head;
  Address tokens = 0;     // int32 [tokens]
  Address positions = 0;  // int32 [tokens]
  Rows logits;
};

// Adds every tensor to `memory`, weights filled from the options' seed, the
// rest zero.
Tensors LayOut(const Options& options, HostMemory& memory);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_MODEL_H_
