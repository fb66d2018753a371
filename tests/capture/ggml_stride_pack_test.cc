// The ggml-cuda pack on strides that are no usual tensor's: of rows that were
// permuted, and of rows that a kernel would read from elsewhere.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/capture/ggml_launch.h"

namespace reprise {
namespace {

struct Strides {
  std::uint64_t row, plane, sample;  // bytes
};

// 2 rows of 128 halves, picked out of `heads` planes.
SignedLaunch GetRows(std::uint64_t heads, Strides of) {
  return Launch("k_get_rows_float",
                "_Z16k_get_rows_floatI6__halffEvPKT_PKiPT0_ll5uint3mmmmmmmmm",
                {2, 1, 1}, {256, 1, 1})
      .Set("src0", 0x200000)
      .Set("src1", 0x300000)
      .Set("dst", 0x400000)
      .Set("ne00", 128)
      .Set("ne11", heads)
      .Set("ne12.z", 1)
      .Set("s1", 128)
      .Set("s2", 256)
      .Set("s3", 256 * heads)
      .Set("nb01", of.row)
      .Set("nb02", of.plane)
      .Set("nb03", of.sample)
      .Set("s10", 1)
      .Set("s11", 2);
}

TEST(GgmlStrides, RowsInOrderAreBoundedByTheirPlane) {
  EXPECT_EQ(GetRows(4, {256, 256 * 50, 256 * 200}).Effects()[2],
            "read none 0x200000:byte:51200?");
  EXPECT_EQ(GetRows(1, {256, 256, 256}).Effects()[2],
            "read none 0x200000:byte:256?");
}

// 50 tokens of 4 heads, and of one: a plane is no longer than a row, and says
// nothing of how many there are.
TEST(GgmlStrides, RowsOfPermutedHeadsAreBoundedByTheirSample) {
  EXPECT_EQ(GetRows(4, {1024, 256, 51200}).Effects()[2],
            "read none 0x200000:byte:51200?");
  EXPECT_EQ(GetRows(1, {256, 256, 12800}).Effects()[2],
            "read none 0x200000:byte:12800?");
}

TEST(GgmlStrides, RowsWithoutABoundAreOpaque) {
  EXPECT_TRUE(GetRows(4, {51200, 256, 1024}).Opaque());
}

TEST(GgmlStrides, RowsOfAPermutedCacheAreBoundedByTheirSample) {
  const auto launch = [](std::uint64_t heads, std::uint64_t row,
                         std::uint64_t plane, std::uint64_t sample) {
    return Launch("k_set_rows", "_Z10k_set_rowsIfl6__halfEvPKT_PKT0_PT1_",
                  {1, 1, 1}, {256, 1, 1})
        .Set("src0", 0x200000)
        .Set("src1", 0x300000)
        .Set("dst", 0x400000)
        .Set("ne_total", 128 * heads)
        .Set("ne00.z", 128)
        .Set("ne01.z", 1)
        .Set("ne02.z", heads)
        .Set("ne11_fd.z", 1)
        .Set("ne12_fd.z", 1)
        .Set("s02", 128)
        .Set("s1", row)
        .Set("s2", plane)
        .Set("s3", sample);
  };
  EXPECT_EQ(launch(4, 512, 128, 25600).Effects().back(),
            "write none 0x400000:byte:51200?");
  EXPECT_EQ(launch(1, 128, 128, 6400).Effects().back(),
            "write none 0x400000:byte:12800?");
  EXPECT_TRUE(launch(4, 25600, 128, 512).Opaque());
}

// Two outputs of 8 rows of experts of q4_0: where the experts lie is known by
// the strides, in blocks.
SignedLaunch RoutedMatVec(std::uint64_t expert, std::uint64_t all) {
  return Launch(
             "mul_mat_vec_q",
             "_Z13mul_mat_vec_qIL9ggml_type2ELi1ELb0ELb0ELb0EEvPKvS2_PKi31ggml"
             "_cuda_mm_fusion_args_devicePfj5uint3jjjS7_jjjS7_jjjj",
             {8, 2, 1}, {32, 4, 1})
      .Set("vx", 0x200000)
      .Set("vy", 0x300000)
      .Set("ids", 0x500000)
      .Set("dst", 0x400000)
      .Set("ncols_x", 64)
      .Set("nchannels_y.z", 1)
      .Set("channel_ratio.z", 1)
      .Set("sample_ratio.z", 1)
      .Set("stride_row_x", 2)
      .Set("stride_channel_x", expert)
      .Set("stride_sample_x", all)
      .Set("stride_channel_dst", 8);
}

// 4 experts of 8 rows: 32 rows in all.
TEST(GgmlStrides, RoutedMatrixKernelIsBoundedByItsExperts) {
  EXPECT_EQ(RoutedMatVec(16, 64).Effects(),
            (Lines{"routed_matvec q4_0", "read weights 0x200000:byte:1152?",
                   "read image 0x300000:q8_1:2", "read ids 0x500000:i32:2",
                   "write output 0x400000:f32:8x2"}));
}

TEST(GgmlStrides, ExpertsWithoutABoundAreOpaque) {
  EXPECT_FALSE(RoutedMatVec(16, 64).Opaque());
  EXPECT_TRUE(RoutedMatVec(64, 16).Opaque());
  EXPECT_TRUE(RoutedMatVec(64, 64).Opaque());
}

// It loads four floats at once, from the last place that four floats may lie.
TEST(GgmlStrides, QuantizerOfRowsThatStartWithinFourFloatsIsOpaque) {
  for (const char* scatters : {"0", "1"}) {
    const auto launch = [&](std::uint64_t stride) {
      return Launch("quantize_mmq_q8_1",
                    std::string("_Z17quantize_mmq_q8_1IL18mmq_q8_1_ds_layout1"
                                "ELb") +
                        scatters + "EEvPKfPKiPvllllliii",
                    {4, 2, 1}, {128, 1, 1})
          .Set("x", 0x200000)
          .Set("ids", 0x400000)
          .Set("vy", 0x300000)
          .Set("ne00", 768)
          .Set("s01", stride)
          .Set("s02", stride)
          .Set("ne0", 1024)
          .Set("ne1", 4)
          .Set("ne2", 1)
          .Set("n_expert_used", 1);
    };
    EXPECT_FALSE(launch(772).Opaque());
    EXPECT_TRUE(launch(770).Opaque());
  }
}

// Where pairs reach past the row, so do the writes.
TEST(GgmlStrides, RotationsThatLeaveTheRowAreOpaque) {
  const auto launch = [](std::uint64_t first, std::uint64_t turned,
                         std::uint64_t inplace) {
    return Launch("rope_neox", "_Z9rope_neoxILb1ELb0EffEvPKT1_PT2_iiiiiiiii",
                  {2, 1, 1}, {1, 256, 1})
        .Set("x", 0x200000)
        .Set("dst", inplace ? 0x200000 : 0x300000)
        .Set("pos", 0x400000)
        .Set("ne00", 128)
        .Set("ne01", 2)
        .Set("ne02", 1)
        .Set("s01", 128)
        .Set("s1", 128)
        .Set("n_dims", turned)
        .Set("n_offs", first)
        .Set("inplace", inplace);
  };
  EXPECT_EQ(launch(32, 64, 1).Effects(),
            (Lines{"other", "read none 0x200080:byte:256x2/1,512",
                   "read none 0x400000:i32:1",
                   "write none 0x200080:byte:256x2/1,512"}));
  for (const std::uint64_t inplace : {0, 1}) {
    EXPECT_FALSE(launch(64, 64, inplace).Opaque());
    EXPECT_TRUE(launch(64, 128, inplace).Opaque());
    EXPECT_TRUE(launch(31, 64, inplace).Opaque());
  }
}

// A block is 32 floats one after the other, whatever the stride between floats.
TEST(GgmlStrides, CopiesOfBlocksThatNoRowHoldsAreOpaque) {
  const auto launch = [](bool quantizes, std::uint64_t float_bytes,
                         std::uint64_t columns) {
    const std::string floats = quantizes ? "0" : "1";
    const std::string blocks = quantizes ? "1" : "0";
    Launch copy =
        quantizes
            ? Launch("cpy_f32_q",
                     "_Z9cpy_f32_qIXadL_ZN9_INTERNAL_cpy17cpy_blck_f32_q8_0E"
                     "PKcPcEELi32EEvS1_S2_lllllllllllllll",
                     {1, 1, 1}, {64, 1, 1})
            : Launch("cpy_q_f32",
                     "_Z9cpy_q_f32IXadL_ZN9_INTERNAL_cpy17cpy_blck_q8_0_f32E"
                     "PKcPcEELi32EEvS1_S2_lllllllllllllll",
                     {1, 1, 1}, {64, 1, 1});
    return copy.Set("cx", 0x200000)
        .Set("cdst", 0x300000)
        .Set("ne", 192)
        .Set("ne" + floats + "0", columns)
        .Set("ne" + floats + "1", 192 / columns)
        .Set("ne" + floats + "2", 1)
        .Set("nb" + floats + "0", float_bytes)
        .Set("nb" + floats + "1", 512)
        .Set("ne" + blocks + "0", 64)
        .Set("ne" + blocks + "1", 3)
        .Set("ne" + blocks + "2", 1)
        .Set("nb" + blocks + "0", 34)
        .Set("nb" + blocks + "1", 68);
  };
  for (const bool quantizes : {false, true}) {
    EXPECT_EQ(launch(quantizes, 4, 64).Effects(),
              quantizes ? (Lines{"other", "read none 0x200000:f32:64x3/4,512",
                                 "write none 0x300000:byte:204"})
                        : (Lines{"other", "read none 0x200000:byte:204",
                                 "write none 0x300000:f32:64x3/4,512"}));
    EXPECT_TRUE(launch(quantizes, 8, 64).Opaque());
    EXPECT_TRUE(launch(quantizes, 4, 48).Opaque());
  }
}

}  // namespace
}  // namespace reprise
