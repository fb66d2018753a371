#include "examples/decoder/attention_block.h"

namespace reprise::decoder {
namespace {

// The rotated rows of a projection.
Rows Turned(Lane lane, const Rows& x, const Matrix& weights, int heads,
            Address positions, Program& program) {
  const Rows flat = program.Project(lane, x, weights);
  const Rows turned = program.Rope(lane, flat, heads, positions);
  program.Release(flat);
  return turned;
}

}  // namespace

Rows AttentionBlock(const Options& options, const Layer& layer,
                    Address positions, const Rows& x, Program& program) {
  const Rows normed = program.Norm(x, layer.attention_norm);
  program.Fork();
  const Rows q =
      Turned(Lane::kMain, normed, layer.q, options.heads, positions, program);
  const Rows k = Turned(Lane::kKeys, normed, layer.k, options.kv_heads,
                        positions, program);
  program.Append(Lane::kKeys, k, positions, layer.keys);
  program.Release(k);
  const Rows v = program.Project(Lane::kValues, normed, layer.v);
  program.Append(Lane::kValues, v, positions, layer.values);
  program.Release(v);
  program.Release(normed);
  program.Join();

  const Rows attended = program.Attend(q, layer.keys, layer.values, positions);
  program.Release(q);
  const Rows out = program.Project(Lane::kMain, attended, layer.o);
  program.Release(attended);
  const Rows sum = program.Add(x, out);
  program.Release(x);
  program.Release(out);
  return sum;
}

}  // namespace reprise::decoder
