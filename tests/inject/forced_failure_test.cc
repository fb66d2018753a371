#include "inject/forced_failure.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/driver/scripted_driver.h"

namespace reprise::testing {
namespace {

TEST(ForcedFailure, IsOfOneCallAtItsTurn) {
  ScriptedDriver scripted;
  const auto driver = WithForcedFailure(scripted.table(), "GraphClone:2");
  ASSERT_TRUE(driver.ok()) << driver.status();
  const CUgraph graph = scripted.NewGraph();
  CUgraph clones[3] = {};
  EXPECT_EQ(driver->GraphClone(&clones[0], graph), CUDA_SUCCESS);
  EXPECT_EQ(driver->GraphClone(&clones[1], graph), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(driver->GraphClone(&clones[2], graph), CUDA_SUCCESS);
  EXPECT_EQ(scripted.rows(), "GraphClone g0 -> g1\nGraphClone g0 -> g2\n");
}

TEST(ForcedFailure, IsOfEveryCallForTurnZero) {
  ScriptedDriver scripted;
  const auto driver = WithForcedFailure(scripted.table(), "MemAlloc:0");
  ASSERT_TRUE(driver.ok()) << driver.status();
  CUdeviceptr address = 0;
  EXPECT_EQ(driver->MemAlloc(&address, 8), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(driver->MemAlloc(&address, 8), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(scripted.rows(), "");
}

TEST(ForcedFailure, EndsWhatTheCallEnds) {
  ScriptedDriver scripted;
  const auto driver = WithForcedFailure(scripted.table(), "MemFree:1");
  ASSERT_TRUE(driver.ok()) << driver.status();
  CUdeviceptr address = 0;
  ASSERT_EQ(driver->MemAlloc(&address, 8), CUDA_SUCCESS);
  EXPECT_EQ(driver->MemFree(address), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(scripted.Leaks(), "");
}

TEST(ForcedFailure, RefusesWhatNamesNoCall) {
  ScriptedDriver scripted;
  for (const char* which : {"GraphClone", "GraphClone:", "GraphClone:x",
                            "GraphClone:-1", "NoSuchCall:1", ":1"}) {
    EXPECT_EQ(WithForcedFailure(scripted.table(), which).status().code(),
              absl::StatusCode::kInvalidArgument)
        << which;
  }
}

TEST(ForcedFailure, IsNoneWithoutAName) {
  ScriptedDriver scripted;
  for (const char* which : {static_cast<const char*>(nullptr), ""}) {
    const auto driver = WithForcedFailure(scripted.table(), which);
    ASSERT_TRUE(driver.ok());
    EXPECT_EQ(driver->MemAlloc, scripted.table().MemAlloc);
  }
}

}  // namespace
}  // namespace reprise::testing
