// What a profiler counts of the decoder's replays is what its plan says.
//
// compute-sanitizer leaves no room for CUPTI: under it these tests do nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capture/annotate.h"
#include "capture/import_graph.h"
#include "driver/cuda_status.h"
#include "planner/summary.h"
#include "replay/device_executable.h"
#include "replay/launch_counter.h"
#include "tests/examples/decoder_rig.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using decoder::Model;
using decoder::Options;

// Counts some replays of a step, as captured and as planned, and says how many
// quantizers a replay there were.
BeforeAfter CountQuantizers(const Options& options, const PlanOptions& plan) {
  DecoderRig rig(options);
  GraphHandle handle = rig.Capture();
  ImportedGraph imported =
      Value(GraphImporter(rig.driver).Import(handle.get()));
  Annotate(BuiltInPacks(), imported.graph);
  // A capture has the nodes that were recorded, in their order.
  const Graph& recorded = rig.decoder.program().graph;
  EXPECT_EQ(imported.graph.num_nodes(), recorded.num_nodes());
  if (::testing::Test::HasFailure()) return {};
  for (std::uint32_t n = 0; n < recorded.num_nodes(); ++n) {
    const KernelLaunch& launch = imported.graph.launch(NodeId{n});
    EXPECT_EQ(launch.symbol, recorded.launch(NodeId{n}).symbol);
    EXPECT_EQ(launch.bytes, recorded.launch(NodeId{n}).bytes);
  }

  DeviceOptions device;
  device.prepare.plan = plan;
  DeviceExecutable executable = Value(DeviceExecutable::Create(
      rig.driver, std::move(handle), std::move(device)));
  const Outcome& outcome = executable.outcome();
  EXPECT_TRUE(outcome.rewritten) << outcome.declined;
  const auto wait = [&](const absl::Status& launched) {
    if (!launched.ok()) return launched;
    return CudaStatus(rig.driver,
                      rig.driver.StreamSynchronize(rig.stream.get()), "wait");
  };
  constexpr std::uint64_t kReplays = 3;
  const LaunchReport report = Value(ReportLaunches(
      imported.graph,
      Rewrite(imported.graph, outcome.plan, executable.arena().address),
      [&] { return wait(executable.LaunchOriginal(rig.stream.get())); },
      [&] { return wait(executable.Launch(rig.stream.get())); }, kReplays));
  EXPECT_EQ(report.not_counted, "");
  EXPECT_THAT(Mismatches(report), ::testing::IsEmpty());
  const Summary summary = Summarize(imported.graph, outcome.plan);
  BeforeAfter counted;
  for (const LaunchRow& row : report.kernels) {
    if (row.op != "quantize" || !row.counted) continue;
    counted.before += row.counted->before;
    counted.after += row.counted->after;
  }
  const BeforeAfter planned = {summary.before.quantizers,
                               summary.after.quantizers};
  EXPECT_EQ(counted,
            (BeforeAfter{kReplays * planned.before, kReplays * planned.after}));
  return planned;
}

class CountedDecoder
    : public OnDevice,
      public ::testing::WithParamInterface<std::tuple<Model, int, int>> {};

TEST_P(CountedDecoder, LaunchesTheQuantizersOfItsPlan) {
  if (Sanitized()) return;
  Options options;
  std::tie(options.model, options.streams, options.tokens) = GetParam();
  // A router's weights are q8_0.
  if (options.model == Model::kMoe &&
      FindDeviceFunction("reprise_matvec_q8_0") == nullptr) {
    return;
  }
  const BeforeAfter quantizers = CountQuantizers(options, {});
  EXPECT_LT(quantizers.after, quantizers.before);
}

INSTANTIATE_TEST_SUITE_P(
    Decoders, CountedDecoder,
    ::testing::Combine(::testing::Values(Model::kDense, Model::kMoe),
                       ::testing::Values(1, 3), ::testing::Values(1, 65)),
    [](const auto& p) {
      return absl::StrCat(std::get<0>(p.param) == Model::kMoe ? "Moe" : "Dense",
                          "Streams", std::get<1>(p.param), "Tokens",
                          std::get<2>(p.param));
    });

class CountedPrefill : public OnDevice {};

// And once in front of the head, by the last norm where norms emit.
TEST_F(CountedPrefill, ShapedAsQwen2QuantizesSevenFourAndOneTimesALayer) {
  if (Sanitized()) return;
  Options options;
  options.layers = 28;
  options.tokens = 128;
  options.hidden = 3584;
  options.feed_forward = 18944;
  options.heads = 28;
  options.kv_heads = 4;
  options.head_dim = 128;
  options.distinct_rows = 32;
  EXPECT_EQ(CountQuantizers(options, {.emission = false}),
            (BeforeAfter{28 * 7 + 1, 28 * 4 + 1}));
  EXPECT_EQ(CountQuantizers(options, {}), (BeforeAfter{28 * 7 + 1, 28}));
}

}  // namespace
}  // namespace reprise::testing
