// The report of two replays, with a recorder in CUPTI's place.
#include "replay/launch_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/replay/launch_case.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using ::testing::IsEmpty;

// Every node of the graph that leaves a record, once.
void Replay(const Graph& graph, std::vector<NodeRecord>& records) {
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeKind kind = graph.node(NodeId{n}).kind;
    if (kind == NodeKind::kHostCall) continue;
    records.push_back(kind == NodeKind::kKernel
                          ? RunOf(graph.launch(NodeId{n}).symbol, n + 1)
                          : RunOf(kind, n + 1));
  }
}

class ReportOfLaunches : public ::testing::Test {
 protected:
  absl::StatusOr<LaunchReport> Report(LaunchRecorder record) {
    return ReportLaunches(
        decode_.graph, decode_.rewritten,
        [&] {
          Replay(decode_.graph, device_);
          return absl::OkStatus();
        },
        [&] {
          ++rewritten_runs_;
          Replay(decode_.rewritten.graph, device_);
          return rewritten_status_;
        },
        /*replays=*/4, record);
  }

  absl::StatusOr<std::vector<NodeRecord>> Record(Workload run) {
    device_.clear();
    const absl::Status status = run();
    if (!status.ok()) return status;
    return device_;
  }

  const LaunchCase decode_;
  std::vector<NodeRecord> device_;
  absl::Status rewritten_status_;
  int rewritten_runs_ = 0;
};

TEST_F(ReportOfLaunches, HasWhatTheReplaysRan) {
  const auto report = Report([&](Workload run) { return Record(run); });
  ASSERT_OK(report);
  LaunchReport expected = MakeLaunchReport(decode_.graph, decode_.rewritten);
  AddCounts(decode_.OriginalCounts(4), decode_.RewrittenCounts(4), expected);
  EXPECT_EQ(*report, expected);
  EXPECT_THAT(Mismatches(*report), IsEmpty());
  EXPECT_EQ(rewritten_runs_, 4);
}

TEST_F(ReportOfLaunches, HasOnlyNodesWhereNobodyCanCount) {
  for (const absl::Status& status :
       {absl::UnimplementedError("built without CUPTI"),
        absl::UnavailableError("no libcupti.so.13 was found"),
        absl::FailedPreconditionError("another tool holds CUPTI"),
        absl::PermissionDeniedError("may not profile")}) {
    const auto report =
        Report([&](Workload) -> absl::StatusOr<std::vector<NodeRecord>> {
          return status;
        });
    ASSERT_OK(report);
    LaunchReport expected = MakeLaunchReport(decode_.graph, decode_.rewritten);
    expected.not_counted = std::string(status.message());
    EXPECT_EQ(*report, expected);
  }
}

TEST_F(ReportOfLaunches, IsNoneWhereRecordsWereLost) {
  const auto report =
      Report([&](Workload) -> absl::StatusOr<std::vector<NodeRecord>> {
        return absl::DataLossError("CUPTI dropped 2 records");
      });
  EXPECT_THAT(report, HasCode(absl::StatusCode::kDataLoss));
}

TEST_F(ReportOfLaunches, IsTheErrorOfAReplayThatFailed) {
  rewritten_status_ = absl::FailedPreconditionError("the replay broke");
  const auto report = Report([&](Workload run) { return Record(run); });
  EXPECT_THAT(report, HasText("the replay broke"));
  EXPECT_EQ(rewritten_runs_, 1) << "a second replay ran on what was broken";
}

}  // namespace
}  // namespace reprise::testing
