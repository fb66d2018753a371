// The ggml-cuda pack on launches whose extents were worked out by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "capture/annotate.h"
#include "capture/pack.h"
#include "capture/signature.h"
#include "graph/graph.h"
#include "tests/capture/ggml_launch.h"

namespace reprise {
namespace {

// 3,584 floats are 14,336 bytes; 112 blocks of 36 bytes are 4,032.
TEST(GgmlPack, QuantizerReadsARowAndWritesItsImage) {
  EXPECT_EQ(Launch("quantize_q8_1", "_Z13quantize_q8_1PKfPvlllllj5uint3",
                   {14, 1, 1}, {256, 1, 1})
                .Set("x", 0x200000)
                .Set("vy", 0x300000)
                .Set("ne00", 3584)
                .Set("s01", 3584)
                .Set("s02", 3584)
                .Set("s03", 3584)
                .Set("ne0", 3584)
                .Set("ne1", 1)
                .Set("ne2.z", 1)
                .Effects(),
            (Lines{"quantize scratch", "read source 0x200000:f32:3584",
                   "write image 0x300000:q8_1:112"}));
}

// 768 values are padded to 1,024, that is 32 blocks a row; two planes of
// three rows of a view with holes.
TEST(GgmlPack, QuantizerPadsRowsAndFollowsStrides) {
  EXPECT_EQ(Launch("quantize_q8_1", "_Z13quantize_q8_1PKfPvlllllj5uint3",
                   {4, 3, 2}, {256, 1, 1})
                .Set("x", 0x200000)
                .Set("vy", 0x300000)
                .Set("ne00", 768)
                .Set("s01", 800)
                .Set("s02", 4000)
                .Set("s03", 8000)
                .Set("ne0", 1024)
                .Set("ne1", 3)
                .Set("ne2.z", 2)
                .Effects(),
            (Lines{"quantize scratch",
                   "read source 0x200000:f32:768x3x2/4,3200,16000",
                   "write image 0x300000:q8_1:32x6"}));
}

constexpr char kManyTokens[] =
    "_Z17quantize_mmq_q8_1IL18mmq_q8_1_ds_layout1ELb0EEvPKfPKiPvllllliii";

// 8 chunks of 128 values, padding included, of 9 columns: 72 blocks of 144
// bytes.
TEST(GgmlPack, QuantizerForManyTokensPadsRowsAndLeavesNoHole) {
  EXPECT_EQ(
      Launch("quantize_mmq_q8_1", kManyTokens, {9, 2, 1}, {128, 1, 1})
          .Set("x", 0x200000)
          .Set("vy", 0x300000)
          .Set("ne00", 768)
          .Set("s01", 800)
          .Set("ne0", 1024)
          .Set("ne1", 9)
          .Set("ne2", 1)
          .Effects(),
      (Lines{"quantize ds4 scratch", "read source 0x200000:f32:768x9/4,3200",
             "write image 0x300000:byte:10368"}));
}

// The numbers pick rows out of who knows where in the allocation.
TEST(GgmlPack, QuantizerForManyTokensGathersRows) {
  EXPECT_EQ(
      Launch("quantize_mmq_q8_1",
             "_Z17quantize_mmq_q8_1IL18mmq_q8_1_ds_layout0ELb0EEvPKfPKiPvllllli"
             "ii",
             {8, 2, 1}, {128, 1, 1})
          .Set("x", 0x200000)
          .Set("ids", 0x400000)
          .Set("vy", 0x300000)
          .Set("ne00", 768)
          .Set("s01", 768)
          .Set("ne0", 1024)
          .Set("ne1", 8)
          .Set("ne2", 1)
          .Effects(),
      (Lines{"quantize d4 scratch", "read source 0x100000:byte:16777216?",
             "read ids 0x400000:i32:8", "write image 0x300000:byte:9216"}));
}

// 4 tokens, each written for 2 experts.
TEST(GgmlPack, QuantizerForManyTokensScattersRows) {
  EXPECT_EQ(
      Launch("quantize_mmq_q8_1",
             "_Z17quantize_mmq_q8_1IL18mmq_q8_1_ds_layout2ELb1EEvPKfPKiPvllllli"
             "ii",
             {4, 2, 1}, {128, 1, 1})
          .Set("x", 0x200000)
          .Set("ids", 0x400000)
          .Set("vy", 0x300000)
          .Set("ne00", 768)
          .Set("s02", 800)
          .Set("ne0", 1024)
          .Set("ne1", 8)
          .Set("n_expert_used", 2)
          .Effects(),
      (Lines{"quantize d2s6 scratch", "read source 0x200000:f32:768x4/4,3200",
             "read ids 0x400000:i32:8", "write image 0x300000:byte:9216"}));
}

// A tile of 16 columns where there are 9: 1,776 bytes are loaded behind the
// image of 6 chunks. From 0.25 on the symbol has the activation's precision.
TEST(GgmlPack, MatrixKernelForManyTokensLoadsTilesPastTheImage) {
  for (const char* precision : {"", "L9ggml_prec30E"}) {
    EXPECT_EQ(Launch("mul_mat_q",
                     std::string("_Z9mul_mat_qIL9ggml_type2ELi16ELb1E") +
                         precision + "EvPKcPKi",
                     {1, 1, 1}, {32, 8, 1})
                  .Set("x", 0x200000)
                  .Set("y", 0x300000)
                  .Set("dst", 0x500000)
                  .Set("blocks_per_ne00.z", 24)
                  .Set("nrows_x", 32)
                  .Set("ncols_dst", 9)
                  .Set("stride_row_x", 24)
                  .Set("ncols_y", 9)
                  .Set("stride_col_dst", 32)
                  .Set("channel_ratio.z", 1)
                  .Set("nchannels_y.z", 1)
                  .Set("sample_ratio.z", 1)
                  .Set("nsamples_y.z", 1)
                  .Set("ntx.z", 1)
                  .Effects(),
              (Lines{"matvec q4_0 ds4", "read weights 0x200000:byte:13824",
                     "read image 0x300000:byte:7776",
                     "read slack 0x300000:byte:9552?",
                     "write output 0x500000:f32:32x9"}));
  }
}

TEST(GgmlPack, NormReadsOneFactorRowForAllRows) {
  EXPECT_EQ(
      Launch("rms_norm_f32",
             "_Z12rms_norm_f32ILi1024ELb1ELb0EEvPKfPfilllfS1_lll5uint3S3_S3_S3"
             "_S1_lllS3_S3_S3_S3_",
             {2, 1, 1}, {1024, 1, 1})
          .Set("x", 0x200000)
          .Set("dst", 0x300000)
          .Set("mul", 0x400000)
          .Set("ncols", 2048)
          .Set("stride_row", 2048)
          .Set("mul_stride_row", 2048)
          .Set("mul_ncols.z", 2048)
          .Set("mul_nrows.z", 1)
          .Set("mul_nchannels.z", 1)
          .Set("mul_nsamples.z", 1)
          .Effects(),
      (Lines{"rms_norm mul", "read source 0x200000:f32:2048x2",
             "write output 0x300000:f32:2048x2",
             "read none 0x400000:f32:2048"}));
}

// 64 values of Q4_0 are 2 blocks of 18 bytes; two weight rows a block, so 5
// blocks read 10 rows of a matrix of 9 and write only 9 values a column.
TEST(GgmlPack, MatrixKernelReadsWholeBlocksOfRows) {
  EXPECT_EQ(
      Launch("mul_mat_vec_q",
             "_Z13mul_mat_vec_qIL9ggml_type2ELi2ELb0ELb0ELb0EEvPKvS2_PKi31ggml"
             "_cuda_mm_fusion_args_devicePfj5uint3jjjS7_jjjS7_jjjj",
             {5, 1, 1}, {32, 4, 1})
          .Set("vx", 0x200000)
          .Set("vy", 0x300000)
          .Set("dst", 0x400000)
          .Set("ncols_x", 64)
          .Set("nchannels_y.z", 1)
          .Set("channel_ratio.z", 1)
          .Set("sample_ratio.z", 1)
          .Set("stride_row_x", 2)
          .Set("stride_col_y", 16)
          .Set("stride_col_dst", 9)
          .Effects(),
      (Lines{"matvec q4_0", "read weights 0x200000:byte:360",
             "read image 0x300000:q8_1:2x2/36,576",
             "write output 0x400000:f32:9x2"}));
}

// Rows of 512 halves into a cache of s2 / s1 = 256 rows.
TEST(GgmlPack, CacheWriteIsBoundedByTheRowsOfTheCache) {
  EXPECT_EQ(
      Launch("k_set_rows", "_Z10k_set_rowsIfl6__halfEvPKT_PKT0_PT1_", {2, 1, 1},
             {256, 1, 1})
          .Set("src0", 0x200000)
          .Set("src1", 0x300000)
          .Set("dst", 0x400000)
          .Set("ne_total", 512)
          .Set("ne00.z", 512)
          .Set("ne01.z", 1)
          .Set("ne02.z", 1)
          .Set("ne11_fd.z", 1)
          .Set("ne12_fd.z", 1)
          .Set("s1", 512)
          .Set("s2", 512 * 256)
          .Effects(),
      (Lines{"other", "read none 0x200000:byte:2048",
             "read none 0x300000:byte:8", "write none 0x400000:byte:262144?"}));
}

TEST(GgmlPack, KnowsAGluByTheNameOfItsFunction) {
  struct {
    const char* function;
    const char* op;
  } const rows[] = {{"7op_silu", "glu swiglu"},
                    {"7op_gelu", "glu geglu"},
                    {"11op_gelu_erf", "glu geglu_erf"},
                    {"13op_gelu_quick", "glu geglu_quick"},
                    {"7op_relu", "glu reglu"},
                    {"10op_sigmoid", "other"}};
  for (const auto& row : rows) {
    for (const char* type : {"f", "6__half"}) {
      const std::string symbol =
          std::string(
              "_Z21unary_gated_op_kernelIXadL_ZN38_INTERNAL_db8c7d25_8_"
              "unary_cu_eb6d5366") +
          row.function + "EfEE" + type + "EvPKT0_S3_PS1_llll";
      const Lines effects =
          GluLaunch("unary_gated_op_kernel", symbol).Effects();
      EXPECT_EQ(effects[0], type == std::string("f") ? row.op : "other");
      ASSERT_EQ(effects.size(), 4u);
      if (effects[0] == "other") continue;
      EXPECT_EQ(effects[1], "read source 0x200000:f32:64x2/4,512");
      EXPECT_EQ(effects[2], "read source 0x300000:f32:64x2");
      EXPECT_EQ(effects[3], "write output 0x400000:f32:64x2");
    }
  }
}

std::string NormReplacement(const std::string& arguments, Dim3 block) {
  return Launch("rms_norm_f32",
                "_Z12rms_norm_f32I" + arguments +
                    "EEvPKfPfilllfS1_lll5uint3S3_S3_S3_S1_lllS3_S3_S3_S3_",
                {2, 1, 1}, block)
      .Set("x", 0x200000)
      .Set("dst", 0x300000)
      .Set("mul", 0x400000)
      .Set("add", 0x500000)
      .Set("ncols", 2048)
      .Emitting();
}

TEST(GgmlPack, ANormOfUsualShapeHasAReplacement) {
  EXPECT_EQ(NormReplacement("Li1024ELb0ELb0E", {1024, 1, 1}),
            "reprise_ggml_rms_norm_plain");
  EXPECT_EQ(NormReplacement("Li1024ELb1ELb0E", {1024, 1, 1}),
            "reprise_ggml_rms_norm_mul");
  EXPECT_EQ(NormReplacement("Li256ELb1ELb1E", {256, 1, 1}),
            "reprise_ggml_rms_norm_mul_add");
  EXPECT_EQ(NormReplacement("Li1024ELb0ELb1E", {1024, 1, 1}), "");
  EXPECT_EQ(NormReplacement("Li1024ELb1ELb0E", {256, 1, 1}), "");
  EXPECT_EQ(NormReplacement("Li512ELb1ELb0E", {512, 1, 1}), "");
  EXPECT_EQ(NormReplacement("Li256ELb1ELb0E", {256, 2, 1}), "");
}

// From 0.25 on the engine has a fourth flag and a parameter more.
TEST(GgmlPack, ANormThatMayScaleItsOutputHasAReplacementOfItsOwn) {
  EXPECT_EQ(NormReplacement("Li1024ELb0ELb0ELb0E", {1024, 1, 1}),
            "reprise_ggml_scaled_rms_norm_plain");
  EXPECT_EQ(NormReplacement("Li1024ELb1ELb0ELb0E", {1024, 1, 1}),
            "reprise_ggml_scaled_rms_norm_mul");
  EXPECT_EQ(NormReplacement("Li256ELb1ELb1ELb0E", {256, 1, 1}),
            "reprise_ggml_scaled_rms_norm_mul_add");
  EXPECT_EQ(NormReplacement("Li256ELb0ELb0ELb1E", {256, 1, 1}),
            "reprise_ggml_scaled_rms_norm_scale");
}

std::string GluReplacement(const std::string& name, const std::string& symbol,
                           int count, int columns) {
  return Launch(name, symbol, {1, 1, 1}, {256, 1, 1})
      .Set("x", 0x200000)
      .Set("g", 0x300000)
      .Set("dst", 0x400000)
      .Set("k", static_cast<std::uint64_t>(count))
      .Set("n", static_cast<std::uint64_t>(columns))
      .Emitting();
}

TEST(GgmlPack, AGluOfWholeBlocksHasAReplacement) {
  const auto gated = [](const std::string& function, int count, int columns) {
    return GluReplacement("unary_gated_op_kernel",
                          "_Z21unary_gated_op_kernelIXadL_ZN38_INTERNAL_"
                          "db8c7d25_8_unary_cu_eb6d5366" +
                              function + "EfEEfEvPKT0_S3_PS1_llll",
                          count, columns);
  };
  EXPECT_EQ(gated("7op_silu", 128, 64), "reprise_ggml_gated_silu");
  EXPECT_EQ(gated("11op_gelu_erf", 96, 96), "reprise_ggml_gated_gelu_erf");
  EXPECT_EQ(gated("10op_sigmoid", 128, 64), "");
  EXPECT_EQ(gated("7op_silu", 96, 48), "");
  EXPECT_EQ(gated("7op_silu", 96, 64), "");
  EXPECT_EQ(
      GluReplacement("swiglu_oai_kernel",
                     "_Z17swiglu_oai_kernelIfEvPKT_S2_PS0_llllff", 128, 64),
      "reprise_ggml_swiglu_oai");
}

// The rewriter puts the image behind the captured parameters; a replacement
// has to look for each where it stands.
TEST(GgmlPack, AReplacementTakesTheParametersAndThenTheImage) {
  int replacements = 0;
  for (const Signature& signature : BuiltInPacks()[1].signatures()) {
    for (const EmittingChoice& choice : signature.emitting) {
      std::string symbol = choice.kernel.symbol;
      symbol = symbol.substr(0, symbol.find("$t0"));
      if (symbol != choice.kernel.symbol) symbol += "silu";
      SCOPED_TRACE(symbol);
      EXPECT_TRUE(choice.kernel.appends_image);
      EXPECT_TRUE(choice.kernel.probe);
      const std::uint32_t end = choice.kernel.image_parameter + 8;
      KernelLaunch launch;
      launch.symbol = symbol;
      launch.parameters = {{0, end}};
      launch.bytes.resize(end);
      const Signature* replacement = BuiltInPacks()[0].Find(launch);
      ASSERT_NE(replacement, nullptr);
      const std::vector<Field>& before = signature.layout.fields;
      const std::vector<Field>& after = replacement->layout.fields;
      ASSERT_EQ(after.size(), before.size() + 1);
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(after[i].offset, before[i].offset) << before[i].name;
        EXPECT_EQ(after[i].type, before[i].type) << before[i].name;
      }
      EXPECT_EQ(after.back().name, "p.image");
      EXPECT_EQ(after.back().offset, choice.kernel.image_parameter);
      ++replacements;
    }
  }
  EXPECT_EQ(replacements, 9);
}

}  // namespace
}  // namespace reprise
