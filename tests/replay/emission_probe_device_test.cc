// Replacements for ggml-cuda's kernels in a captured graph on the GPU: used
// where the graph's own kernels have that engine's arithmetic, and only there.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"
#include "kernels/matvec.h"
#include "kernels/weight_blocks.h"
#include "replay/device_executable.h"
#include "tests/kernels/ggml_kernels.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

const Driver& TheDriver() {
  static const Driver& driver = **LoadDriver();
  return driver;
}

// Which kernel of the engine makes the activation.
struct Producer {
  const char* name;
  GgmlNorm norm = GgmlNorm::kPlain;
  GgmlGated gated = GgmlGated::kSilu;
  bool is_norm = false;
  bool is_oai = false;
  std::int64_t columns = 2048;

  friend std::ostream& operator<<(std::ostream& out, const Producer& p) {
    return out << p.name;
  }
};

constexpr Producer kProducers[] = {
    {.name = "Norm", .is_norm = true},
    {.name = "NormMul", .norm = GgmlNorm::kMul, .is_norm = true},
    {.name = "NormMulAdd", .norm = GgmlNorm::kMulAdd, .is_norm = true},
    {.name = "NormMulOfAShortRow",
     .norm = GgmlNorm::kMul,
     .is_norm = true,
     .columns = 896},
    {.name = "Silu"},
    {.name = "Gelu", .gated = GgmlGated::kGelu},
    {.name = "GeluErf", .gated = GgmlGated::kGeluErf},
    {.name = "GeluQuick", .gated = GgmlGated::kGeluQuick},
    {.name = "Relu", .gated = GgmlGated::kRelu},
    {.name = "SiluOfAShortRow", .columns = 544},
    {.name = "SwigluOai", .is_oai = true},
};

// producer -> [quantize -> matvec] x 2, as an engine of those kernels captures
// it: both quantizers into one scratch.
class GgmlLoop {
 public:
  static constexpr std::int64_t kTokens = 3;
  static constexpr std::int64_t kOutputRows = 64;

  // The quantizers may come from another build than the producer.
  GgmlLoop(const Producer& producer, const GgmlKernels& producers,
           const GgmlKernels& quantizers)
      : producer_(producer),
        producers_(producers),
        quantizers_(quantizers),
        x_(RandomRow(1, kTokens * columns())),
        g_(RandomRow(2, kTokens * columns())),
        weights_(RandomMatrix(columns())),
        outputs_(kTokens * (columns() + 2 * kOutputRows)),
        scratch_(kTokens * ImageRowBlocks(columns())) {}

  void Run(Dependency dependency, cudaStream_t stream) {
    Produce(dependency, stream);
    for (int i = 0; i < 2; ++i) {
      Require(LaunchGgmlQuantize(quantizers_, outputs_.data(), scratch_.data(),
                                 columns(), kTokens, dependency, stream),
              "quantize_q8_1");
      Launch("reprise_matvec_q4_0",
             MatVecParams{.weights = weights_.data(),
                          .image = scratch_.data(),
                          .output = outputs_.data() +
                                    kTokens * (columns() + i * kOutputRows),
                          .columns = columns(),
                          .rows = kOutputRows,
                          .weight_row_stride = columns() / BlockQ4_0::kValues,
                          .image_row_stride = ImageRowBlocks(columns()),
                          .output_row_stride = kOutputRows,
                          .tokens = kTokens},
             dependency, stream);
    }
  }

  DeviceExecutable Make(Dependency dependency, const DeviceStream& stream) {
    Run(dependency,
        stream.get());  // loads the kernels, which a capture may not
    absl::StatusOr<GraphHandle> graph =
        CaptureStream(TheDriver(), stream.get(), [&] {
          Run(dependency, stream.get());
          return absl::OkStatus();
        });
    if (!graph.ok()) throw std::runtime_error(graph.status().ToString());
    absl::StatusOr<DeviceExecutable> made =
        DeviceExecutable::Create(TheDriver(), *std::move(graph));
    if (!made.ok()) throw std::runtime_error(made.status().ToString());
    return *std::move(made);
  }

