// The tensors of a decoder that outlive a step: weights, caches, inputs and the
// logits, each a stretch of memory of its own.
#ifndef REPRISE_EXAMPLES_DECODER_MODEL_H_
#define REPRISE_EXAMPLES_DECODER_MODEL_H_

#include <cstdint>
#include <vector>

#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/options.h"
#include "replay/host_memory.h"

namespace reprise::decoder {

// Of a router's weights, whatever the others are.
inline constexpr WeightFormat kRouterFormat = WeightFormat::kQ8_0;

struct Layer {
  Rows attention_norm;
  Matrix q, k, v, o;
  Cache keys, values;
  Rows feed_forward_norm;
  Matrix router;  // mixture of experts only
  Matrix gate, up, down;
};

// What a stretch without bytes of its own is full of: these bytes, over and
// over.
struct Tile {
  Allocation target;
  std::vector<std::uint8_t> bytes;
};

struct Tensors {
  Rows embedding;
  std::vector<Layer> layers;
  Rows final_norm;
  Matrix head;
  Address tokens = 0;     // int32 [tokens]
  Address positions = 0;  // int32 [tokens]
  Rows logits;
  std::vector<Tile> tiles;  // of weights with more than Options::distinct_rows
};

// Adds every tensor to `memory`, weights filled from the options' seed, the
// rest zero.
Tensors LayOut(const Options& options, HostMemory& memory);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_MODEL_H_
