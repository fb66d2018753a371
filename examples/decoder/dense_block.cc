#include "examples/decoder/dense_block.h"

namespace reprise::decoder {

Rows DenseBlock(const Layer& layer, const Rows& x, Program& program) {
  const Rows normed = program.Norm(x, layer.feed_forward_norm);
  const Rows gate = program.Project(Lane::kMain, normed, layer.gate);
  const Rows up = program.Project(Lane::kMain, normed, layer.up);
  program.Release(normed);
  const Rows gated = program.Glu(gate, up);
  program.Release(gate);
  program.Release(up);
  const Rows down = program.Project(Lane::kMain, gated, layer.down);
  program.Release(gated);
  const Rows sum = program.Add(x, down);
  program.Release(x);
  program.Release(down);
  return sum;
}

}  // namespace reprise::decoder
