#include "graph/op.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reprise {
namespace {

std::vector<Op> EveryOp() {
  std::vector<Op> ops = {OtherOp{}};
  for (ImageLayout layout :
       {ImageLayout::kQ8_1, ImageLayout::kD4, ImageLayout::kDs4,
        ImageLayout::kD2s6, ImageLayout::kQ8_0Pad40,
        ImageLayout::kQ8_0Pad40Tiles}) {
    ops.push_back(Quantize{layout, false});
    ops.push_back(Quantize{layout, true});
    for (const WeightFormatInfo& info : WeightFormats()) {
      ops.push_back(MatVec{info.format, layout});
      ops.push_back(RoutedMatVec{info.format, layout});
    }
  }
  for (RmsForm form :
       {RmsForm::kPlain, RmsForm::kMul, RmsForm::kMulAdd, RmsForm::kScale}) {
    ops.push_back(RmsNorm{form});
  }
  for (GluForm form :
       {GluForm::kReglu, GluForm::kGeglu, GluForm::kSwiglu, GluForm::kGegluErf,
        GluForm::kGegluQuick, GluForm::kSwigluOai, GluForm::kSwigluClamp}) {
    ops.push_back(Glu{form});
  }
  return ops;
}

TEST(OpFromText, GivesBackEveryOp) {
  for (const Op& op : EveryOp()) {
    EXPECT_EQ(OpFromText(ToText(op)), op) << ToText(op);
  }
}

TEST(OpText, NoTwoOpsLookAlike) {
  const std::vector<Op> ops = EveryOp();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(ToText(ops[i]), ToText(ops[j]));
    }
  }
}

TEST(OpText, IsTheWordsOfPacksAndReports) {
  EXPECT_EQ(ToText(OtherOp{}), "other");
  EXPECT_EQ(ToText(Quantize{}), "quantize");
  EXPECT_EQ(ToText(Quantize{.scratch = true}), "quantize scratch");
  EXPECT_EQ(ToText(MatVec{.format = WeightFormat::kQ4K}), "matvec q4_k");
  EXPECT_EQ(ToText(RoutedMatVec{.format = WeightFormat::kMxfp4}),
            "routed_matvec mxfp4");
  EXPECT_EQ(ToText(Quantize{ImageLayout::kDs4, true}), "quantize ds4 scratch");
  EXPECT_EQ(ToText(MatVec{WeightFormat::kQ4_0, ImageLayout::kQ8_0Pad40Tiles}),
            "matvec q4_0 q8_0_pad40_t");
  EXPECT_EQ(ToText(RmsNorm{RmsForm::kMulAdd}), "rms_norm mul_add");
  EXPECT_EQ(ToText(Glu{GluForm::kGegluQuick}), "glu geglu_quick");
}

TEST(Op, HasALayoutWhereItHasAnImage) {
  for (const Op& op : EveryOp()) {
    EXPECT_EQ(LayoutOf(op).has_value(), IsQuantizer(op) || IsReader(op));
  }
  EXPECT_EQ(LayoutOf(RoutedMatVec{.layout = ImageLayout::kD2s6}),
            ImageLayout::kD2s6);
}

TEST(OpFromText, KnowsNothingElse) {
  for (const char* text : {"",
                           "Other",
                           "other ",
                           "quantize q8_1",
                           "quantize scratch ds4",
                           "quantize ds4 d4",
                           "matvec",
                           "matvec ",
                           "matvec q4_9",
                           "matvec  q4_0",
                           "matvec ds4",
                           "matvec q4_0 q8_1",
                           "matvec q4_0 scratch",
                           "other ds4",
                           "routed_matvec swiglu",
                           "rms_norm",
                           "rms_norm add",
                           "rms_norm plain ds4",
                           "glu",
                           "glu silu",
                           "q4_0"}) {
    EXPECT_FALSE(OpFromText(text).has_value()) << text;
  }
}

TEST(Op, IsAQuantizerAReaderAProducerOrNone) {
  int quantizers = 0, readers = 0, producers = 0;
  for (const Op& op : EveryOp()) {
    EXPECT_LE(IsQuantizer(op) + IsReader(op) + IsProducer(op), 1);
    quantizers += IsQuantizer(op);
    readers += IsReader(op);
    producers += IsProducer(op);
  }
  EXPECT_EQ(quantizers, 6 * 2);
  EXPECT_EQ(readers, 6 * 2 * 23);
  EXPECT_EQ(producers, 4 + 7);
}

}  // namespace
}  // namespace reprise
