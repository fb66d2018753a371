// Kernels of a known graph that are given other parameters one after the other.
#include "capture/launch_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/driver/scripted_driver.h"
#include "tests/driver/scripted_state.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr std::uint64_t kMemory = 0x7fa712000000;
constexpr std::uint64_t kElsewhere = 0x7fa713000000;

class LaunchesRead : public ::testing::Test {
 protected:
  LaunchesRead() {
    driver_.AddAllocation(kMemory, 4096);
    const CUgraph graph = driver_.NewGraph();
    for (const std::uint64_t number : {7, 8, 9}) {
      driver_.AddKernel(graph,
                        {.func = add_, .bytes = Words({kMemory, number})});
    }
    known_ = *GraphImporter(driver_.table()).Import(graph);
  }

  absl::StatusOr<bool> Set(LaunchReader& reader, std::uint32_t node,
                           std::uint64_t pointer, std::uint64_t number,
                           CUfunction function = nullptr) {
    std::uint64_t words[] = {pointer, number};
    void* pointers[] = {&words[0], &words[1], &words[1]};
    CUDA_KERNEL_NODE_PARAMS params = {};
    params.func = function == nullptr ? add_ : function;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = pointers;
    return reader.Read(NodeId{node}, params);
  }

  ScriptedDriver driver_;
  CUfunction add_ = driver_.NewFunction("add", {{0, 8}, {8, 8}});
  CUfunction changed_ = driver_.NewFunction("add", {{0, 8}, {8, 4}, {12, 4}});
  ImportedGraph known_;
};

TEST_F(LaunchesRead, AreKeptWhereTheyChanged) {
  LaunchReader reader(driver_.table(), known_);
  EXPECT_TRUE(*Set(reader, 2, kMemory + 256, 1));
  EXPECT_TRUE(*Set(reader, 1, kMemory, 8));  // as it was
  EXPECT_TRUE(*Set(reader, 0, kMemory, 2));
  EXPECT_TRUE(*Set(reader, 2, kMemory, 3));
  EXPECT_TRUE(*reader.Finish());
  EXPECT_EQ(reader.TakeChanged(), (std::vector<NodeId>{NodeId{0}, NodeId{2}}));
  EXPECT_EQ(known_.graph.launch(NodeId{0}).bytes, Words({kMemory, 2}));
  EXPECT_EQ(known_.graph.launch(NodeId{1}).bytes, Words({kMemory, 8}));
  EXPECT_EQ(known_.graph.launch(NodeId{2}).bytes, Words({kMemory, 3}));
}

TEST_F(LaunchesRead, AreNotFollowedWhereMoreChanged) {
  LaunchReader reader(driver_.table(), known_);
  EXPECT_FALSE(*Set(reader, 1, kMemory, 8, changed_));
}

TEST_F(LaunchesRead, AskOnceForAFunctionUntilCodeIsUnloaded) {
  LaunchReader reader(driver_.table(), known_);
  const int before = driver_.calls("FuncGetName");
  EXPECT_TRUE(*Set(reader, 0, kMemory, 1));
  EXPECT_TRUE(*Set(reader, 1, kMemory, 1));
  EXPECT_EQ(driver_.calls("FuncGetName") - before, 1);
  reader.ForgetFunctions();
  From<ScriptedFunction>(add_)->name = "sub";
  EXPECT_FALSE(*Set(reader, 1, kMemory, 2));
}

TEST_F(LaunchesRead, FindTheMemoryThatTheyPointTo) {
  driver_.AddAllocation(kElsewhere, 64);
  LaunchReader reader(driver_.table(), known_);
  const int before = driver_.calls("MemGetAddressRange");
  EXPECT_TRUE(*Set(reader, 0, kElsewhere, 1));
  EXPECT_TRUE(*Set(reader, 1, kElsewhere, 1));
  EXPECT_EQ(driver_.calls("MemGetAddressRange") - before, 1);
  EXPECT_TRUE(*reader.Finish());
  ASSERT_EQ(known_.graph.allocations().size(), 2u);
  EXPECT_EQ(known_.graph.allocations()[1], (Allocation{kElsewhere, 64}));
}

TEST_F(LaunchesRead, CountForNothingWhereMemoryIsNotWhatItWas) {
  LaunchReader reader(driver_.table(), known_);
  EXPECT_TRUE(*Set(reader, 0, kMemory, 1));
  driver_.AddAllocation(kMemory, 8192);
  EXPECT_FALSE(*reader.Finish());
}

TEST_F(LaunchesRead, NameTheCallThatFailed) {
  LaunchReader reader(driver_.table(), known_);
  driver_.FailCall("FuncGetName", 1, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Set(reader, 0, kMemory, 1),
              HasText("cuFuncGetName: CUDA_ERROR_LAUNCH_FAILED"));
}

}  // namespace
}  // namespace reprise::testing
