// A build that cannot count, asked to.
#include <gtest/gtest.h>

#include "replay/launch_counter.h"
#include "tests/replay/launch_case.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

TEST(WithoutCupti, TheReportHasTheNodesAndSaysWhy) {
  const LaunchCase decode;
  bool ran = false;
  const auto replay = [&] {
    ran = true;
    return absl::OkStatus();
  };
  EXPECT_THAT(RecordLaunches(replay),
              HasCode(absl::StatusCode::kUnimplemented));
  const auto report =
      ReportLaunches(decode.graph, decode.rewritten, replay, replay, 1);
  ASSERT_OK(report);
  EXPECT_EQ(report->not_counted, "built without CUPTI");
  EXPECT_EQ(TotalNodes(report->kernels), (BeforeAfter{6, 5}));
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace reprise::testing
