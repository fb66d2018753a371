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

class CountedDecoder
    : public OnDevice,
      public ::testing::WithParamInterface<std::tuple<Model, int>> {};

TEST_P(CountedDecoder, LaunchesTheQuantizersOfItsPlan) {
  if (Sanitized()) return;
  Options options;
  std::tie(options.model, options.streams) = GetParam();
  // A router's weights are q8_0.
  if (options.model == Model::kMoe &&
      FindDeviceFunction("reprise_matvec_q8_0") == nullptr) {
    return;
  }
  DecoderRig rig(options);
  GraphHandle handle = rig.Capture();
  ImportedGraph imported =
      Value(GraphImporter(rig.driver).Import(handle.get()));
  Annotate(BuiltInPacks(), imported.graph);
  // A capture has the nodes that were recorded, in their order.
  const Graph& recorded = rig.decoder.program().graph;
  ASSERT_EQ(imported.graph.num_nodes(), recorded.num_nodes());
  for (std::uint32_t n = 0; n < recorded.num_nodes(); ++n) {
    const KernelLaunch& launch = imported.graph.launch(NodeId{n});
    EXPECT_EQ(launch.symbol, recorded.launch(NodeId{n}).symbol);
    EXPECT_EQ(launch.bytes, recorded.launch(NodeId{n}).bytes);
  }

  DeviceExecutable executable =
      Value(DeviceExecutable::Create(rig.driver, std::move(handle)));
  const Outcome& outcome = executable.outcome();
  ASSERT_TRUE(outcome.rewritten) << outcome.declined;
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
  EXPECT_LT(summary.after.quantizers, summary.before.quantizers);
  BeforeAfter counted;
  for (const LaunchRow& row : report.kernels) {
    if (row.op != "quantize" || !row.counted) continue;
    counted.before += row.counted->before;
    counted.after += row.counted->after;
  }
  EXPECT_EQ(counted, (BeforeAfter{kReplays * summary.before.quantizers,
                                  kReplays * summary.after.quantizers}));
}

INSTANTIATE_TEST_SUITE_P(
    Decoders, CountedDecoder,
    ::testing::Combine(::testing::Values(Model::kDense, Model::kMoe),
                       ::testing::Values(1, 3)),
    [](const auto& p) {
      return absl::StrCat(std::get<0>(p.param) == Model::kMoe ? "Moe" : "Dense",
                          "Streams", std::get<1>(p.param));
    });

}  // namespace
}  // namespace reprise::testing
