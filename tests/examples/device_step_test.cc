#include "examples/decoder/device_step.h"

#include <gtest/gtest.h>

#include "kernels/add.h"
#include "tests/support/status_matchers.h"

namespace reprise::decoder {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;

KernelLaunch LaunchOf(const char* symbol) {
  KernelLaunch launch;
  launch.symbol = symbol;
  launch.bytes.resize(sizeof(AddParams));
  return launch;
}

// A number like any other, if taken for one: so many streams were made.
TEST(DeviceStep, RefusesAKernelWhoseStreamIsNotKnown) {
  Graph graph;
  graph.AddKernel(LaunchOf("reprise_add"));
  const auto step = DeviceStep::Create(graph, Dependency::kFull);
  EXPECT_THAT(step.status(), HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(step.status(), HasText("node 0"));
}

TEST(DeviceStep, RefusesWhatItCannotLaunch) {
  Graph unknown;
  unknown.AddKernel(LaunchOf("matvec"), StreamId{0});
  EXPECT_THAT(DeviceStep::Create(unknown, Dependency::kFull).status(),
              HasCode(absl::StatusCode::kNotFound));
  Graph fill;
  fill.AddFill({}, StreamId{0});
  EXPECT_THAT(DeviceStep::Create(fill, Dependency::kFull).status(),
              HasCode(absl::StatusCode::kUnimplemented));
}

}  // namespace
}  // namespace reprise::decoder
