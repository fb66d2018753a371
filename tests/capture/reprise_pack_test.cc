// Our own pack against our own kernels: every symbol is known, every field
// stands where the compiler puts it, and effects are what the kernels say.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "capture/annotate.h"
#include "capture/pack.h"
#include "capture/signature.h"
#include "graph/graph.h"
#include "graph/weight_format.h"
#include "kernels/emission.h"
#include "kernels/host_kernels.h"
#include "tests/capture/kernel_structs.h"
#include "tests/capture/signed_launch.h"

namespace reprise {
namespace {

const Pack& OurPack() { return BuiltInPacks()[0]; }

KernelLaunch LaunchOf(std::string symbol, std::size_t param_bytes) {
  KernelLaunch launch;
  launch.symbol = std::move(symbol);
  launch.parameters = {{0, static_cast<std::uint32_t>(param_bytes)}};
  launch.bytes.resize(param_bytes);
  return launch;
}

// The struct with the longest symbol that the kernel's starts with.
const KernelStruct& StructOf(const std::string& symbol,
                             const std::vector<KernelStruct>& structs) {
  const KernelStruct* best = &structs.front();
  for (const KernelStruct& s : structs) {
    if (!absl::StartsWith(symbol, s.symbol)) continue;
    if (!absl::StartsWith(symbol, best->symbol) ||
        s.symbol.size() > best->symbol.size()) {
      best = &s;
    }
  }
  return *best;
}

TEST(ReprisePack, RecognisesEveryKernel) {
  for (const HostKernel& kernel : HostKernels()) {
    const std::string symbol(kernel.symbol);
    EXPECT_NE(OurPack().Find(LaunchOf(symbol, kernel.param_bytes)), nullptr)
        << symbol;
    EXPECT_EQ(OurPack().Find(LaunchOf(symbol, kernel.param_bytes + 8)), nullptr)
        << symbol;
    EXPECT_EQ(OurPack().Find(LaunchOf(symbol + "x", kernel.param_bytes)),
              nullptr)
        << symbol;
  }
}

TEST(ReprisePack, StatesEveryFieldWhereTheCompilerPutsIt) {
  const std::vector<KernelStruct> structs = KernelStructs();
  for (const HostKernel& kernel : HostKernels()) {
    const std::string symbol(kernel.symbol);
    const Signature* signature =
        OurPack().Find(LaunchOf(symbol, kernel.param_bytes));
    ASSERT_NE(signature, nullptr) << symbol;
    const KernelStruct& expected = StructOf(symbol, structs);
    EXPECT_EQ(signature->layout.parameters[0].size, expected.size) << symbol;
    ASSERT_EQ(signature->layout.fields.size(), expected.fields.size())
        << symbol;
    for (std::size_t i = 0; i < expected.fields.size(); ++i) {
      const Field& field = signature->layout.fields[i];
      EXPECT_EQ(field.name, "p." + expected.fields[i].name) << symbol;
      EXPECT_EQ(field.offset, expected.fields[i].offset)
          << symbol << " " << field.name;
      EXPECT_EQ(field.size, expected.fields[i].size)
          << symbol << " " << field.name;
    }
  }
}

TEST(ReprisePack, KnowsAnEmittingTwinForEveryProducer) {
  for (const HostKernel& kernel : HostKernels()) {
    Graph graph;
    const NodeId id = graph.AddKernel(
        LaunchOf(std::string(kernel.symbol), kernel.param_bytes));
    Annotate(BuiltInPacks(), graph);
    const Node& node = graph.node(id);
    const bool emits = kernel.symbol.ends_with(kEmitSuffix) ||
                       kernel.symbol.ends_with(kEmitTransposedSuffix);
    EXPECT_EQ(node.emitting != Node::kNoIndex, IsProducer(node.op) && !emits)
        << kernel.symbol;
    EXPECT_TRUE(node.waits) << kernel.symbol;
    if (node.emitting == Node::kNoIndex) continue;
    const auto twins = graph.emitting_kernels(id);
    ASSERT_EQ(twins.size(), 2u);
    const std::string symbol(kernel.symbol);
    EXPECT_EQ(twins[0].symbol, symbol + std::string(kEmitSuffix));
    EXPECT_EQ(twins[1].symbol, symbol + std::string(kEmitTransposedSuffix));
    EXPECT_EQ(twins[0].layout, ImageLayout::kQ8_1);
    EXPECT_EQ(twins[1].layout, ImageLayout::kQ8_0Pad40Tiles);
    for (const EmittingKernel& twin : twins) {
      EXPECT_NE(FindHostKernel(twin.symbol), nullptr) << twin.symbol;
      EXPECT_TRUE(twin.waits);
      EXPECT_TRUE(twin.drops_floats());
    }
  }
}

class Launch : public SignedLaunch {
 public:
  explicit Launch(const std::string& symbol)
      : Launch(LaunchOf(symbol, FindHostKernel(symbol)->param_bytes)) {}

