#include "tests/capture/kernel_structs.h"

#include "kernels/add.h"
#include "kernels/attention.h"
#include "kernels/embedding_row.h"
#include "kernels/glu.h"
#include "kernels/kv_append.h"
#include "kernels/matmul.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "kernels/rope.h"
#include "kernels/routed_matvec.h"
#include "kernels/router_top_k.h"
#include "kernels/weight_blocks.h"
#include "kernels/weighted_sum.h"

namespace reprise {

#define FIELD(Struct, name) \
  KernelField { #name, offsetof(Struct, name), sizeof(Struct::name) }

std::vector<KernelStruct> KernelStructs() {
  return {
      {"reprise_add",
       sizeof(AddParams),
       {FIELD(AddParams, a), FIELD(AddParams, b), FIELD(AddParams, output),
        FIELD(AddParams, count)}},
      {"reprise_attention",
       sizeof(AttentionParams),
       {FIELD(AttentionParams, q), FIELD(AttentionParams, keys),
        FIELD(AttentionParams, values), FIELD(AttentionParams, positions),
        FIELD(AttentionParams, output), FIELD(AttentionParams, q_token_stride),
        FIELD(AttentionParams, tokens), FIELD(AttentionParams, heads),
        FIELD(AttentionParams, kv_heads), FIELD(AttentionParams, head_dim),
        FIELD(AttentionParams, capacity), FIELD(AttentionParams, scale)}},
      {"reprise_embedding_row",
       sizeof(EmbeddingRowParams),
       {FIELD(EmbeddingRowParams, table), FIELD(EmbeddingRowParams, tokens),
        FIELD(EmbeddingRowParams, output), FIELD(EmbeddingRowParams, columns),
        FIELD(EmbeddingRowParams, table_rows), FIELD(EmbeddingRowParams, count),
        FIELD(EmbeddingRowParams, padding)}},
      {"reprise_glu",
       sizeof(GluParams),
       {FIELD(GluParams, gate), FIELD(GluParams, up), FIELD(GluParams, output),
        FIELD(GluParams, image), FIELD(GluParams, columns),
        FIELD(GluParams, rows), FIELD(GluParams, gate_row_stride),
        FIELD(GluParams, up_row_stride), FIELD(GluParams, alpha),
        FIELD(GluParams, limit)}},
      {"reprise_kv_append",
       sizeof(KvAppendParams),
       {FIELD(KvAppendParams, source), FIELD(KvAppendParams, cache),
        FIELD(KvAppendParams, positions), FIELD(KvAppendParams, columns),
        FIELD(KvAppendParams, source_row_stride),
        FIELD(KvAppendParams, capacity), FIELD(KvAppendParams, tokens)}},
      {"reprise_matmul",
       sizeof(MatMulParams),
       {FIELD(MatMulParams, weights), FIELD(MatMulParams, image),
        FIELD(MatMulParams, output), FIELD(MatMulParams, columns),
        FIELD(MatMulParams, rows), FIELD(MatMulParams, weight_row_stride),
        FIELD(MatMulParams, output_row_stride), FIELD(MatMulParams, tokens)}},
      {"reprise_matvec",
       sizeof(MatVecParams),
       {FIELD(MatVecParams, weights), FIELD(MatVecParams, image),
        FIELD(MatVecParams, output), FIELD(MatVecParams, columns),
        FIELD(MatVecParams, rows), FIELD(MatVecParams, weight_row_stride),
        FIELD(MatVecParams, image_row_stride),
        FIELD(MatVecParams, output_row_stride),
        FIELD(MatVecParams, weight_plane_stride),
        FIELD(MatVecParams, image_plane_stride),
        FIELD(MatVecParams, output_plane_stride), FIELD(MatVecParams, tokens),
        FIELD(MatVecParams, planes), FIELD(MatVecParams, weight_share),
        FIELD(MatVecParams, padding)}},
      {"reprise_quantize_q8_0",
       sizeof(QuantizeQ8_0Params),
       {FIELD(QuantizeQ8_0Params, source), FIELD(QuantizeQ8_0Params, image),
        FIELD(QuantizeQ8_0Params, columns), FIELD(QuantizeQ8_0Params, tokens),
        FIELD(QuantizeQ8_0Params, row_stride)}},
      {"reprise_quantize_q8_1",
       sizeof(QuantizeQ8_1Params),
       {FIELD(QuantizeQ8_1Params, source), FIELD(QuantizeQ8_1Params, image),
        FIELD(QuantizeQ8_1Params, columns), FIELD(QuantizeQ8_1Params, rows),
        FIELD(QuantizeQ8_1Params, planes),
        FIELD(QuantizeQ8_1Params, row_stride),
        FIELD(QuantizeQ8_1Params, plane_stride)}},
      {"reprise_rms_norm",
       sizeof(RmsNormParams),
       {FIELD(RmsNormParams, x), FIELD(RmsNormParams, output),
        FIELD(RmsNormParams, image), FIELD(RmsNormParams, mul),
        FIELD(RmsNormParams, add), FIELD(RmsNormParams, columns),
        FIELD(RmsNormParams, rows), FIELD(RmsNormParams, x_row_stride),
        FIELD(RmsNormParams, mul_row_stride),
        FIELD(RmsNormParams, add_row_stride), FIELD(RmsNormParams, epsilon),
        FIELD(RmsNormParams, scale)}},
      {"reprise_rope",
       sizeof(RopeParams),
       {FIELD(RopeParams, x), FIELD(RopeParams, output),
        FIELD(RopeParams, positions), FIELD(RopeParams, x_token_stride),
        FIELD(RopeParams, tokens), FIELD(RopeParams, heads),
        FIELD(RopeParams, head_dim), FIELD(RopeParams, rotary_dims),
        FIELD(RopeParams, base), FIELD(RopeParams, padding)}},
      {"reprise_routed_matvec",
       sizeof(RoutedMatVecParams),
       {FIELD(RoutedMatVecParams, weights), FIELD(RoutedMatVecParams, image),
        FIELD(RoutedMatVecParams, ids), FIELD(RoutedMatVecParams, output),
        FIELD(RoutedMatVecParams, invalid_ids),
        FIELD(RoutedMatVecParams, columns), FIELD(RoutedMatVecParams, rows),
        FIELD(RoutedMatVecParams, weight_row_stride),
        FIELD(RoutedMatVecParams, expert_stride),
        FIELD(RoutedMatVecParams, image_row_stride),
        FIELD(RoutedMatVecParams, ids_stride),
        FIELD(RoutedMatVecParams, experts), FIELD(RoutedMatVecParams, slots),
        FIELD(RoutedMatVecParams, tokens),
        FIELD(RoutedMatVecParams, image_rows)}},
      {"reprise_router_top_k",
       sizeof(RouterTopKParams),
       {FIELD(RouterTopKParams, logits), FIELD(RouterTopKParams, ids),
        FIELD(RouterTopKParams, weights), FIELD(RouterTopKParams, ids_stride),
        FIELD(RouterTopKParams, tokens), FIELD(RouterTopKParams, experts),
        FIELD(RouterTopKParams, slots), FIELD(RouterTopKParams, padding)}},
      {"reprise_weighted_sum",
       sizeof(WeightedSumParams),
       {FIELD(WeightedSumParams, rows), FIELD(WeightedSumParams, weights),
        FIELD(WeightedSumParams, output), FIELD(WeightedSumParams, columns),
        FIELD(WeightedSumParams, tokens), FIELD(WeightedSumParams, slots)}},
  };
}

#undef FIELD

std::vector<KernelBlock> KernelBlocks() {
#define BLOCK(format, Block) {#format, Block::kValues, sizeof(Block)},
  return {REPRISE_WEIGHT_BLOCKS(BLOCK)};
#undef BLOCK
}

}  // namespace reprise
