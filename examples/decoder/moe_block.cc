#include "examples/decoder/moe_block.h"

namespace reprise::decoder {

Rows MoeBlock(const Layer& layer, const Rows& x, Program& program) {
  const Rows normed = program.Norm(x, layer.feed_forward_norm);
  const Rows logits = program.Project(Lane::kMain, normed, layer.router);
  const Routing routing = program.Route(logits);
  program.Release(logits);
  const Rows gate = program.RoutedProject(normed, layer.gate, routing);
  const Rows up = program.RoutedProject(normed, layer.up, routing);
  program.Release(normed);
  const Rows gated = program.Glu(gate, up);
  program.Release(gate);
  program.Release(up);
  const Rows down = program.RoutedProject(gated, layer.down, routing);
  program.Release(gated);
  const Rows experts = program.WeightedSum(down, routing);
  program.Release(down);
  program.Release(routing);
  const Rows sum = program.Add(x, experts);
  program.Release(x);
  program.Release(experts);
  return sum;
}

}  // namespace reprise::decoder