 private:
  explicit Launch(const KernelLaunch& launch)
      : SignedLaunch(launch, *OurPack().Find(launch), {0x10000, 0x100000},
                     "p.") {}
};

TEST(ReprisePack, KnowsTheBlocksOfEveryFormat) {
  const std::vector<KernelBlock> blocks = KernelBlocks();
  ASSERT_EQ(blocks.size(), WeightFormats().size());
  for (const KernelBlock& block : blocks) {
    const auto format = FindWeightFormat(block.format);
    ASSERT_TRUE(format.has_value()) << block.format;
    const WeightFormatInfo& info = InfoOf(*format);
    EXPECT_EQ(info.block_values, block.values) << block.format;
    EXPECT_EQ(static_cast<std::size_t>(info.block_bytes), block.bytes)
        << block.format;
    EXPECT_EQ(Launch("reprise_matvec_" + block.format)
                  .Set("weight_share", 1)
                  .Effects(),
              Lines{"matvec " + block.format});
    EXPECT_EQ(Launch("reprise_routed_matvec_" + block.format).Effects(),
              Lines{"routed_matvec " + block.format});
  }
}

TEST(ReprisePack, QuantizerWritesWholePaddedRows) {
  EXPECT_EQ(
      Launch("reprise_quantize_q8_1")
          .Set("source", 0x10000)
          .Set("image", 0x20000)
          .Set("columns", 600)
          .Set("rows", 3)
          .Set("planes", 2)
          .Set("row_stride", 640)
          .Set("plane_stride", 4096)
          .Effects(),
      (Lines{"quantize scratch", "read source 0x10000:f32:600x3x2/4,2560,16384",
             "write image 0x20000:q8_1:32x6"}));
}

// 65 tokens fill a tile and begin another; 40 columns are two blocks.
TEST(ReprisePack, QuantizersForManyTokensWriteWholeTiles) {
  const auto effects = [](const char* symbol) {
    return Launch(symbol)
        .Set("source", 0x10000)
        .Set("image", 0x30000)
        .Set("columns", 40)
        .Set("tokens", 65)
        .Set("row_stride", 48)
        .Effects();
  };
  EXPECT_EQ(effects("reprise_quantize_q8_0_pad40"),
            (Lines{"quantize q8_0_pad40 scratch",
                   "read source 0x10000:f32:40x65/4,192",
                   "write image 0x30000:byte:10240"}));
  EXPECT_EQ(effects("reprise_quantize_q8_0_pad40_t"),
            (Lines{"quantize q8_0_pad40_t scratch",
                   "read source 0x10000:f32:40x65/4,192",
                   "write image 0x30000:byte:9216"}));
}

TEST(ReprisePack, MatrixKernelsForManyTokensReadTheImageOfTheirLayout) {
  const auto effects = [](const char* symbol) {
    return Launch(symbol)
        .Set("weights", 0x10000)
        .Set("image", 0x20000)
        .Set("output", 0x30000)
        .Set("columns", 64)
        .Set("rows", 8)
        .Set("weight_row_stride", 2)
        .Set("output_row_stride", 8)
        .Set("tokens", 65)
        .Effects();
  };
  EXPECT_EQ(
      effects("reprise_matmul_q4_0"),
      (Lines{"matvec q4_0 q8_0_pad40_t", "read weights 0x10000:byte:288",
             "read image 0x20000:byte:9216", "write output 0x30000:f32:8x65"}));
  EXPECT_EQ(
      effects("reprise_matmul_pad40_q8_0"),
      (Lines{"matvec q8_0 q8_0_pad40", "read weights 0x10000:byte:544",
             "read image 0x20000:byte:5200", "write output 0x30000:f32:8x65"}));
}

TEST(ReprisePack, EmittingNormWritesFloatsAndImage) {
  EXPECT_EQ(Launch("reprise_rms_norm_mul_emit")
                .Set("x", 0x10000)
                .Set("output", 0x20000)
                .Set("image", 0x30000)
                .Set("mul", 0x40000)
                .Set("columns", 512)
                .Set("rows", 2)
                .Set("x_row_stride", 1024)
                .Effects(),
            (Lines{"rms_norm mul", "read source 0x10000:f32:512x2/4,4096",
                   "read none 0x40000:f32:512x2/4,0",
                   "write output 0x20000:f32:512x2",
                   "write image 0x30000:q8_1:16x2"}));
}

TEST(ReprisePack, EmittingProducersWithoutAnOutputWriteTheImageAlone) {
  EXPECT_EQ(Launch("reprise_rms_norm_emit")
                .Set("x", 0x10000)
                .Set("image", 0x30000)
                .Set("columns", 512)
                .Set("rows", 1)
                .Effects(),
            (Lines{"rms_norm plain", "read source 0x10000:f32:512",
                   "write image 0x30000:q8_1:16"}));
  EXPECT_EQ(
      Launch("reprise_glu_swiglu_emit")
          .Set("gate", 0x10000)
          .Set("up", 0x10400)
          .Set("image", 0x30000)
          .Set("columns", 256)
          .Set("rows", 1)
          .Effects(),
      (Lines{"glu swiglu", "read source 0x10000:f32:256",
             "read source 0x10400:f32:256", "write image 0x30000:q8_1:16"}));
}

TEST(ReprisePack, PlainGluNeverTouchesTheImage) {
  EXPECT_EQ(
      Launch("reprise_glu_geglu_quick")
          .Set("gate", 0x10000)
          .Set("up", 0x10400)
          .Set("output", 0x20000)
          .Set("image", 0x30000)
          .Set("columns", 256)
          .Set("rows", 1)
          .Effects(),
      (Lines{"glu geglu_quick", "read source 0x10000:f32:256",
             "read source 0x10400:f32:256", "write output 0x20000:f32:256"}));
}

TEST(ReprisePack, MatrixKernelReadsOnlyTheUnpaddedImage) {
  EXPECT_EQ(Launch("reprise_matvec_q4_0")
                .Set("weights", 0x10000)
                .Set("image", 0x20000)
                .Set("output", 0x30000)
                .Set("columns", 64)
                .Set("rows", 8)
                .Set("weight_row_stride", 2)
                .Set("image_row_stride", 16)
                .Set("output_row_stride", 8)
                .Set("tokens", 2)
                .Set("planes", 1)
                .Set("weight_share", 1)
                .Effects(),
            (Lines{"matvec q4_0", "read weights 0x10000:byte:288",
                   "read image 0x20000:q8_1:2x2/36,576",
                   "write output 0x30000:f32:8x2"}));
}

TEST(ReprisePack, PlanesShareTheirWeights) {
  EXPECT_EQ(Launch("reprise_matvec_q8_0")
                .Set("weights", 0x10000)
                .Set("image", 0x20000)
                .Set("output", 0x30000)
                .Set("columns", 64)
                .Set("rows", 8)
                .Set("weight_row_stride", 2)
                .Set("image_row_stride", 16)
                .Set("output_row_stride", 8)
                .Set("weight_plane_stride", 20)
                .Set("image_plane_stride", 64)
                .Set("output_plane_stride", 16)
                .Set("tokens", 2)
                .Set("planes", 5)
                .Set("weight_share", 2)
                .Effects(),
            (Lines{"matvec q8_0", "read weights 0x10000:byte:544x3/1,680",
                   "read image 0x20000:q8_1:2x2x5/36,576,2304",
                   "write output 0x30000:f32:8x10"}));
}

TEST(ReprisePack, RoutedWeightsAreBoundedByTheExperts) {
  EXPECT_EQ(
      Launch("reprise_routed_matvec_q4_k")
          .Set("weights", 0x10000)
          .Set("image", 0x20000)
          .Set("ids", 0x30000)
          .Set("output", 0x40000)
          .Set("columns", 256)
          .Set("rows", 4)
          .Set("weight_row_stride", 1)
          .Set("expert_stride", 4)
          .Set("image_row_stride", 16)
          .Set("ids_stride", 8)
          .Set("experts", 8)
          .Set("slots", 2)
          .Set("tokens", 3)
          .Set("image_rows", 1)
          .Effects(),
      (Lines{"routed_matvec q4_k", "read weights 0x10000:byte:4608?",
             "read image 0x20000:q8_1:8x3/36,576",
             "read ids 0x30000:i32:2x3/4,32", "write output 0x40000:f32:4x6"}));
}

TEST(ReprisePack, ACounterOfInvalidIdsIsReadAndWrittenWhereThereIsOne) {
  EXPECT_EQ(Launch("reprise_routed_matvec_q8_0")
                .Set("invalid_ids", 0x50000)
                .Effects(),
            (Lines{"routed_matvec q8_0", "read none 0x50000:i32:1?",
                   "write none 0x50000:i32:1?"}));
}

TEST(ReprisePack, CacheWritesAreBoundedByTheCapacity) {
  EXPECT_EQ(
      Launch("reprise_kv_append")
          .Set("source", 0x10000)
          .Set("cache", 0x20000)
          .Set("positions", 0x30000)
          .Set("columns", 128)
          .Set("source_row_stride", 128)
          .Set("capacity", 64)
          .Set("tokens", 1)
          .Effects(),
      (Lines{"other", "read none 0x10000:f32:128", "read none 0x30000:i32:1",
             "write none 0x20000:f16:128x64?"}));
}

}  // namespace
}  // namespace reprise