  // All that a launch leaves but the scratch, with new inputs.
  template <typename LaunchIt>
  std::vector<float> Outputs(std::uint32_t replay, const DeviceStream& stream,
                             LaunchIt launch) {
    stream.Wait();
    x_.Upload(RandomRow(10 + replay, kTokens * columns()));
    g_.Upload(RandomRow(90 + replay, kTokens * columns()));
    Require(cudaMemsetAsync(outputs_.data(), 0xFF,
                            outputs_.size() * sizeof(float), stream.get()),
            "cudaMemsetAsync");
    Require(cudaMemsetAsync(scratch_.data(), 0xFF,
                            scratch_.size() * sizeof(BlockQ8_1), stream.get()),
            "cudaMemsetAsync");
    EXPECT_OK(launch());
    stream.Wait();
    return outputs_.Download();
  }

 private:
  static std::vector<float> RandomRow(std::uint32_t seed, std::int64_t count) {
    return RandomFloats(seed).Row(static_cast<std::size_t>(count), 4);
  }
  static std::vector<BlockQ4_0> RandomMatrix(std::int64_t columns) {
    RandomFloats random(3);
    return RandomWeights<BlockQ4_0>(random,
                                    kOutputRows * columns / BlockQ4_0::kValues);
  }

  std::int64_t columns() const { return producer_.columns; }

  void Produce(Dependency dependency, cudaStream_t stream) {
    const std::int64_t count = kTokens * columns();
    if (producer_.is_norm) {
      const MagicDivisor one = MagicOf(1);
      const GgmlFactor factor{g_.data(),
                              columns(),
                              columns(),
                              columns(),
                              MagicOf(static_cast<std::uint32_t>(columns())),
                              one,
                              one,
                              one};
      Require(LaunchGgmlNorm(producers_, producer_.norm,
                             {.x = x_.data(),
                              .output = outputs_.data(),
                              .columns = static_cast<std::int32_t>(columns()),
                              .row_stride = columns(),
                              .channel_stride = count,
                              .sample_stride = count,
                              .epsilon = 1e-5f,
                              .mul = factor,
                              .add = factor},
                             kTokens, dependency, stream),
              "rms_norm_f32");
      return;
    }
    const GgmlGatedOperands in{.x = x_.data(),
                               .g = g_.data(),
                               .output = outputs_.data(),
                               .count = count,
                               .columns = columns(),
                               .x_row_stride = columns(),
                               .g_row_stride = columns()};
    if (producer_.is_oai) {
      Require(LaunchGgmlSwigluOai(
                  producers_, {.operands = in, .alpha = 1.702f, .limit = 7.0f},
                  stream),
              "swiglu_oai_kernel");
    } else {
      Require(LaunchGgmlGated(producers_, producer_.gated, {.operands = in},
                              dependency, stream),
              "unary_gated_op_kernel");
    }
  }

  const Producer producer_;
  const GgmlKernels& producers_;
  const GgmlKernels& quantizers_;
  DeviceArray<float> x_, g_;
  DeviceArray<BlockQ4_0> weights_;
  DeviceArray<float> outputs_;
  DeviceArray<BlockQ8_1> scratch_;
};

void ExpectTheBytesOfTheOriginal(GgmlLoop& loop, DeviceExecutable& executable,
                                 const DeviceStream& stream) {
  const auto replays = static_cast<std::uint32_t>(Thinned(50));
  for (std::uint32_t replay = 0; replay < replays; ++replay) {
    const std::vector<float> expected = loop.Outputs(replay, stream, [&] {
      return executable.LaunchOriginal(stream.get());
    });
    const Allocation& arena = executable.arena();
    if (arena.bytes > 0) {
      Require(cudaMemsetAsync(reinterpret_cast<void*>(arena.address), 0xFF,
                              arena.bytes, stream.get()),
              "cudaMemsetAsync");
    }
    ASSERT_TRUE(
        SameBytes(loop.Outputs(replay, stream,
                               [&] { return executable.Launch(stream.get()); }),
                  expected))
        << "replay " << replay;
  }
}

