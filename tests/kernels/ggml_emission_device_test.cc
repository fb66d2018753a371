// The replacements for ggml-cuda's norms and GLUs against kernels of that
// engine's arithmetic: whatever these and the quantizer behind them leave, the
// replacement leaves alone.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "kernels/ggml_gated.h"
#include "kernels/ggml_rms_norm.h"
#include "replay/probe_inputs.h"
#include "tests/kernels/ggml_kernels.h"
#include "tests/kernels/on_device.h"

namespace reprise {
namespace {

constexpr std::int64_t kColumns[] = {32,   64,   96,   480,  512,  544,
                                     896,  992,  1024, 1056, 2048, 3584,
                                     4096, 4608, 5120, 8192, 14336};
constexpr std::int64_t kRows[] = {1, 2, 3, 4, 5, 6, 7, 8};
constexpr Dependency kFull = Dependency::kFull;

std::vector<float> Floats(ProbeFloats kind, std::uint32_t seed,
                          std::int64_t count) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count) * 4);
  FillFloats(Packed(0, ElementType::kF32, count), kind, seed, 0,
             absl::MakeSpan(bytes));
  std::vector<float> floats(static_cast<std::size_t>(count));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

// What one way of doing it leaves.
struct Result {
  Result(std::int64_t values, std::int64_t columns)
      : output(values), image(values / columns * ImageRowBlocks(columns)) {}

  DeviceArray<float> output;
  DeviceArray<BlockQ8_1> image;
};

