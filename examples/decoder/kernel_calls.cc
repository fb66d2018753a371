#include "examples/decoder/kernel_calls.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/add.h"
#include "kernels/attention.h"
#include "kernels/embedding_row.h"
#include "kernels/glu.h"
#include "kernels/host_kernels.h"
#include "kernels/kv_append.h"
#include "kernels/matmul.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "kernels/rope.h"
#include "kernels/routed_matvec.h"
#include "kernels/router_top_k.h"
#include "kernels/weighted_sum.h"

namespace reprise::decoder {
namespace {

template <typename T>
T* At(Address address) {
  return reinterpret_cast<T*>(address);
}

template <typename Params>
KernelCall Call(std::string symbol, const Params& params) {
  const LaunchShape shape = FindHostKernel(symbol)->shape(&params);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&params);
  return {std::move(symbol), shape, {bytes, bytes + sizeof(params)}};
}

template <typename Int>
std::int32_t Narrow(Int value) {
  return static_cast<std::int32_t>(value);
}

// One row for all has no step to the next.
std::int64_t SharedStride(const Rows& rows) {
  return rows.rows == 1 ? 0 : rows.row_stride();
}

std::string Named(std::string_view family, std::string_view name) {
  std::string symbol(family);
  return symbol.append(name);
}

KernelCall QuantizeQ8_0Call(const Rows& x, Address image, ImageLayout layout) {
  QuantizeQ8_0Params params;
  params.source = At<float>(x.address);
  params.image = At<void>(image);
  params.columns = x.columns;
  params.tokens = x.rows;
  params.row_stride = x.row_stride();
  return Call(absl::StrCat("reprise_quantize_", InfoOf(layout).name), params);
}

}  // namespace

KernelCall EmbedCall(const Rows& table, Address tokens, const Rows& out) {
  EmbeddingRowParams params;
  params.table = At<float>(table.address);
  params.tokens = At<std::int32_t>(tokens);
  params.output = At<float>(out.address);
  params.columns = table.columns;
  params.table_rows = table.rows;
  params.count = Narrow(out.rows);
  return Call("reprise_embedding_row", params);
}

KernelCall RmsNormCall(std::string_view form, const Rows& x, const Rows& mul,
                       const Rows& add, float epsilon, const Rows& out) {
  RmsNormParams params;
  params.x = At<float>(x.address);
  params.output = At<float>(out.address);
  params.mul = At<float>(mul.address);
  params.add = At<float>(add.address);
  params.columns = x.columns;
  params.rows = x.rows;
  params.x_row_stride = x.row_stride();
  params.mul_row_stride = SharedStride(mul);
  params.add_row_stride = SharedStride(add);
  params.epsilon = epsilon;
  return Call(Named("reprise_rms_norm", form), params);
}

KernelCall GluCall(std::string_view form, const Rows& gate, const Rows& up,
                   const Rows& out) {
  GluParams params;
  params.gate = At<float>(gate.address);
  params.up = At<float>(up.address);
  params.output = At<float>(out.address);
  params.columns = gate.columns;
  params.rows = gate.rows;
  params.gate_row_stride = gate.row_stride();
  params.up_row_stride = up.row_stride();
  params.alpha = 1.702f;
  params.limit = 7.0f;
  return Call(Named("reprise_glu_", form), params);
}

KernelCall QuantizeCall(const Rows& x, Address image, ImageLayout layout) {
  if (layout != ImageLayout::kQ8_1) return QuantizeQ8_0Call(x, image, layout);
  QuantizeQ8_1Params params;
  params.source = At<float>(x.address);
  params.image = At<BlockQ8_1>(image);
  params.columns = x.columns;
  params.rows = x.rows;
  params.planes = 1;
  params.row_stride = x.row_stride();
  params.plane_stride = x.rows * x.row_stride();
  return Call("reprise_quantize_q8_1", params);
}

KernelCall MatVecCall(const Matrix& weights, Address image, const Rows& out) {
  MatVecParams params;
  params.weights = At<void>(weights.address);
  params.image = At<BlockQ8_1>(image);
  params.output = At<float>(out.address);
  params.columns = weights.columns;
  params.rows = weights.rows;
  params.weight_row_stride = weights.row_blocks();
  params.image_row_stride = ImageRowBlocks(weights.columns);
  params.output_row_stride = out.row_stride();
  params.tokens = Narrow(out.rows);
  return Call(absl::StrCat("reprise_matvec_", InfoOf(weights.format).name),
              params);
}

