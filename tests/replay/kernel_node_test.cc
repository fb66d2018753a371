#include "replay/kernel_node.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/driver/scripted_driver.h"

namespace reprise::testing {
namespace {

// Sets a node that takes 60,000 bytes of shared memory to what it is, after its
// kernel's limit fell to the usual 48 KiB.
class SharedMemory : public ::testing::Test {
 protected:
  std::string RowsOfSetting(ScriptedKernel kernel) {
    kernel.shared_bytes = 60'000;
    kernel.bytes = Words({1});
    const CUgraph graph = driver_.NewGraph();
    const CUgraphNode node = driver_.AddKernel(graph, kernel);
    const KernelCode code{kernel.func, kernel.kern, nullptr};
    KernelLaunch launch;
    launch.shared_bytes = kernel.shared_bytes;
    launch.parameters = {{0, 8}};
    launch.bytes = Words({2});
    EXPECT_EQ(SetLaunch(driver_.table(), node, code, launch), CUDA_SUCCESS);
    return driver_.rows();
  }

  ScriptedDriver driver_;
  const CUfunction function_ = driver_.NewFunction("add", {{0, 8}});
};

TEST_F(SharedMemory, IsAllowedToTheFunctionOfADriverLaunch) {
  EXPECT_EQ(RowsOfSetting({.func = function_}),
            "FuncSetAttribute add shared 60000\n"
            "GraphKernelNodeSetParams g0:0 add(0x2)\n");
}

TEST_F(SharedMemory, IsAllowedToTheKernelOfARuntimeLaunch) {
  EXPECT_EQ(
      RowsOfSetting({.func = function_, .kern = driver_.NewKernel(function_)}),
      "KernelSetAttribute add shared 60000\n"
      "GraphKernelNodeSetParams g0:0 add(0x2)\n");
}

TEST_F(SharedMemory, IsNeverTakenAway) {
  RowsOfSetting({.func = function_});
  driver_.ClearRows();
  EXPECT_EQ(RowsOfSetting({.func = function_}),
            "GraphKernelNodeSetParams g1:0 add(0x2)\n");
}

}  // namespace
}  // namespace reprise::testing
