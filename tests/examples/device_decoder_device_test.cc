// The decoder on a GPU leaves the same bytes however its steps are launched:
// call by call, as the graph that was captured, and rewritten.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "replay/graph_exec.h"
#include "replay/loop.h"
#include "tests/examples/decoder_rig.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using decoder::GreedyStep;
using decoder::Model;
using decoder::Options;

// Under a sanitizer a step takes fifty times as long.
int Steps() { return Sanitized() ? 2 : 8; }

// Runs as captured, by the driver alone.
std::vector<GreedyStep> RunCaptured(DecoderRig& rig) {
  const GraphHandle graph = rig.Capture();
  const GraphExecHandle exec =
      Value(Instantiate(rig.driver, graph.get(), 0, nullptr));
  return rig.Run(Steps(), [&] {
    return CudaStatus(rig.driver,
                      rig.driver.GraphLaunch(exec.get(), rig.stream.get()),
                      "launch the graph");
  });
}

std::vector<GreedyStep> RunInALoop(DecoderRig& rig, VerifyMode verify) {
  LoopOptions options;
  options.verify = verify;
  options.verify_every = 1;
  Loop loop("decoder", options);
  std::vector<GreedyStep> run = rig.Run(Steps(), [&] {
    return loop.Run(rig.stream.get(), [&] { return rig.Step(); });
  });
  EXPECT_OK(loop.status());
  EXPECT_FALSE(loop.difference().has_value());
  EXPECT_TRUE(loop.outcome() != nullptr && loop.outcome()->rewritten);
  const auto runs = static_cast<std::uint64_t>(Steps());
  EXPECT_EQ(loop.counts().captures, 1u);
  EXPECT_EQ(loop.counts().runs, runs);
  EXPECT_EQ(loop.counts().original, 0u);
  EXPECT_EQ(loop.counts().verified, verify == VerifyMode::kOff ? 0u : runs);
  return run;
}

void ExpectNumbers(const std::vector<GreedyStep>& run) {
  ASSERT_EQ(run.size(), static_cast<std::size_t>(Steps()));
  for (const GreedyStep& step : run) {
    float largest = 0;
    for (float logit : step.logits) {
      ASSERT_TRUE(std::isfinite(logit));
      largest = std::max(largest, std::abs(logit));
    }
    EXPECT_GT(largest, 0.1f);
    EXPECT_LT(largest, 100.0f);
  }
}

Options OptionsOf(Model model, int streams, WeightFormat format) {
  Options options;
  options.model = model;
  options.streams = streams;
  options.format = format;
  return options;
}

// Whether this build has the kernels of all its weights: a router's are q8_0.
bool IsBuilt(Model model, WeightFormat format) {
  const auto has = [](WeightFormat f) {
    return FindDeviceFunction(
               absl::StrCat("reprise_matvec_", InfoOf(f).name)) != nullptr;
  };
  return has(format) && (model == Model::kDense || has(WeightFormat::kQ8_0));
}

class EveryDeviceDecoder : public OnDevice,
                           public ::testing::WithParamInterface<
                               std::tuple<Model, int, WeightFormat>> {};

TEST_P(EveryDeviceDecoder, LeavesTheSameLogitsHoweverItIsLaunched) {
  const auto& [model, streams, format] = GetParam();
  if (!IsBuilt(model, format)) return;
  DecoderRig rig(OptionsOf(model, streams, format));
  const std::vector<GreedyStep> eager =
      rig.Run(Steps(), [&] { return rig.Step(); });
  ExpectNumbers(eager);
  EXPECT_TRUE(SameBytes(eager, RunCaptured(rig)));
  EXPECT_TRUE(SameBytes(eager, RunInALoop(rig, VerifyMode::kOff)));
  EXPECT_TRUE(SameBytes(eager, RunInALoop(rig, VerifyMode::kEveryN)));
}

