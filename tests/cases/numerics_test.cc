// Faults reported in public: values at the edges of floats and halves. Each
// reaches the image twice, written by the quantizer and by a producer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "examples/decoder/random_weights.h"
#include "kernels/dequantize.h"
#include "planner/rewrite.h"
#include "tests/cases/case_program.h"
#include "tests/planner/plan_case.h"
#include "tests/replay/recorded.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using decoder::Matrix;
using decoder::RandomFloat;
using decoder::Rows;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> FloatsAt(const HostMemory& memory, const Rows& rows) {
  const auto count = static_cast<std::size_t>(rows.rows * rows.columns);
  const auto bytes = memory.Read(rows.address, count * sizeof(float));
  EXPECT_OK(bytes);
  std::vector<float> floats(count);
  if (bytes.ok()) std::memcpy(floats.data(), bytes->data(), bytes->size());
  return floats;
}

// What a rewritten program leaves in `out`; `memory` already has its inputs.
std::vector<float> RunRewritten(const CaseRun& run, HostMemory& memory,
                                const Rows& out) {
  const Allocation arena{FreeAddress(run.graph), run.plan.arena.bytes};
  const Rewritten rewritten = Rewrite(run.graph, run.plan, arena.address);
  auto executable =
      HostExecutable::Create(rewritten.graph, memory, {.arena = arena});
  EXPECT_OK(executable);
  if (executable.ok()) executable->Launch();
  return FloatsAt(memory, out);
}

// A gate of ones lets `values` through a GLU bit by bit, which then emits their
// image in place of two quantizers. Returns what the product comes to.
std::vector<float> ProductOf(const std::vector<float>& values) {
  const auto columns = static_cast<std::int64_t>(values.size());
  CaseProgram p;
  const Rows gate = p.Buffer(1, columns), up = p.Buffer(1, columns);
  const Rows y = p.Buffer(1, columns);
  p.Launch(decoder::GluCall("reglu", gate, up, y));
  const Rows out = p.QuantizeAndProject(y);
  p.QuantizeAndProject(y);
  EXPECT_OK(p.memory().Write(gate.address,
                             BytesOf(std::vector<float>(values.size(), 1.0f))));
  EXPECT_OK(p.memory().Write(up.address, BytesOf(values)));
  const CaseRun run = RunCase(p);
  EXPECT_EQ(run.emitting(), 1u);
  EXPECT_EQ(run.quantizers(), 0u);
  return RunRewritten(run, p.memory(), out);
}

bool AllAre(const std::vector<float>& values, bool (*is)(float)) {
  return !values.empty() && std::all_of(values.begin(), values.end(), is);
}

bool IsFinite(float x) { return std::isfinite(x); }
bool IsNotFinite(float x) { return !std::isfinite(x); }
bool IsZero(float x) { return x == 0; }

// K = 18944: all of a long row counts, in the rewritten program too. Weights
// and activations are positive, so that a part left out would show.
TEST(PublicCase, D21_LongRowsAreNearAnIndependentProduct) {
  for (std::int64_t columns : {13824, 18944}) {
    CaseProgram p;
    const Rows x = p.Input(1, columns), y = p.Buffer(1, columns);
    const Rows out = p.Buffer(1, 1);
    Matrix weights{0, WeightFormat::kQ8_0, 1, columns};
    std::mt19937 random(5);
    auto blocks = decoder::RandomBlocks(random, weights);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 34 >= 2) blocks[i] = blocks[i] % 128;
    }
    weights.address = p.memory().Add("weights", blocks.size()).address;
    ASSERT_OK(p.memory().Write(weights.address, blocks));
    p.Norm(x, y);
    const auto image = p.ImagePlace(y);
    p.Quantize(y, image);
    p.Launch(decoder::MatVecCall(weights, image, out));
    const CaseRun run = RunCase(p);
    ASSERT_EQ(run.emitting(), 1u);

    std::vector<float> positive(static_cast<std::size_t>(columns));
    for (float& v : positive) v = RandomFloat(random, 0.5f, 1.0f);
    ASSERT_OK(p.memory().Write(x.address, BytesOf(positive)));
    const float product = RunRewritten(run, p.memory(), out)[0];

    std::vector<BlockQ8_0> row(static_cast<std::size_t>(columns / 32));
    std::memcpy(row.data(), blocks.data(), blocks.size());
    std::vector<float> w(positive.size());
    DequantizeRow(row.data(), columns, w.data());
    double dot = 0, squares = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      dot += static_cast<double>(w[i]) * positive[i];
      squares += static_cast<double>(positive[i]) * positive[i];
    }
    dot /= std::sqrt(squares / static_cast<double>(columns));  // the norm
    EXPECT_GT(dot, 0);
    EXPECT_NEAR(product, dot, 0.01 * dot) << columns;
  }
}

