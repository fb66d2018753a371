#include "tests/cases/case_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "examples/decoder/random_weights.h"
#include "kernels/block_q8_1.h"
#include "replay/verify.h"
#include "tests/replay/recorded.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {

using decoder::Address;
using decoder::Matrix;
using decoder::Rows;

namespace {

constexpr int kReplays = 4;
constexpr std::uint32_t kOrders = 3;
constexpr std::int64_t kMatrixRows = 8;

std::int64_t FloatsOf(const Rows& rows) {
  return rows.rows * rows.row_stride();
}

}  // namespace

Rows CaseProgram::Input(std::int64_t rows, std::int64_t columns,
                        std::int64_t stride) {
  inputs_.push_back(Buffer(rows, columns, stride));
  return inputs_.back();
}

Rows CaseProgram::Buffer(std::int64_t rows, std::int64_t columns,
                         std::int64_t stride) {
  Rows buffer{0, rows, columns, stride};
  const auto bytes = static_cast<std::uint64_t>(FloatsOf(buffer)) * 4;
  buffer.address = memory_.Add("floats", bytes).address;
  return buffer;
}

Address CaseProgram::ImagePlace(const Rows& rows) {
  const auto bytes =
      static_cast<std::uint64_t>(ImageBytes(rows.columns, rows.rows, 1));
  const Address place = memory_.Add("image", bytes).address;
  memory_.Write(place, std::vector<std::uint8_t>(bytes, 0xff)).IgnoreError();
  return place;
}

Matrix CaseProgram::Weights(std::int64_t columns, std::int64_t experts) {
  Matrix matrix{0, WeightFormat::kQ4_0, kMatrixRows, columns, experts};
  const auto blocks = decoder::RandomBlocks(random_, matrix);
  matrix.address = memory_.Add("weights", blocks.size()).address;
  memory_.Write(matrix.address, blocks).IgnoreError();
  return matrix;
}

void CaseProgram::Launch(const decoder::KernelCall& call) {
  testing::Launch(recorder_, stream_, call);
}

void CaseProgram::Norm(const Rows& x, const Rows& out) {
  Launch(decoder::RmsNormCall("", x, {}, {}, 1e-5f, out));
}

void CaseProgram::Add(const Rows& a, const Rows& b, const Rows& out) {
  Launch(decoder::AddCall(a, b, out));
}

void CaseProgram::Quantize(const Rows& x, Address image) {
  Launch(decoder::QuantizeCall(x, image));
}

Rows CaseProgram::Project(const Rows& x, Address image) {
  const Rows out = Buffer(x.rows, kMatrixRows);
  Launch(decoder::MatVecCall(Weights(x.columns), image, out));
  return out;
}

Rows CaseProgram::QuantizeAndProject(const Rows& x) {
  const Address image = ImagePlace(x);
  Quantize(x, image);
  return Project(x, image);
}

StreamId CaseProgram::Fork() {
  const StreamId stream = recorder_.NewStream();
  const EventId event = recorder_.NewEvent();
  recorder_.RecordEvent(event, stream_).IgnoreError();
  recorder_.WaitEvent(stream, event).IgnoreError();
  return stream;
}

void CaseProgram::Join(StreamId stream) {
  const EventId event = recorder_.NewEvent();
  recorder_.RecordEvent(event, stream).IgnoreError();
  recorder_.WaitEvent(stream_, event).IgnoreError();
}

Graph CaseProgram::Finish() {
  absl::StatusOr<Graph> graph = testing::Finish(recorder_, memory_);
  EXPECT_OK(graph);
  return graph.ok() ? *std::move(graph) : Graph();
}

void CaseProgram::Refresh(int replay, HostMemory& memory) const {
  std::mt19937 random(static_cast<std::uint32_t>(replay) + 100);
  for (const Rows& input : inputs_) {
    memory
        .Write(input.address,
               decoder::RandomFloats(random, FloatsOf(input), -1, 1))
        .IgnoreError();
  }
}

int CaseRun::declined(DeclineReason reason) const {
  return static_cast<int>(std::count_if(
      plan.declines.begin(), plan.declines.end(),
      [&](const Decline& decline) { return decline.reason == reason; }));
}

CaseRun RunCase(const CaseProgram& program, HostMemory& start, Graph graph,
                const CaseOptions& options) {
  CaseRun run;
  run.graph = std::move(graph);
  const absl::StatusOr<Plan> plan = MakePlan(run.graph, options.plan);
  EXPECT_OK(plan);
  if (plan.ok()) run.plan = *plan;
  for (std::uint32_t order = 0; order < kOrders; ++order) {
    const absl::StatusOr<Verdict> verdict =
        Verify(run.graph, run.plan, start,
               [&](int replay, HostMemory& memory) {
                 program.Refresh(replay, memory);
                 if (options.refresh) options.refresh(replay, memory);
               },
               {.replays = kReplays,
                .host_calls = options.host_calls,
                .order_seed = order});
    EXPECT_OK(verdict);
    if (!verdict.ok()) break;
    run.verdict = *verdict;
    EXPECT_TRUE(verdict->equal())
        << ToText(run.graph, *verdict->difference) << "\n"
        << ToText(run.plan);
    EXPECT_GT(verdict->bytes_compared, 0u);
  }
  return run;
}

CaseRun RunCase(CaseProgram& program, const CaseOptions& options) {
  Graph graph = program.Finish();
  return RunCase(program, program.memory(), std::move(graph), options);
}

}  // namespace reprise::testing
