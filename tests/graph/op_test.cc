#include "graph/op.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reprise {
namespace {

std::vector<Op> EveryOp() {
  std::vector<Op> ops = {OtherOp{}, Quantize{}, Quantize{.scratch = true}};
  for (const WeightFormatInfo& info : WeightFormats()) {
    ops.push_back(MatVec{.format = info.format});
    ops.push_back(RoutedMatVec{.format = info.format});
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
  EXPECT_EQ(ToText(RmsNorm{RmsForm::kMulAdd}), "rms_norm mul_add");
  EXPECT_EQ(ToText(Glu{GluForm::kGegluQuick}), "glu geglu_quick");
}

TEST(OpFromText, KnowsNothingElse) {
  for (const char* text :
       {"", "Other", "other ", "quantize q8_1", "matvec", "matvec ",
        "matvec q4_9", "matvec  q4_0", "routed_matvec swiglu", "rms_norm",
        "rms_norm add", "glu", "glu silu", "q4_0"}) {
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
  EXPECT_EQ(quantizers, 2);
  EXPECT_EQ(readers, 2 * 23);
  EXPECT_EQ(producers, 4 + 7);
}

}  // namespace
}  // namespace reprise