// The image's sum is infinite, and no product reads it.
TEST(PublicCase, D30a_ASumBeyondHalfLeavesTheProductFinite) {
  for (float large : {1500.0f, 3000.0f, -3000.0f}) {
    EXPECT_TRUE(AllAre(ProductOf(std::vector<float>(64, large)), IsFinite));
  }
}

// The build of the tests keeps denormals, as the reference does.
TEST(PublicCase, D30b_ScalesThatUnderflowHalfLeaveTheSameBytes) {
  for (float tiny : {1e-6f, 1e-8f, 1e-40f, -1e-40f, 1e-45f}) {
    EXPECT_TRUE(AllAre(ProductOf(std::vector<float>(64, tiny)), IsFinite));
  }
}

TEST(PublicCase, D30c_BlocksOfZerosGiveZerosAndNoNan) {
  EXPECT_TRUE(AllAre(ProductOf(std::vector<float>(64, 0.0f)), IsZero));
  EXPECT_TRUE(AllAre(ProductOf(std::vector<float>(64, -0.0f)), IsZero));
  std::vector<float> nearly(64, 0.0f);
  nearly[0] = nearly[63] = 1e-38f;
  EXPECT_TRUE(AllAre(ProductOf(nearly), IsFinite));
  std::vector<float> half_zero(64, 0.0f);
  std::fill_n(half_zero.begin(), 32, 2.5f);
  EXPECT_TRUE(AllAre(ProductOf(half_zero), IsFinite));
}

// Values at and one step beside the ties between two quants, with scales of
// all digits: another kind of division would round some of them otherwise.
TEST(PublicCase, D30d_TiesOfTheQuantsLeaveTheSameBytes) {
  std::mt19937 random(30);
  std::vector<float> values(32 * 2048);
  for (std::size_t first = 0; first < values.size(); first += 32) {
    const float amax = RandomFloat(random, 0.001f, 1000);
    values[first] = amax;
    for (std::size_t i = first + 1; i < first + 32; ++i) {
      const float tie =
          (static_cast<float>(random() % 126) + 0.5f) * (amax / 127);
      const float towards[] = {0, tie, 2 * tie};
      values[i] = std::nextafter(tie, towards[random() % 3]);
      if (random() % 2 == 0) values[i] = -values[i];
    }
  }
  EXPECT_TRUE(AllAre(ProductOf(values), IsFinite));
}

// The stored sum depends on the order of additions where values cancel.
TEST(PublicCase, D30f_SumsThatCancelLeaveTheSameBytes) {
  std::mt19937 random(31);
  std::vector<float> values(32 * 2048);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int exponent = static_cast<int>(random() % 24) - 12;
    values[i] = std::ldexp(RandomFloat(random, -1, 1), exponent);
    if (i % 2 == 1 && random() % 2 == 0) {
      values[i] = -values[i - 1] + 0x1p-12f;
    }
  }
  EXPECT_TRUE(AllAre(ProductOf(values), IsFinite));
}

// An infinity makes its block's scale infinite. A NaN is a quant of 0 and shows
// in the image's sum alone, until a whole block is NaN.
TEST(PublicCase, D30g_InfinitiesAndNansLeaveTheSameBytes) {
  for (float special : {kInfinity, -kInfinity, kNan, -kNan, 1e30f}) {
    for (std::size_t lane : {0u, 31u, 32u, 63u}) {
      std::vector<float> values(64, 1.0f);
      values[lane] = special;
      EXPECT_TRUE(AllAre(ProductOf(values),
                         std::isnan(special) ? IsFinite : IsNotFinite))
          << special;
    }
    EXPECT_TRUE(
        AllAre(ProductOf(std::vector<float>(64, special)), IsNotFinite));
  }
  std::vector<float> both(64, kInfinity);
  std::fill_n(both.begin(), 16, -kInfinity);
  EXPECT_TRUE(AllAre(ProductOf(both), IsNotFinite));
}

TEST(PublicCase, D30h_AnActivationInBf16KeepsItsQuantizers) {
  EXPECT_EQ(PlanText({"", R"(chain
0: rms_norm mul | x -> 0x2000:bf16:64 | emits=k
1: quantize scratch | 0x2000:bf16:64 -> A |
2: matvec q4_0 | a w -> o |
3: quantize scratch | 0x2000:bf16:64 -> B |
4: matvec q4_0 | b w -> p |
)",
                      ""}),
            R"(
decline unsupported_source n1
decline unsupported_source n3
)");
}

}  // namespace
}  // namespace reprise::testing
