#include "kernels/host_kernels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

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
namespace {

template <RmsNormForm kForm, Emission kEmission>
void RmsNorm(const RmsNormParams& params) {
  RmsNormHost(kForm, kEmission, params);
}

template <GluFunction kForm, Emission kEmission>
void Glu(const GluParams& params) {
  GluHost(kForm, kEmission, params);
}

template <typename Params, void (*kHost)(const Params&),
          LaunchShape (*kShape)(const Params&)>
constexpr HostKernel Row(std::string_view symbol) {
  static_assert(
      std::is_trivially_copyable_v<Params> && std::is_standard_layout_v<Params>,
      "a kernel parameter is copied as bytes");
  return {
      symbol, sizeof(Params),
      [](const void* params) { kHost(*static_cast<const Params*>(params)); },
      [](const void* params) {
        return kShape(*static_cast<const Params*>(params));
      }};
}

template <std::size_t kCount>
constexpr std::array<HostKernel, kCount> SortedBySymbol(
    std::array<HostKernel, kCount> kernels) {
  std::ranges::sort(kernels, {}, &HostKernel::symbol);
  return kernels;
}

template <RmsNormForm kForm, Emission kEmission = Emission::kPlain>
constexpr HostKernel RmsNormRow(std::string_view symbol) {
  return Row<RmsNormParams, &RmsNorm<kForm, kEmission>, &RmsNormShape>(symbol);
}

template <GluFunction kForm, Emission kEmission = Emission::kPlain>
constexpr HostKernel GluRow(std::string_view symbol) {
  return Row<GluParams, &Glu<kForm, kEmission>, &GluShape>(symbol);
}

template <typename Block>
constexpr HostKernel MatVecRow(std::string_view symbol) {
  return Row<MatVecParams, &MatVecHost<Block>, &MatVecShape<Block>>(symbol);
}

template <typename Block>
constexpr HostKernel MatMulRow(std::string_view symbol) {
  return Row<MatMulParams, &MatMulHost<Block>, &MatMulShape<Block>>(symbol);
}

template <typename Block>
constexpr HostKernel MatMulPad40Row(std::string_view symbol) {
  return Row<MatMulParams, &MatMulPad40Host<Block>, &MatMulPad40Shape>(symbol);
}

template <typename Block>
constexpr HostKernel RoutedMatVecRow(std::string_view symbol) {
  return Row<RoutedMatVecParams, &RoutedMatVecHost<Block>,
             &RoutedMatVecShape<Block>>(symbol);
}

using enum Emission;
using enum GluFunction;

// clang-format off
constexpr auto kHostKernels = SortedBySymbol(std::to_array<HostKernel>({
    Row<AddParams, &AddHost, &AddShape>("reprise_add"),
    Row<AttentionParams, &AttentionHost, &AttentionShape>("reprise_attention"),
    Row<AttentionParams, &AttentionHost, &AttentionTileShape>(
        "reprise_attention_tile_128"),
    Row<AttentionParams, &AttentionHost, &AttentionTileShape>(
        "reprise_attention_tile_64"),
    Row<EmbeddingRowParams, &EmbeddingRowHost, &EmbeddingRowShape>(
        "reprise_embedding_row"),
    Row<KvAppendParams, &KvAppendHost, &KvAppendShape>("reprise_kv_append"),
    Row<QuantizeQ8_0Params, &QuantizePad40Host, &QuantizeQ8_0Shape>(
        "reprise_quantize_q8_0_pad40"),
    Row<QuantizeQ8_0Params, &QuantizeTransposedHost, &QuantizeQ8_0Shape>(
        "reprise_quantize_q8_0_pad40_t"),
    Row<QuantizeQ8_1Params, &QuantizeQ8_1Host, &QuantizeQ8_1Shape>(
        "reprise_quantize_q8_1"),
    Row<RopeParams, &RopeHost, &RopeShape>("reprise_rope"),
    Row<RouterTopKParams, &RouterTopKHost, &RouterTopKShape>(
        "reprise_router_top_k"),
    Row<WeightedSumParams, &WeightedSumHost, &WeightedSumShape>(
        "reprise_weighted_sum"),

    GluRow<kGeglu>("reprise_glu_geglu"),
    GluRow<kGeglu, kEmit>("reprise_glu_geglu_emit"),
    GluRow<kGeglu, kEmitTransposed>(
        "reprise_glu_geglu_emit_t"),
    GluRow<kGegluErf>("reprise_glu_geglu_erf"),
    GluRow<kGegluErf, kEmit>("reprise_glu_geglu_erf_emit"),
    GluRow<kGegluErf, kEmitTransposed>(
        "reprise_glu_geglu_erf_emit_t"),
    GluRow<kGegluQuick>("reprise_glu_geglu_quick"),
    GluRow<kGegluQuick, kEmit>("reprise_glu_geglu_quick_emit"),
    GluRow<kGegluQuick, kEmitTransposed>(
        "reprise_glu_geglu_quick_emit_t"),
    GluRow<kReglu>("reprise_glu_reglu"),
    GluRow<kReglu, kEmit>("reprise_glu_reglu_emit"),
    GluRow<kReglu, kEmitTransposed>(
        "reprise_glu_reglu_emit_t"),
    GluRow<kSwiglu>("reprise_glu_swiglu"),
    GluRow<kSwiglu, kEmit>("reprise_glu_swiglu_emit"),
    GluRow<kSwiglu, kEmitTransposed>(
        "reprise_glu_swiglu_emit_t"),
    GluRow<kSwigluClamp>("reprise_glu_swiglu_clamp"),
    GluRow<kSwigluClamp, kEmit>("reprise_glu_swiglu_clamp_emit"),
    GluRow<kSwigluClamp, kEmitTransposed>(
        "reprise_glu_swiglu_clamp_emit_t"),
    GluRow<kSwigluOai>("reprise_glu_swiglu_oai"),
    GluRow<kSwigluOai, kEmit>("reprise_glu_swiglu_oai_emit"),
    GluRow<kSwigluOai, kEmitTransposed>(
        "reprise_glu_swiglu_oai_emit_t"),

    RmsNormRow<RmsNormForm::kPlain>("reprise_rms_norm"),
    RmsNormRow<RmsNormForm::kPlain, kEmit>("reprise_rms_norm_emit"),
    RmsNormRow<RmsNormForm::kPlain, kEmitTransposed>(
        "reprise_rms_norm_emit_t"),
    RmsNormRow<RmsNormForm::kMul>("reprise_rms_norm_mul"),
    RmsNormRow<RmsNormForm::kMul, kEmit>("reprise_rms_norm_mul_emit"),
    RmsNormRow<RmsNormForm::kMul, kEmitTransposed>(
        "reprise_rms_norm_mul_emit_t"),
    RmsNormRow<RmsNormForm::kMulAdd>("reprise_rms_norm_mul_add"),
    RmsNormRow<RmsNormForm::kMulAdd, kEmit>("reprise_rms_norm_mul_add_emit"),
    RmsNormRow<RmsNormForm::kMulAdd, kEmitTransposed>(
        "reprise_rms_norm_mul_add_emit_t"),
    RmsNormRow<RmsNormForm::kScale>("reprise_rms_norm_scale"),
    RmsNormRow<RmsNormForm::kScale, kEmit>("reprise_rms_norm_scale_emit"),
    RmsNormRow<RmsNormForm::kScale, kEmitTransposed>(
        "reprise_rms_norm_scale_emit_t"),

#define REPRISE_ROWS(format, Block) MatMulRow<Block>("reprise_matmul_" #format),
    REPRISE_MATMUL_BLOCKS(REPRISE_ROWS)
#undef REPRISE_ROWS

#define REPRISE_ROWS(format, Block)                 \
    MatMulPad40Row<Block>("reprise_matmul_pad40_" #format), \
    MatVecRow<Block>("reprise_matvec_" #format),    \
    RoutedMatVecRow<Block>("reprise_routed_matvec_" #format),
    REPRISE_WEIGHT_BLOCKS(REPRISE_ROWS)
#undef REPRISE_ROWS
}));
// clang-format on

}  // namespace

std::span<const HostKernel> HostKernels() { return kHostKernels; }

const HostKernel* FindHostKernel(std::string_view symbol) {
  const HostKernel* found =
      std::ranges::lower_bound(kHostKernels, symbol, {}, &HostKernel::symbol);
  const bool here = found != kHostKernels.end() && found->symbol == symbol;
  return here ? found : nullptr;
}

}  // namespace reprise