INSTANTIATE_TEST_SUITE_P(
    Decoders, EveryDeviceDecoder,
    ::testing::Combine(::testing::Values(Model::kDense, Model::kMoe),
                       ::testing::Values(1, 3),
                       ::testing::Values(WeightFormat::kQ4_0,
                                         WeightFormat::kQ8_0,
                                         WeightFormat::kQ4K, WeightFormat::kQ6K,
                                         WeightFormat::kIq2Xs)),
    [](const auto& p) {
      return absl::StrCat(std::get<0>(p.param) == Model::kMoe ? "Moe" : "Dense",
                          "Streams", std::get<1>(p.param),
                          InfoOf(std::get<2>(p.param)).name);
    });

class EveryDevicePrefill : public OnDevice,
                           public ::testing::WithParamInterface<
                               std::tuple<Model, WeightFormat, int>> {};

// Steps follow each other and then begin anew, at both halves of the cache.
TEST_P(EveryDevicePrefill, LeavesTheSameLogitsHoweverItIsLaunched) {
  const auto& [model, format, tokens] = GetParam();
  if (!IsBuilt(model, format)) return;
  for (const int streams : {1, 3}) {
    Options options = OptionsOf(model, streams, format);
    options.tokens = tokens;
    options.context = 2 * tokens;
    DecoderRig rig(options);
    const std::vector<GreedyStep> eager =
        rig.Run(Steps(), [&] { return rig.Step(); });
    ExpectNumbers(eager);
    EXPECT_TRUE(SameBytes(eager, RunCaptured(rig)));
    EXPECT_TRUE(SameBytes(eager, RunInALoop(rig, VerifyMode::kOff)));
    EXPECT_TRUE(SameBytes(eager, RunInALoop(rig, VerifyMode::kEveryN)));
    if (Sanitized()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Decoders, EveryDevicePrefill,
    ::testing::Combine(::testing::Values(Model::kDense, Model::kMoe),
                       ::testing::Values(WeightFormat::kQ4_0,
                                         WeightFormat::kQ8_0,
                                         WeightFormat::kQ4K, WeightFormat::kQ6K,
                                         WeightFormat::kIq2Xs),
                       ::testing::Values(9, 65, 129, 512)),
    [](const auto& p) {
      return absl::StrCat(std::get<0>(p.param) == Model::kMoe ? "Moe" : "Dense",
                          InfoOf(std::get<1>(p.param)).name, "Tokens",
                          std::get<2>(p.param));
    });

class ADeviceDecoder : public OnDevice {};

TEST_F(ADeviceDecoder, OfSeveralTokensRunsRewrittenBesideEachStream) {
  Options options = OptionsOf(Model::kDense, 3, WeightFormat::kQ4_0);
  options.tokens = 8;
  DecoderRig rig(options);
  const std::vector<GreedyStep> eager =
      rig.Run(Steps(), [&] { return rig.Step(); });
  ExpectNumbers(eager);
  EXPECT_TRUE(SameBytes(eager, RunInALoop(rig, VerifyMode::kEveryN)));
}

TEST_F(ADeviceDecoder, LeavesTheSameLogitsWithFullDependencies) {
  const Options options = OptionsOf(Model::kDense, 3, WeightFormat::kQ4_0);
  DecoderRig programmatic(options);
  DecoderRig full(options, Dependency::kFull);
  const std::vector<GreedyStep> run =
      full.Run(Steps(), [&] { return full.Step(); });
  EXPECT_TRUE(SameBytes(
      run, programmatic.Run(Steps(), [&] { return programmatic.Step(); })));
  EXPECT_TRUE(SameBytes(run, RunInALoop(full, VerifyMode::kEveryN)));
}

// Its rows repeat, and so do those of the logits.
TEST_F(ADeviceDecoder, OfRepeatedRowsLeavesRepeatedLogits) {
  Options options;
  options.distinct_rows = 16;
  DecoderRig rig(options);
  const std::vector<GreedyStep> run =
      rig.Run(Steps(), [&] { return rig.Step(); });
  ExpectNumbers(run);
  for (const GreedyStep& step : run) {
    for (std::size_t i = 16; i < step.logits.size(); ++i) {
      ASSERT_EQ(step.logits[i], step.logits[i % 16]) << i;
    }
  }
  EXPECT_TRUE(SameBytes(run, RunInALoop(rig, VerifyMode::kEveryN)));
}

}  // namespace
}  // namespace reprise::testing
