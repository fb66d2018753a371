#include "capture/kernel_node_params.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/driver/scripted_driver.h"

namespace reprise {
namespace {

using ::reprise::testing::ScriptedDriver;
using ::reprise::testing::Words;

template <typename Launch>
constexpr bool kTakes = requires(KernelNodeParams params, Launch launch) {
  params.Of(nullptr, static_cast<Launch>(launch));
};

TEST(KernelNodeParams, MakeTheNodesThatLaunchesDescribe) {
  ScriptedDriver driver;
  const CUgraph graph = driver.NewGraph();
  KernelNodeParams params;
  const auto add = [&](CUfunction function, const KernelLaunch& launch) {
    CUgraphNode node = nullptr;
    const CUDA_KERNEL_NODE_PARAMS to = params.Of(function, launch);
    EXPECT_EQ(to.sharedMemBytes, launch.shared_bytes);
    EXPECT_EQ(driver.table().GraphAddKernelNode(&node, graph, nullptr, 0, &to),
              CUDA_SUCCESS);
  };
  KernelLaunch launch;
  launch.parameters = {{0, 8}};
  launch.bytes = Words({0x7});
  add(driver.NewFunction("one", launch.parameters), launch);
  launch.grid = {2, 3, 4};
  launch.block = {32, 5, 6};
  launch.shared_bytes = 48;
  launch.parameters = {{0, 8}, {16, 4}, {24, 8}};
  launch.bytes = Words({0x1000, 0xffff, 0xffffffff00000007, 0x2000});
  add(driver.NewFunction("three", launch.parameters), launch);
  add(driver.NewFunction("none", {}), KernelLaunch());
  EXPECT_EQ(driver.TextOf(graph),
            "0: one(0x7)\n"
            "1: three(0x1000 0x7 0x2000) 2x3x4 32x5x6\n"
            "2: none()\n");
}

TEST(KernelNodeParams, TakeNoLaunchThatIsAboutToGo) {
  EXPECT_TRUE(kTakes<const KernelLaunch&>);
  EXPECT_TRUE(kTakes<KernelLaunch&>);
  EXPECT_FALSE(kTakes<KernelLaunch&&>);
  EXPECT_FALSE(std::is_copy_constructible_v<KernelNodeParams>);
}

}  // namespace
}  // namespace reprise
