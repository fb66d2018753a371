// What kind of decoder to build, and how many tokens its step takes: a few, as
// when it decodes, or all of a prompt, as when it prefills. The defaults make a
// model that a processor replays in about a millisecond.
#ifndef REPRISE_EXAMPLES_DECODER_OPTIONS_H_
#define REPRISE_EXAMPLES_DECODER_OPTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "graph/weight_format.h"

namespace reprise::decoder {

enum class Model { kDense, kMoe };

struct Options {
  Model model = Model::kDense;
  WeightFormat format = WeightFormat::kQ4_0;
  int layers = 2;
  int tokens = 1;   // a step: 1 to `context`, and to 65,535
  int streams = 1;  // 3: K and V are computed on streams of their own
  std::uint32_t seed = 1;

  // Every width is a multiple of the format's block, of 256 at most.
  int hidden = 256;
  int feed_forward = 512;  // of an expert in a mixture of experts
  int heads = 4;
  int kv_heads = 2;  // divides heads
  int head_dim = 64;
  int vocabulary = 512;
  int context = 256;  // positions that the cache holds: a step's at least
  int experts = 8;
  int experts_used = 2;
  float epsilon = 1e-5f;

  // 0, or after how many rows at most the weights repeat: such a model may be
  // large, has bytes on a device only (Tensors::tiles), and is soon made.
  int distinct_rows = 0;
};

// InvalidArgument naming the first option that cannot be.
absl::Status Check(const Options& options);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_OPTIONS_H_