KernelCall MatMulCall(const Matrix& weights, Address image, ImageLayout layout,
                      const Rows& out) {
  MatMulParams params;
  params.weights = At<void>(weights.address);
  params.image = At<void>(image);
  params.output = At<float>(out.address);
  params.columns = weights.columns;
  params.rows = weights.rows;
  params.weight_row_stride = weights.row_blocks();
  params.output_row_stride = out.row_stride();
  params.tokens = out.rows;
  return Call(absl::StrCat(layout == ImageLayout::kQ8_0Pad40Tiles
                               ? "reprise_matmul_"
                               : "reprise_matmul_pad40_",
                           InfoOf(weights.format).name),
              params);
}

KernelCall RoutedMatVecCall(const Matrix& weights, Address image,
                            std::int32_t image_rows, const Routing& routing,
                            const Rows& out) {
  RoutedMatVecParams params;
  params.weights = At<void>(weights.address);
  params.image = At<BlockQ8_1>(image);
  params.ids = At<std::int32_t>(routing.ids);
  params.output = At<float>(out.address);
  params.columns = weights.columns;
  params.rows = weights.rows;
  params.weight_row_stride = weights.row_blocks();
  params.expert_stride = weights.rows * weights.row_blocks();
  params.image_row_stride = ImageRowBlocks(weights.columns);
  params.ids_stride = routing.slots;
  params.experts = Narrow(weights.experts);
  params.slots = routing.slots;
  params.tokens = routing.tokens;
  params.image_rows = image_rows;
  return Call(
      absl::StrCat("reprise_routed_matvec_", InfoOf(weights.format).name),
      params);
}

KernelCall RouteCall(const Rows& logits, const Routing& routing) {
  RouterTopKParams params;
  params.logits = At<float>(logits.address);
  params.ids = At<std::int32_t>(routing.ids);
  params.weights = At<float>(routing.weights);
  params.ids_stride = routing.slots;
  params.tokens = routing.tokens;
  params.experts = Narrow(logits.columns);
  params.slots = routing.slots;
  return Call("reprise_router_top_k", params);
}

KernelCall WeightedSumCall(const Rows& slots, const Routing& routing,
                           const Rows& out) {
  WeightedSumParams params;
  params.rows = At<float>(slots.address);
  params.weights = At<float>(routing.weights);
  params.output = At<float>(out.address);
  params.columns = slots.columns;
  params.tokens = routing.tokens;
  params.slots = routing.slots;
  return Call("reprise_weighted_sum", params);
}

KernelCall RopeCall(const Rows& x, Heads heads, Address positions,
                    const Rows& out) {
  RopeParams params;
  params.x = At<float>(x.address);
  params.output = At<float>(out.address);
  params.positions = At<std::int32_t>(positions);
  params.x_token_stride = x.row_stride();
  params.tokens = Narrow(x.rows);
  params.heads = heads.count;
  params.head_dim = heads.dim;
  params.rotary_dims = heads.dim;
  return Call("reprise_rope", params);
}

KernelCall AppendCall(const Rows& x, Address positions, const Cache& cache) {
  KvAppendParams params;
  params.source = At<float>(x.address);
  params.cache = At<std::uint16_t>(cache.address);
  params.positions = At<std::int32_t>(positions);
  params.columns = x.columns;
  params.source_row_stride = x.row_stride();
  params.capacity = cache.context;
  params.tokens = Narrow(x.rows);
  return Call("reprise_kv_append", params);
}

KernelCall AttendCall(const Rows& q, Heads heads, std::int32_t kv_heads,
                      const Cache& keys, const Cache& values, Address positions,
                      const Rows& out) {
  AttentionParams params;
  params.q = At<float>(q.address);
  params.keys = At<std::uint16_t>(keys.address);
  params.values = At<std::uint16_t>(values.address);
  params.positions = At<std::int32_t>(positions);
  params.output = At<float>(out.address);
  params.q_token_stride = q.row_stride();
  params.tokens = Narrow(q.rows);
  params.heads = heads.count;
  params.kv_heads = kv_heads;
  params.head_dim = heads.dim;
  params.capacity = keys.context;
  params.scale = 1.0f / std::sqrt(static_cast<float>(heads.dim));
  return Call(AttentionSymbol(params), params);
}

KernelCall AddCall(const Rows& a, const Rows& b, const Rows& out) {
  AddParams params;
  params.a = At<float>(a.address);
  params.b = At<float>(b.address);
  params.output = At<float>(out.address);
  params.count = a.rows * a.columns;
  return Call("reprise_add", params);
}

}  // namespace reprise::decoder