void Wait() {
  Require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

void QuantizeRows(Result& result, std::int64_t columns) {
  const auto values = static_cast<std::int64_t>(result.output.size());
  Require(LaunchGgmlQuantize(FastGgmlKernels(), result.output.data(),
                             result.image.data(), columns, values / columns,
                             kFull, nullptr),
          "quantize_q8_1");
  Wait();
}

template <typename Params>
void RunReplacement(const std::string& symbol, Params params, dim3 grid,
                    dim3 block, unsigned shared_bytes) {
  void* arguments[] = {&params};
  Require(cudaLaunchKernel(FindDeviceFunction(symbol), grid, block, arguments,
                           shared_bytes, nullptr),
          symbol);
  Wait();
}

void ExpectSame(const Result& replaced, const Result& original) {
  EXPECT_TRUE(SameBytes(replaced.output.Download(), original.output.Download()))
      << "in the output";
  EXPECT_TRUE(SameBytes(replaced.image.Download(), original.image.Download()))
      << "in the image";
  EXPECT_TRUE(replaced.output.guards_intact());
  EXPECT_TRUE(replaced.image.guards_intact());
}

struct NormForm {
  GgmlNorm form;
  const char* form_name;
};
constexpr NormForm kNorms[] = {{GgmlNorm::kPlain, "plain"},
                               {GgmlNorm::kMul, "mul"},
                               {GgmlNorm::kMulAdd, "mul_add"}};

GgmlScaledRmsNormParams Scaled(const GgmlRmsNormParams& params,
                               float output_scale) {
  return {params.x,
          params.output,
          params.columns,
          params.row_stride,
          params.channel_stride,
          params.sample_stride,
          params.epsilon,
          params.mul,
          params.add,
          output_scale,
          params.image};
}

class GgmlNormOnDevice : public OnDevice {
 protected:
  // In place where `x` is given, else of what params.x points at.
  // REQUIRES: params has all but the output and the image.
  static void ExpectSameBytes(GgmlRmsNormParams params, dim3 grid,
                              const std::vector<float>& x = {}) {
    const std::int64_t values = params.columns * std::int64_t{grid.x} *
                                std::int64_t{grid.y} * std::int64_t{grid.z};
    for (const NormForm& norm : kNorms) {
      SCOPED_TRACE(norm.form_name);
      Result original(values, params.columns);
      Result replaced(values, params.columns);
      const auto use = [&](Result& result) {
        params.output = result.output.data();
        params.image = result.image.data();
        result.output.Upload(x);
        if (!x.empty()) params.x = params.output;
      };
      use(original);
      Require(LaunchGgmlNorm(FastGgmlKernels(), norm.form, params, grid, kFull,
                             nullptr),
              "rms_norm_f32");
      QuantizeRows(original, params.columns);
      const auto run = [&](const std::string& symbol, const auto& given) {
        const auto launch = [&] {
          RunReplacement(symbol, given(), grid, GgmlNormBlock(params.columns),
                         kGgmlNormSharedBytes);
        };
        use(replaced);
        launch();
        ExpectSame(replaced, original);
        // Where no floats are wanted: the image alone.
        Result alone(values, params.columns);
        use(alone);
        params.output = nullptr;
        launch();
        EXPECT_TRUE(
            SameBytes(alone.image.Download(), original.image.Download()))
            << "in the image without an output";
        EXPECT_TRUE(x.empty() || SameBytes(alone.output.Download(), x))
            << "in what was no output";
      };
      const std::string name = norm.form_name;
      run("reprise_ggml_rms_norm_" + name, [&] { return params; });
      run("reprise_ggml_scaled_rms_norm_" + name,
          [&] { return Scaled(params, 1); });
      if (norm.form != GgmlNorm::kPlain) continue;
      // Twice the plain output, exactly.
      std::vector<float> doubled = original.output.Download();
      for (float& value : doubled) value *= 2;
      original.output.Upload(doubled);
      QuantizeRows(original, params.columns);
      run("reprise_ggml_scaled_rms_norm_scale",
          [&] { return Scaled(params, 2); });
    }
  }

  static GgmlFactor FactorOf(const float* values, std::int64_t columns) {
    const MagicDivisor one = MagicOf(1);
    const auto extent = static_cast<std::uint32_t>(columns);
    return {values, columns, columns, columns, MagicOf(extent), one, one, one};
  }
};

TEST_F(GgmlNormOnDevice, LeavesTheBytesOfTheEnginesKernels) {
  for (const std::int64_t columns : kColumns) {
    for (const std::int64_t rows : kRows) {
      if (rows > 2 && Thinned(50) == 1) continue;
      // Every two kinds of x and mul meet in a row alone, some in more rows.
      for (int round = 0; round < ProbeRounds(2); ++round) {
        if (rows > 1 && round % static_cast<int>(rows) != 0) continue;
        SCOPED_TRACE(testing::Message() << columns << " columns, " << rows
                                        << " rows, round " << round);
        const auto seed = static_cast<std::uint32_t>(round);
        const DeviceArray<float> x(
            Floats(KindOf(round, 0), seed, columns * rows));
        const DeviceArray<float> mul(
            Floats(KindOf(round, 1), seed + 100, columns));
        const DeviceArray<float> add(
            Floats(KindOf(round + 2, 1), seed + 200, columns));
        ExpectSameBytes({.x = x.data(),
                         .columns = static_cast<std::int32_t>(columns),
                         .row_stride = columns,
                         .channel_stride = columns * rows,
                         .sample_stride = columns * rows,
                         .epsilon = 1e-6f,
                         .mul = FactorOf(mul.data(), columns),
                         .add = FactorOf(add.data(), columns)},
                        dim3(static_cast<unsigned>(rows)));
        if (HasFailure()) return;
      }
    }
  }
}

// Three rows, two channels, two samples with holes between; factors that repeat
// in every dimension.
TEST_F(GgmlNormOnDevice, RepeatsFactorsAndSkipsHolesAsTheEngineDoes) {
  constexpr std::int64_t kRow = 640 + 32;
  constexpr std::int64_t kChannel = 3 * kRow + 64;
  constexpr std::int64_t kSample = 2 * kChannel + 96;
  const DeviceArray<float> x(Floats(ProbeFloats::kOrdinary, 1, 2 * kSample));
  const DeviceArray<float> mul(Floats(ProbeFloats::kOrdinary, 2, 4096));
  const DeviceArray<float> add(Floats(ProbeFloats::kHalfway, 3, 4096));
  ExpectSameBytes({.x = x.data(),
                   .columns = 640,
                   .row_stride = kRow,
                   .channel_stride = kChannel,
                   .sample_stride = kSample,
                   .epsilon = 1e-5f,
                   .mul = {mul.data(), 330, 1000, 2000, MagicOf(320),
                           MagicOf(3), MagicOf(1), MagicOf(2)},
                   .add = {add.data(), 650, 1300, 7, MagicOf(640), MagicOf(2),
                           MagicOf(2), MagicOf(1)}},
                  dim3(3, 2, 2));
}

TEST_F(GgmlNormOnDevice, MayReplaceItsInput) {
  constexpr std::int64_t kWidth = 4608;
  const DeviceArray<float> factor(Floats(ProbeFloats::kHalfway, 6, kWidth));
  ExpectSameBytes({.columns = kWidth,
                   .row_stride = kWidth,
                   .epsilon = 1e-5f,
                   .mul = FactorOf(factor.data(), kWidth),
                   .add = FactorOf(factor.data(), kWidth)},
                  3, Floats(ProbeFloats::kOrdinary, 5, 3 * kWidth));
}

struct GatedFunction {
  GgmlGated function;
  const char* symbol;
};
constexpr GatedFunction kGated[] = {
    {GgmlGated::kSilu, "reprise_ggml_gated_silu"},
    {GgmlGated::kGelu, "reprise_ggml_gated_gelu"},
    {GgmlGated::kGeluErf, "reprise_ggml_gated_gelu_erf"},
    {GgmlGated::kGeluQuick, "reprise_ggml_gated_gelu_quick"},
    {GgmlGated::kRelu, "reprise_ggml_gated_relu"}};

class GgmlGatedOnDevice : public OnDevice {
 protected:
  // REQUIRES: `in` has all but the output.
  void ExpectSameBytes(GgmlGatedOperands in) {
    for (const GatedFunction& gated : kGated) {
      Compare(gated.symbol, GgmlGatedParams{.operands = in},
              [&](const GgmlGatedParams& params) {
                return LaunchGgmlGated(FastGgmlKernels(), gated.function,
                                       params, kFull, nullptr);
              });
    }
    Compare("reprise_ggml_swiglu_oai",
            GgmlSwigluOaiParams{.operands = in, .alpha = 1.702f, .limit = 7.0f},
            [](const GgmlSwigluOaiParams& params) {
              return LaunchGgmlSwigluOai(FastGgmlKernels(), params, nullptr);
            });
  }

 private:
  template <typename Params, typename LaunchOriginal>
  static void Compare(const char* symbol, Params params,
                      LaunchOriginal launch) {
    SCOPED_TRACE(symbol);
    const std::int64_t count = params.operands.count;
    const std::int64_t columns = params.operands.columns;
    Result original(count, columns), replaced(count, columns);
    params.operands.output = original.output.data();
    Require(launch(params), "the engine's kernel");
    QuantizeRows(original, columns);
    params.operands.output = replaced.output.data();
    params.image = replaced.image.data();
    RunReplacement(symbol, params, GgmlGatedGrid(count), kGgmlGatedBlock, 0);
    ExpectSame(replaced, original);
  }
};

TEST_F(GgmlGatedOnDevice, LeavesTheBytesOfTheEnginesKernels) {
  for (const std::int64_t columns : kColumns) {
    for (const std::int64_t rows : kRows) {
      if (rows > 2 && Thinned(50) == 1) continue;
      for (int round = 0; round < ProbeRounds(2); ++round) {
        if (rows > 1 && round % static_cast<int>(rows) != 0) continue;
        SCOPED_TRACE(testing::Message() << columns << " columns, " << rows
                                        << " rows, round " << round);
        const auto seed = static_cast<std::uint32_t>(round);
        const DeviceArray<float> x(
            Floats(KindOf(round, 0), seed, columns * rows));
        const DeviceArray<float> g(
            Floats(KindOf(round, 1), seed + 100, columns * rows));
        ExpectSameBytes({.x = x.data(),
                         .g = g.data(),
                         .count = columns * rows,
                         .columns = columns,
                         .x_row_stride = columns,
                         .g_row_stride = columns});
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(GgmlGatedOnDevice, ReadsPackedRowsEitherWayRound) {
  constexpr std::int64_t kWidth = 1120, kTokens = 5;
  const DeviceArray<float> packed(
      Floats(ProbeFloats::kSpecial, 9, 2 * kWidth * kTokens));
  GgmlGatedOperands in{.x = packed.data(),
                       .g = packed.data() + kWidth,
                       .count = kWidth * kTokens,
                       .columns = kWidth,
                       .x_row_stride = 2 * kWidth,
                       .g_row_stride = 2 * kWidth};
  ExpectSameBytes(in);
  std::swap(in.x, in.g);
  ExpectSameBytes(in);
}

}  // namespace
}  // namespace reprise
