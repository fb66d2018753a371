// The ggml-cuda pack on launches of kernels that ggml 0.25 has changed or added
// since 0.21. The extents were worked out by hand.
#include <gtest/gtest.h>

#include <string>

#include "capture/pack.h"
#include "capture/signature.h"
#include "tests/capture/ggml_launch.h"

namespace reprise {
namespace {

// Two blocks left a tile of 16 columns of 128 rows each.
TEST(Ggml25Pack, FixupAddsTheTilesThatBlocksLeft) {
  for (const char* precision : {"", "L9ggml_prec30E"}) {
    EXPECT_EQ(
        Launch(
            "mul_mat_q_stream_k_fixup",
            std::string("_Z24mul_mat_q_stream_k_fixupIL9ggml_type2ELi16ELb1E") +
                precision + "EvPKiS3_PfS4_5uint3iiiS5_iS5_iS5_",
            {2, 4, 1}, {32, 4, 1})
            .Set("dst", 0x500000)
            .Set("tmp_last_tile", 0x600000)
            .Set("nrows_x", 160)
            .Set("ncols_dst", 9)
            .Set("stride_col_dst", 160)
            .Set("nchannels_y.z", 1)
            .Set("nsamples_y.z", 1)
            .Effects(),
        (Lines{"other", "read none 0x500000:f32:160x9?",
               "write none 0x500000:f32:160x9?",
               "read none 0x600000:f32:4096?"}));
  }
}

// Images of another layout, which only Blackwell reads.
TEST(Ggml25Pack, DoesNotKnowMatrixKernelsOfFourBitActivations) {
  for (const char* kernel : {"9mul_mat_q", "24mul_mat_q_stream_k_fixup"}) {
    const std::string symbol = std::string("_Z") + kernel +
                               "IL9ggml_type39ELi128ELb0EL9ggml_prec40EEvPK";
    for (const Signature& s : BuiltInPacks()[1].signatures()) {
      EXPECT_FALSE(s.symbol.Match(symbol)) << s.name;
    }
  }
}

TEST(Ggml25Pack, ConversionOfFoursCountsFours) {
  EXPECT_EQ(Launch("convert_unary_cont_vec4",
                   "_Z23convert_unary_cont_vec4I6__halffEvPKvPT0_l", {1, 1, 1},
                   {256, 1, 1})
                .Set("vx", 0x200000)
                .Set("y", 0x300000)
                .Set("k4", 100)
                .Effects(),
            (Lines{"other", "read none 0x200000:byte:800",
                   "write none 0x300000:byte:1600"}));
}

// 9 tokens, each the sum of 8 rows of 2,048.
TEST(Ggml25Pack, WeightedReductionReadsEveryExpertsRow) {
  Launch launch("moe_weighted_reduction_f32",
                "_Z26moe_weighted_reduction_f32PKfS0_S0_Pfli", {9, 8, 1},
                {256, 1, 1});
  launch.Set("experts", 0x200000)
      .Set("weights", 0x300000)
      .Set("dst", 0x400000)
      .Set("n_embd", 2048)
      .Set("n_expert_used", 8);
  EXPECT_EQ(launch.Effects(), (Lines{"other", "read none 0x200000:f32:147456",
                                     "read none 0x300000:f32:72",
                                     "write none 0x400000:f32:18432"}));
  EXPECT_EQ(launch.Set("expert_scale", 0x500000).Effects()[2],
            "read none 0x500000:f32:72");
}

// From 0.25 on the kernel of a few tokens may make the GLU too: 2 tokens of 2
// experts each; 9 rows are read as 10.
TEST(Ggml25Pack, RoutedMatrixKernelOfAFewTokensMayReadAGate) {
  const auto launch = [](const char* fused) {
    return Launch("mul_mat_vec_q_moe",
                  std::string("_Z17mul_mat_vec_q_moeIL9ggml_type2ELi2ELb") +
                      fused +
                      "EEvPKvS2_PKi31ggml_cuda_mm_fusion_args_devicePfj5uint3"
                      "jjjjjjjjj",
                  {5, 2, 1}, {32, 2, 1})
        .Set("vx", 0x200000)
        .Set("vy", 0x300000)
        .Set("ids", 0x500000)
        .Set("fusion.gate", 0x600000)
        .Set("dst", 0x400000)
        .Set("ncols_x", 64)
        .Set("nchannels_y.z", 1)
        .Set("nrows_x", 9)
        .Set("stride_row_x", 2)
        .Set("stride_col_y", 16)
        .Set("stride_col_dst", 18)
        .Set("stride_channel_x", 18)
        .Set("stride_channel_dst", 9)
        .Set("ncols_dst", 2)
        .Set("ids_stride", 8)
        .Effects();
  };
  Lines lines = {"routed_matvec q4_0", "read weights 0x100000:byte:16777216?",
                 "read image 0x300000:q8_1:2x2/36,576",
                 "read ids 0x500000:i32:2x2/4,32",
                 "write output 0x400000:f32:9x4"};
  EXPECT_EQ(launch("0"), lines);
  lines.push_back("read weights 0x100000:byte:16777216?");
  EXPECT_EQ(launch("1"), lines);
}

// One sequence, 9 tokens of 8 heads of 128, which look at 256 rows of 2 heads.
// A kernel of another kind looks at rows that a list picks.
TEST(Ggml25Pack, AttentionReadsTheRowsInSight) {
  const std::string symbol =
      "_Z18flash_attn_ext_f16ILi128ELi128ELi16ELi4ELb0ELb0E";
  for (const char* not_sparse : {"", "Lb0E"}) {
    const Lines lines = Launch("flash_attn_ext_f16", symbol + not_sparse + "Ev",
                               {132, 1, 1}, {32, 4, 1})
                            .Set("Q", 0x200000)
                            .Set("K", 0x300000)
                            .Set("V", 0x400000)
                            .Set("dst", 0x500000)
                            .Set("ne01.z", 9)
                            .Set("ne02", 8)
                            .Set("ne03", 1)
                            .Set("nb01", 4096)
                            .Set("nb02", 512)
                            .Set("ne11", 256)
                            .Set("ne12", 2)
                            .Set("nb11", 512)
                            .Set("nb12", 256)
                            .Set("nb21", 512)
                            .Set("nb22", 256)
                            .Effects();
    EXPECT_EQ(lines,
              (Lines{"other", "read none 0x200000:f32:128x9x8/4,4096,512",
                     "read none 0x300000:byte:256x256x2/1,512,256",
                     "read none 0x400000:byte:256x256x2/1,512,256",
                     "write none 0x500000:f32:9216"}));
  }
  for (const Signature& s : BuiltInPacks()[1].signatures()) {
    EXPECT_FALSE(s.symbol.Match(symbol + "Lb1EEv")) << s.name;
  }
}

// 9 blocks of 32 values, 8 for a thread block.
TEST(Ggml25Pack, DequantizerOfBlocksOfThirtyTwoStopsAtTheLast) {
  EXPECT_EQ(Launch("dequantize_block_iq4_nl",
                   "_Z23dequantize_block_iq4_nlI6__halfEvPKvPT_i", {2, 1, 1},
                   {32, 1, 1})
                .Set("vx", 0x200000)
                .Set("yy", 0x300000)
                .Set("nb32", 9)
                .Effects(),
            (Lines{"other", "read none 0x200000:byte:162",
                   "write none 0x300000:byte:576"}));
}

TEST(Ggml25Pack, ScalesFloatsOfEitherSize) {
  struct {
    const char* type;
    const char* bytes;
  } const rows[] = {{"PKfPfffl", "f32:100"},
                    {"IfEvPKT_PS0_ffl", "byte:400"},
                    {"I13__nv_bfloat16EvPKT_PS1_ffl", "byte:200"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Launch("scale_f32", std::string("_Z9scale_f32") + row.type,
                     {1, 1, 1}, {256, 1, 1})
                  .Set("x", 0x200000)
                  .Set("dst", 0x300000)
                  .Set("n", 100)
                  .Effects(),
              (Lines{"other", std::string("read none 0x200000:") + row.bytes,
                     std::string("write none 0x300000:") + row.bytes}));
  }
}

TEST(Ggml25Pack, TransformsRowsOfEitherSize) {
  struct {
    const char* type;
    const char* read;
  } const rows[] = {
      {"", "f32:384"}, {"f", "byte:1536"}, {"6__half", "byte:768"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Launch("fwht_cuda",
                     std::string("_Z9fwht_cudaILi128E") + row.type + "Ev",
                     {1, 1, 1}, {32, 4, 1})
                  .Set("src", 0x200000)
                  .Set("dst", 0x300000)
                  .Set("n_rows", 3)
                  .Effects(),
              (Lines{"other", std::string("read none 0x200000:") + row.read,
                     "write none 0x300000:f32:384"}));
  }
}

// Two planes of three rows.
TEST(Ggml25Pack, SumsRowsOfAViewWithHoles) {
  EXPECT_EQ(Launch("reduce_rows_f32_strided",
                   "_Z23reduce_rows_f32_stridedILb0EEvPKcPfilllll", {6, 1, 1},
                   {512, 1, 1})
                .Set("x", 0x200000)
                .Set("dst", 0x300000)
                .Set("ncols", 100)
                .Set("ne1", 3)
                .Set("ne2", 2)
                .Set("nb1", 1024)
                .Set("nb2", 65536)
                .Set("nb3", 131072)
                .Effects(),
            (Lines{"other", "read none 0x200000:f32:100x3x2/4,1024,65536",
                   "write none 0x300000:f32:6"}));
}

TEST(Ggml25Pack, KnowsAClampedGlu) {
  for (const char* type : {"f", "6__half"}) {
    const Lines lines =
        GluLaunch("swiglu_clamp_kernel",
                  std::string("_Z19swiglu_clamp_kernelI") + type + "EvPKT_")
            .Effects();
    EXPECT_EQ(
        lines,
        type == std::string("f")
            ? (Lines{"glu swiglu_clamp", "read source 0x200000:f32:64x2/4,512",
                     "read source 0x300000:f32:64x2",
                     "write output 0x400000:f32:64x2"})
            : (Lines{"other", "read none 0x200000:byte:128x2/1,256",
                     "read none 0x300000:byte:256",
                     "write none 0x400000:byte:256"}));
  }
}

}  // namespace
}  // namespace reprise
