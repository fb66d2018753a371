// Launches counted on a GPU, held against the graphs that were captured.
//
// compute-sanitizer leaves no room for CUPTI: under it these tests do nothing.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/add.h"
#include "kernels/quantize_q8_1.h"
#include "replay/launch_counter.h"
#include "tests/kernels/on_device.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::Status StatusOfRuntime(cudaError_t error) {
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(cudaGetErrorString(error));
}

class Event {
 public:
  Event() {
    Require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming),
            "cudaEventCreateWithFlags");
  }
  ~Event() { EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // `after` goes on when all that `before` has now is done.
  void Order(const DeviceStream& before, const DeviceStream& after) const {
    Require(cudaEventRecord(event_, before.get()), "cudaEventRecord");
    Require(cudaStreamWaitEvent(after.get(), event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Work that is captured from a stream and written down as a graph beside it,
// node by node. The arrays hold kWidest floats.
class Program {
 public:
  static constexpr std::int64_t kWidest = 8 * kAddThreads;

  Program() {
    // Relaxed, because a kernel's code is loaded at its first launch.
    Require(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeRelaxed),
            "cudaStreamBeginCapture");
  }
  ~Program() {
    if (exec_ == nullptr) return;
    EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // An addition in `blocks` thread blocks, which tells it from others.
  void Add(std::int64_t blocks) { Add(blocks, stream_); }
  void AddOnBranch(std::int64_t blocks) { Add(blocks, branch_); }

  void Quantize() {
    Launch("reprise_quantize_q8_1", QuantizeQ8_1Params{.source = a_.data(),
                                                       .image = image_.data(),
                                                       .columns = kWidest,
                                                       .rows = 1,
                                                       .planes = 1,
                                                       .row_stride = kWidest});
  }

  void Copy() {
    Require(cudaMemcpyAsync(sum_.data(), a_.data(), kWidest * sizeof(float),
                            cudaMemcpyDeviceToDevice, stream_.get()),
            "cudaMemcpyAsync");
    graph_.AddCopy({});
  }

  void Fill() {
    Require(
        cudaMemsetAsync(sum_.data(), 0, kWidest * sizeof(float), stream_.get()),
        "cudaMemsetAsync");
    graph_.AddFill({});
  }

  void Fork() { event_.Order(stream_, branch_); }
  void Join() { event_.Order(branch_, stream_); }

  void Finish() {
    cudaGraph_t captured = nullptr;
    Require(cudaStreamEndCapture(stream_.get(), &captured),
            "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&exec_, captured, 0);
    Require(cudaGraphDestroy(captured), "cudaGraphDestroy");
    Require(status, "cudaGraphInstantiate");
  }

  absl::Status Replay() const {
    const absl::Status launched =
        StatusOfRuntime(cudaGraphLaunch(exec_, stream_.get()));
    if (!launched.ok()) return launched;
    return StatusOfRuntime(cudaStreamSynchronize(stream_.get()));
  }

  const Graph& graph() const { return graph_; }

 private:
  template <typename Params>
  void Launch(const std::string& symbol, const Params& params,
              const DeviceStream& stream) {
    reprise::Launch(symbol, params, Dependency::kFull, stream.get());
    const LaunchShape shape = KernelOf<Params>(symbol).shape(&params);
    KernelLaunch launch;
    launch.symbol = symbol;
    launch.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
    graph_.AddKernel(launch);
  }
  template <typename Params>
  void Launch(const std::string& symbol, const Params& params) {
    Launch(symbol, params, stream_);
  }

  void Add(std::int64_t blocks, const DeviceStream& stream) {
    float* sum = &stream == &branch_ ? branch_sum_.data() : sum_.data();
    Launch("reprise_add",
           AddParams{a_.data(), a_.data(), sum, blocks * kAddThreads}, stream);
  }

  DeviceArray<float> a_{std::vector<float>(kWidest, 1)};
  DeviceArray<float> sum_{kWidest};
  DeviceArray<float> branch_sum_{kWidest};
  DeviceArray<BlockQ8_1> image_{ImageRowBlocks(kWidest)};
  DeviceStream stream_;
  DeviceStream branch_;
  Event event_;
  Graph graph_;
  cudaGraphExec_t exec_ = nullptr;
};

// Two quantizers, of which the second is in vain.
void RecordOriginal(Program& program) {
  program.Add(1);
  program.Quantize();
  program.Fill();
  program.Quantize();
  program.Add(2);
  program.Copy();
  program.Finish();
}

void RecordPlanned(Program& program) {
  program.Add(1);
  program.Quantize();
  program.Fill();
  program.Add(2);
  program.Copy();
  program.Finish();
}

absl::StatusOr<std::vector<NodeRecord>> RecordReplays(const Program& program,
                                                      int replays) {
  return RecordLaunches([&] {
    absl::Status status;
    for (int r = 0; r < replays && status.ok(); ++r) status = program.Replay();
    return status;
  });
}

std::string Counted(const absl::StatusOr<std::vector<NodeRecord>>& records,
                    std::uint64_t replays) {
  if (!records.ok()) return records.status().ToString();
  const LaunchCounts counts = CountLaunches(*records, replays);
  std::string text;
  for (const auto& [symbol, count] : counts.kernels) {
    absl::StrAppend(&text, symbol, " ", count, ", ");
  }
  return absl::StrCat(text, "copies ", counts.copies, ", fills ", counts.fills,
                      ", outside ", counts.outside);
}

class CountedLaunches : public OnDevice {};

// First in this file: nothing of CUPTI is loaded when the executable is made.
TEST_F(CountedLaunches, AreExactForAnExecutableMadeBefore) {
  if (Sanitized()) return;
  Program program;
  RecordOriginal(program);
  ASSERT_OK(program.Replay());
  EXPECT_EQ(Counted(RecordReplays(program, 3), 3),
            "reprise_add 6, reprise_quantize_q8_1 6, copies 3, fills 3, "
            "outside 0");
}

TEST_F(CountedLaunches, AreExactInEverySessionOfAProcess) {
  if (Sanitized()) return;
  Program before;
  RecordOriginal(before);
  for (int session = 0; session < 3; ++session) {
    EXPECT_EQ(Counted(RecordReplays(before, 1), 1),
              "reprise_add 2, reprise_quantize_q8_1 2, copies 1, fills 1, "
              "outside 0");
  }
  Program after;
  RecordPlanned(after);
  EXPECT_EQ(Counted(RecordReplays(after, 2), 2),
            "reprise_add 4, reprise_quantize_q8_1 2, copies 2, fills 2, "
            "outside 0");
}

TEST_F(CountedLaunches, AreKeptApartFromWhatNoGraphLaunched) {
  if (Sanitized()) return;
  Program program;
  RecordPlanned(program);
  const DeviceArray<float> a{std::vector<float>(64, 1)};
  DeviceArray<float> sum{64};
  const DeviceStream stream;
  const auto records = RecordLaunches([&] {
    reprise::Launch("reprise_add",
                    AddParams{a.data(), a.data(), sum.data(), 64},
                    Dependency::kFull, stream.get());
    stream.Wait();
    return program.Replay();
  });
  EXPECT_EQ(Counted(records, 1),
            "reprise_add 2, reprise_quantize_q8_1 1, copies 1, fills 1, "
            "outside 1");
}

TEST_F(CountedLaunches, AreNoneAfterTheSession) {
  if (Sanitized()) return;
  Program program;
  RecordPlanned(program);
  ASSERT_OK(RecordReplays(program, 1));
  ASSERT_OK(program.Replay());
  const auto nothing = RecordLaunches([] { return absl::OkStatus(); });
  ASSERT_OK(nothing);
  EXPECT_THAT(*nothing, IsEmpty());
}

TEST_F(CountedLaunches, KnowTheirNodesAndTimesInAChain) {
  if (Sanitized()) return;
  Program program;
  RecordOriginal(program);
  auto records = RecordReplays(program, 1);
  ASSERT_OK(records);
  std::sort(records->begin(), records->end(),
            [](const NodeRecord& a, const NodeRecord& b) {
              return a.start_ns < b.start_ns;
            });
  EXPECT_THAT(NodesOf(program.graph(), *records),
              ElementsAre(NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}, NodeId{4},
                          NodeId{5}));
  for (const NodeRecord& record : *records) {
    EXPECT_GT(record.start_ns, 0u);
    EXPECT_LE(record.start_ns, record.end_ns);
  }
}

// Each addition has another grid, so that no record can pass for another.
TEST_F(CountedLaunches, KnowTheirNodesOnTwoBranches) {
  if (Sanitized()) return;
  Program program;
  program.Add(1);
  program.Fork();
  program.AddOnBranch(2);
  program.Add(3);
  program.AddOnBranch(4);
  program.Add(5);
  program.Join();
  program.Add(6);
  program.Finish();
  const auto records = RecordReplays(program, 2);
  ASSERT_OK(records);
  EXPECT_EQ(records->size(), 12u);
  EXPECT_THAT(NodesOf(program.graph(), *records),
              Each(::testing::Property(&NodeId::valid, true)));
}

TEST_F(CountedLaunches, MakeAReportThatAgreesWithBothGraphs) {
  if (Sanitized()) return;
  Program original;
  RecordOriginal(original);
  Program planned;
  RecordPlanned(planned);
  Rewritten rewritten;
  rewritten.graph = planned.graph();
  rewritten.origin = {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{4}, NodeId{5}};
  rewritten.now = {NodeId{0}, NodeId{1}, NodeId{2},
                   NodeId(),  NodeId{3}, NodeId{4}};
  const auto report = ReportLaunches(
      original.graph(), rewritten, [&] { return original.Replay(); },
      [&] { return planned.Replay(); }, /*replays=*/3);
  ASSERT_OK(report);
  EXPECT_EQ(report->not_counted, "");
  EXPECT_THAT(Mismatches(*report), IsEmpty());
  ASSERT_EQ(report->kernels.size(), 2u);
  EXPECT_EQ(report->kernels[1].name, "reprise_quantize_q8_1");
  EXPECT_EQ(report->kernels[1].counted, (BeforeAfter{6, 3}));
}

}  // namespace
}  // namespace reprise::testing