class ProbedLoop : public OnDevice,
                   public ::testing::WithParamInterface<Producer> {};

TEST_P(ProbedLoop, IsRewrittenWhereItHasTheEnginesArithmetic) {
  const DeviceStream stream;
  for (const Dependency dependency :
       {Dependency::kFull, Dependency::kProgrammatic}) {
    GgmlLoop loop(GetParam(), FastGgmlKernels(), FastGgmlKernels());
    DeviceExecutable executable = loop.Make(dependency, stream);
    const Outcome& outcome = executable.outcome();
    ASSERT_OK(outcome.declined);
    for (const MissingKernel& missing : outcome.missing) {
      ADD_FAILURE() << missing.why;
    }
    EXPECT_EQ(outcome.captured.quantizers, 2u);
    EXPECT_EQ(outcome.running.quantizers, 0u);
    ExpectTheBytesOfTheOriginal(loop, executable, stream);
  }
}

TEST_P(ProbedLoop, KeepsAQuantizerWhereItsArithmeticIsAnother) {
  const DeviceStream stream;
  const GgmlKernels* const builds[][2] = {
      {&PreciseGgmlKernels(), &PreciseGgmlKernels()},
      {&PreciseGgmlKernels(), &FastGgmlKernels()},
      {&FastGgmlKernels(), &PreciseGgmlKernels()}};
  for (const auto& [producers, quantizers] : builds) {
    GgmlLoop loop(GetParam(), *producers, *quantizers);
    DeviceExecutable executable = loop.Make(Dependency::kFull, stream);
    const Outcome& outcome = executable.outcome();
    ASSERT_EQ(outcome.missing.size(), 1u);
    EXPECT_THAT(outcome.missing[0].why, HasText("probe_mismatch: byte "));
    EXPECT_EQ(outcome.running.quantizers, 1u) << "shared all the same";
    EXPECT_TRUE(
        absl::StrContains(ToText(outcome.plan), "decline probe_mismatch"));
    ExpectTheBytesOfTheOriginal(loop, executable, stream);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ProbedLoop, ::testing::ValuesIn(kProducers),
                         [](const auto& p) { return p.param.name; });

class CapturedMeanwhile : public OnDevice {};

// An engine may capture on the thread that prepares, and on others.
TEST_F(CapturedMeanwhile, AStreamLosesNothingByAProbe) {
  const DeviceStream stream, capturing;
  GgmlLoop loop(kProducers[1], FastGgmlKernels(), FastGgmlKernels());
  loop.Run(Dependency::kFull, stream.get());
  stream.Wait();
  absl::StatusOr<GraphHandle> graph =
      CaptureStream(TheDriver(), stream.get(), [&] {
        loop.Run(Dependency::kFull, stream.get());
        return absl::OkStatus();
      });
  ASSERT_OK(graph);
  Require(cudaStreamBeginCapture(capturing.get(), cudaStreamCaptureModeGlobal),
          "cudaStreamBeginCapture");
  loop.Run(Dependency::kFull, capturing.get());
  const auto rewritten = RewrittenExecutable::Create(TheDriver(), graph->get());
  cudaGraph_t captured = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(capturing.get(), &captured), cudaSuccess);
  ASSERT_NE(captured, nullptr);
  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(captured, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 5u);
  EXPECT_EQ(cudaGraphDestroy(captured), cudaSuccess);
  EXPECT_TRUE(rewritten.outcome().missing.empty());
  EXPECT_TRUE(rewritten.runs());
}

}  // namespace
}  // namespace reprise::testing
