// The decoder's step with so many tokens that matrix kernels take over.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "examples/decoder/decoder.h"
#include "examples/decoder/projection.h"
#include "planner/decline.h"
#include "planner/planner.h"
#include "planner/summary.h"
#include "replay/host_executable.h"
#include "replay/verify.h"
#include "tests/support/status_matchers.h"

namespace reprise::decoder {
namespace {

constexpr int kReplays = 2;

Options SmallOptions(WeightFormat format, int tokens) {
  const int width = std::max(64, InfoOf(format).block_values);
  Options options;
  options.format = format;
  options.tokens = tokens;
  options.hidden = width;
  options.feed_forward = width;
  options.head_dim = width / options.heads;
  options.vocabulary = 32;
  options.context = 2 * tokens;
  options.experts = 4;
  return options;
}

absl::StatusOr<Verdict> VerifyPlan(const Decoder& decoder, const Plan& plan,
                                   std::uint32_t order_seed = 0) {
  return Verify(
      decoder.graph, plan, decoder.memory,
      [&](int replay, HostMemory& memory) { Refresh(decoder, replay, memory); },
      {.replays = kReplays, .order_seed = order_seed});
}

std::string Text(const Decoder& decoder, const Verdict& verdict) {
  return verdict.equal() ? "" : ToText(decoder.graph, *verdict.difference);
}

using Quantizers = std::map<absl::string_view, int>;  // by layout

Quantizers QuantizersOf(const Graph& graph) {
  Quantizers quantizers;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const Op& op = graph.node(NodeId{n}).op;
    if (IsQuantizer(op)) ++quantizers[InfoOf(*LayoutOf(op)).name];
  }
  return quantizers;
}

using Declines = std::map<DeclineReason, int>;

Declines DeclinesOf(const Plan& plan) {
  Declines declines;
  for (const Decline& decline : plan.declines) ++declines[decline.reason];
  return declines;
}

TEST(LayoutFor, IsQ8_1OfAFewTokensWhateverTheFormat) {
  for (const WeightFormatInfo& info : WeightFormats()) {
    const WeightFormat format = *FindWeightFormat(info.name);
    for (const int tokens : {1, 2, 8}) {
      EXPECT_EQ(LayoutFor(format, tokens), ImageLayout::kQ8_1) << info.name;
    }
  }
}

TEST(LayoutFor, IsTransposedWhereTheTensorCoreReadsIt) {
  for (const WeightFormatInfo& info : WeightFormats()) {
    const bool transposed = info.name == "q4_0" || info.name == "q8_0" ||
                            info.name == "q4_k" || info.name == "q6_k";
    const WeightFormat format = *FindWeightFormat(info.name);
    for (const int tokens : {9, 64, 3325}) {
      EXPECT_EQ(LayoutFor(format, tokens), transposed
                                               ? ImageLayout::kQ8_0Pad40Tiles
                                               : ImageLayout::kQ8_0Pad40)
          << info.name;
    }
  }
}

TEST(Prefill, QuantizesTheInputOfEachProjection) {
  Options options = SmallOptions(WeightFormat::kQ4_0, 9);
  absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  EXPECT_EQ(QuantizersOf(decoder->graph),
            (Quantizers{{"q8_0_pad40_t", 2 * 7 + 1}}));

  options = SmallOptions(WeightFormat::kQ5_0, 9);
  decoder = Build(options);
  ASSERT_OK(decoder);
  EXPECT_EQ(QuantizersOf(decoder->graph),
            (Quantizers{{"q8_0_pad40", 2 * 7 + 1}}));

  // Of each layer Q, K, V and O; the router, of q8_0; gate, up and down.
  options.model = Model::kMoe;
  decoder = Build(options);
  ASSERT_OK(decoder);
  EXPECT_EQ(QuantizersOf(decoder->graph), (Quantizers{{"q8_0_pad40", 2 * 4 + 1},
                                                      {"q8_0_pad40_t", 2},
                                                      {"q8_1", 2 * 3}}));
}

class EveryPrefill
    : public ::testing::TestWithParam<
          std::tuple<Model, int, WeightFormat, int, EventBranches>> {};

TEST_P(EveryPrefill, LeavesTheSameBytesRewritten) {
  const auto& [model, streams, format, tokens, policy] = GetParam();
  Options options = SmallOptions(format, tokens);
  options.model = model;
  options.streams = streams;
  const absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  for (const bool dead_stores : {false, true}) {
    PlanOptions passes = {.event_branches = policy, .dead_stores = dead_stores};
    if (dead_stores) passes.outputs = OutputsOf(*decoder);
    const absl::StatusOr<Plan> plan = MakePlan(decoder->graph, passes);
    ASSERT_OK(plan);
    const absl::StatusOr<Verdict> verdict =
        VerifyPlan(*decoder, *plan, /*order_seed=*/dead_stores);
    ASSERT_OK(verdict);
    EXPECT_TRUE(verdict->equal()) << Text(*decoder, *verdict);
    EXPECT_EQ(verdict->original.replays, kReplays + 0u);
    EXPECT_LT(verdict->rewritten.quantizers, verdict->original.quantizers);
  }
}

std::string NameOfPrefill(
    const ::testing::TestParamInfo<EveryPrefill::ParamType>& p) {
  return absl::StrCat(
      std::get<0>(p.param) == Model::kMoe ? "Moe" : "Dense", "Streams",
      std::get<1>(p.param), InfoOf(std::get<2>(p.param)).name, "Tokens",
      std::get<3>(p.param),
      std::get<4>(p.param) == EventBranches::kProven ? "Proven" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Tokens, EveryPrefill,
    ::testing::Combine(
        ::testing::Values(Model::kDense, Model::kMoe), ::testing::Values(1, 3),
        ::testing::Values(WeightFormat::kQ4_0, WeightFormat::kQ5_0),
        ::testing::Values(9, 63, 64, 65, 129),
        ::testing::Values(EventBranches::kOriginal, EventBranches::kProven)),
    NameOfPrefill);
INSTANTIATE_TEST_SUITE_P(
    ManyTokens, EveryPrefill,
    ::testing::Combine(
        ::testing::Values(Model::kDense, Model::kMoe), ::testing::Values(1),
        ::testing::Values(WeightFormat::kQ4_0, WeightFormat::kQ5_0),
        ::testing::Values(512), ::testing::Values(EventBranches::kOriginal)),
    NameOfPrefill);
INSTANTIATE_TEST_SUITE_P(
    Formats, EveryPrefill,
    ::testing::Combine(
        ::testing::Values(Model::kDense, Model::kMoe), ::testing::Values(1),
        ::testing::Values(WeightFormat::kQ8_0, WeightFormat::kQ4K,
                          WeightFormat::kQ6K, WeightFormat::kIq2Xs),
        ::testing::Values(9), ::testing::Values(EventBranches::kOriginal)),
    NameOfPrefill);

// Each layer's bytes are made token by token, so that nothing may depend on
// what other tokens a step takes.
TEST(Prefill, InOneStepLeavesTheBytesOfTwo) {
  for (const Model model : {Model::kDense, Model::kMoe}) {
    for (const WeightFormat format :
         {WeightFormat::kQ4_0, WeightFormat::kQ5_0}) {
      constexpr int kHalf = 35;
      Options options = SmallOptions(format, kHalf);
      options.model = model;
      const absl::StatusOr<Decoder> half = Build(options);
      options.tokens = 2 * kHalf;
      const absl::StatusOr<Decoder> whole = Build(options);
      ASSERT_OK(half);
      ASSERT_OK(whole);
      Inputs inputs = InputsOf(half->options, 0);
      const Inputs second = InputsOf(half->options, 1);
      HostMemory by_halves = half->memory.Clone();
      HostMemory at_once = whole->memory.Clone();
      absl::StatusOr<HostExecutable> halves =
          HostExecutable::Create(half->graph, by_halves);
      absl::StatusOr<HostExecutable> once =
          HostExecutable::Create(whole->graph, at_once);
      ASSERT_OK(halves);
      ASSERT_OK(once);
      for (const Inputs& step : {inputs, second}) {
        SetInputs(*half, step, by_halves);
        halves->Launch();
      }
      inputs.tokens.insert(inputs.tokens.end(), second.tokens.begin(),
                           second.tokens.end());
      inputs.positions.insert(inputs.positions.end(), second.positions.begin(),
                              second.positions.end());
      SetInputs(*whole, inputs, at_once);
      once->Launch();

      const std::uint64_t half_bytes =
          sizeof(float) * kHalf * options.vocabulary + 0u;
      EXPECT_EQ(*by_halves.Read(half->tensors.logits.address, half_bytes),
                *at_once.Read(whole->tensors.logits.address + half_bytes,
                              half_bytes));
      for (int i = 0; i < options.layers; ++i) {
        const std::uint64_t bytes = sizeof(std::uint16_t) * options.context *
                                    options.kv_heads * options.head_dim;
        EXPECT_EQ(*by_halves.Read(half->tensors.layers[i].keys.address, bytes),
                  *at_once.Read(whole->tensors.layers[i].keys.address, bytes));
        EXPECT_EQ(
            *by_halves.Read(half->tensors.layers[i].values.address, bytes),
            *at_once.Read(whole->tensors.layers[i].values.address, bytes));
      }
    }
  }
}

// The shape of Qwen2-7B but for the vocabulary; weights without bytes.
Options Qwen2() {
  Options options;
  options.layers = 28;
  options.tokens = 128;
  options.hidden = 3584;
  options.feed_forward = 18944;
  options.heads = 28;
  options.kv_heads = 4;
  options.head_dim = 128;
  options.vocabulary = 1024;
  options.distinct_rows = 1;
  return options;
}

TEST(Qwen2Prefill, QuantizesSevenTimesALayerAndFourTimesShared) {
  const absl::StatusOr<Decoder> decoder = Build(Qwen2());
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan =
      MakePlan(decoder->graph, {.emission = false});
  ASSERT_OK(plan);
  const Summary summary = Summarize(decoder->graph, *plan);
  // And once in front of the head.
  EXPECT_EQ(summary.before.quantizers, 28u * 7 + 1);
  EXPECT_EQ(summary.after.quantizers, 28u * 4 + 1);
  EXPECT_EQ(summary.before.kernels - summary.after.kernels, 28u * 3);
}

// Norms and GLUs write the others; attention is no producer.
TEST(Qwen2Prefill, QuantizesOnceALayerWhereProducersEmit) {
  const absl::StatusOr<Decoder> decoder = Build(Qwen2());
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
  ASSERT_OK(plan);
  const Summary summary = Summarize(decoder->graph, *plan);
  EXPECT_EQ(summary.after.quantizers, 28u);
  EXPECT_EQ(summary.emitted, (EmittedCounts{28 * 2 + 1, 28, 28 * 6 + 1}));
  EXPECT_EQ(DeclinesOf(*plan), (Declines{{DeclineReason::kNotAProducer, 28}}));
}

TEST(Qwen2Prefill, StoresNoFloatsBesideAnImageWhereOutputsAreDeclared) {
  const absl::StatusOr<Decoder> decoder = Build(Qwen2());
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = MakePlan(
      decoder->graph, {.dead_stores = true, .outputs = OutputsOf(*decoder)});
  ASSERT_OK(plan);
  const DroppedCounts dropped = Summarize(decoder->graph, *plan).dropped;
  EXPECT_EQ(dropped.stores, 28u * 3 + 1);
  const std::uint64_t columns = 28 * (2 * 3584 + 18944) + 3584;
  EXPECT_EQ(dropped.bytes, columns * 128 * sizeof(float));
}

// The formats without a kernel on the tensor core read a layout that no
// producer of the pack emits.
TEST(Qwen2Prefill, OfAnotherFormatLeavesEmissionNothing) {
  Options options = Qwen2();
  options.format = WeightFormat::kQ5K;
  const absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
  ASSERT_OK(plan);
  EXPECT_EQ(Summarize(decoder->graph, *plan).after.quantizers, 28u * 4 + 1);
  EXPECT_EQ(DeclinesOf(*plan),
            (Declines{{DeclineReason::kNoEmittingKernel, 28 * 3 + 1},
                      {DeclineReason::kNotAProducer, 28}}));
}

// The router reads another layout than the experts, which read q8_1 whatever
// the tokens. A norm emits one of the two: of a layer stay the quantizer in
// front of O and that of the experts.
TEST(MoePrefill, EmitsOneOfTheTwoImagesInFrontOfRouterAndExperts) {
  Options options = SmallOptions(WeightFormat::kQ4_0, 65);
  options.model = Model::kMoe;
  const absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
  ASSERT_OK(plan);
  const Summary summary = Summarize(decoder->graph, *plan);
  EXPECT_EQ(summary.before.quantizers, 2u * 8 + 1);
  EXPECT_EQ(summary.after.quantizers, 2u * 2);
  EXPECT_EQ(summary.emitted.rms_norm, 2u * 2 + 1);
  EXPECT_EQ(summary.emitted.glu, 2u);
  EXPECT_EQ(DeclinesOf(*plan), (Declines{{DeclineReason::kProducerClaimed, 2},
                                         {DeclineReason::kNotAProducer, 2}}));
}

}  // namespace
}  // namespace reprise::decoder
