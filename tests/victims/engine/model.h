// The little engine: a decoder's three layers, one token.
//
//   n = norm(x)    q, k, v = Wq n, Wk n, Wv n    a = glu(q, k)    o = Wo a
//   x += o         x += v
//
// Each product quantizes its input anew, into three scratch images in turn, as
// engines do: of the 12 quantizers of a step 6 repeat another.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_MODEL_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_MODEL_H_

#include <cstdint>
#include <vector>

#include "tests/victims/engine/blocks.h"
#include "tests/victims/engine/kernel_call.h"
#include "tests/victims/engine/memory.h"

namespace victims {

inline constexpr int kColumns = 512;
inline constexpr int kLayers = 3;

// The launches of a layer, in order.
enum Place {
  kNorm,
  kQuantizeForQ,
  kProjectQ,
  kQuantizeForK,
  kProjectK,
  kQuantizeForV,
  kProjectV,
  kGlu,
  kQuantizeForO,
  kProjectO,
  kAddO,
  kAddV,
  kPlaces
};

class Model {
 public:
  // The seed decides the weights and the first x.
  explicit Model(std::uint32_t seed);

  // The launches of a step, by layer * kPlaces + place. Each step goes on from
  // the x that the one before it left.
  std::vector<KernelCall> Step() const;
  std::vector<KernelCall> Layer(int layer) const;

  enum Row { kX, kN, kQ, kK, kV, kA, kO, kRows };
  float* row(Row row) const { return rows_.data() + row * kColumns; }

  // Of every byte but those of the images. All work has to be done.
  std::uint64_t Digest() const;

 private:
  KernelCall Quantize(Row source, int image) const;
  KernelCall Project(int layer, int matrix, int image, Row output) const;

  Memory<float> rows_;
  Memory<float> norms_;           // by layer
  Memory<WeightBlock> matrices_;  // by layer: q, k, v, o
  Memory<ImageBlock> images_;
};

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_MODEL_H_
