#include "tests/driver/scripted_driver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reprise::testing {
namespace {

constexpr CUgraphEdgeData kProgrammatic = {
    .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
    .to_port = 0,
    .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
    .reserved = {}};

// a -> b ~> c, three kernels over two words each.
struct ThreeKernels : ::testing::Test {
  ThreeKernels() {
    driver.AddEdge(a, b);
    driver.AddEdge(b, c, kProgrammatic);
  }
  CUgraph Clone() {
    CUgraph clone = nullptr;
    EXPECT_EQ(cuda.GraphClone(&clone, graph), CUDA_SUCCESS);
    return clone;
  }
  CUgraphNode In(CUgraph clone, CUgraphNode node) {
    CUgraphNode found = nullptr;
    EXPECT_EQ(cuda.GraphNodeFindInClone(&found, node, clone), CUDA_SUCCESS);
    return found;
  }

  ScriptedDriver driver;
  const Driver& cuda = driver.table();
  CUfunction add = driver.NewFunction("add", {{0, 8}, {8, 8}});
  CUfunction big = driver.NewFunction("big", {{0, 4}, {8, 5000}});
  CUgraph graph = driver.NewGraph();
  CUgraphNode a =
      driver.AddKernel(graph, {.func = add, .bytes = Words({0x10, 0x20})});
  CUgraphNode b =
      driver.AddKernel(graph, {.func = add, .bytes = Words({0x20, 0x30})});
  CUgraphNode c =
      driver.AddKernel(graph, {.func = add, .bytes = Words({0x30, 0x40})});
};

TEST_F(ThreeKernels, AreShownAsText) {
  EXPECT_EQ(driver.TextOf(graph),
            "0: add(0x10 0x20)\n"
            "1: add(0x20 0x30) after 0\n"
            "2: add(0x30 0x40) after ~1\n");
}

TEST_F(ThreeKernels, ACloneIsEditedApartAndEveryChangeIsARow) {
  const CUgraph clone = Clone();
  const CUgraphNode in_clone[] = {In(clone, a), In(clone, b), In(clone, c)};
  CUDA_KERNEL_NODE_PARAMS params;
  ASSERT_EQ(cuda.GraphKernelNodeGetParams(in_clone[2], &params), CUDA_SUCCESS);
  std::vector<std::uint8_t> bytes(5008, 7);
  bytes[1] = bytes[2] = bytes[3] = 0;
  void* pointers[] = {&bytes[0], &bytes[8]};
  params.func = big;
  params.kernelParams = pointers;
  ASSERT_EQ(cuda.GraphKernelNodeSetParams(in_clone[2], &params), CUDA_SUCCESS);
  EXPECT_EQ(driver.BytesOf(in_clone[2]).size(), 5008u);
  const CUgraphEdgeData full = {};
  ASSERT_EQ(
      cuda.GraphAddDependencies(clone, &in_clone[0], &in_clone[2], &full, 1),
      CUDA_SUCCESS);
  ASSERT_EQ(cuda.GraphDestroyNode(in_clone[1]), CUDA_SUCCESS);
  EXPECT_EQ(driver.rows(),
            "GraphClone g0 -> g1\n"
            "GraphKernelNodeSetParams g1:2 big(0x7 5000bytes)\n"
            "GraphAddDependencies g1: 0->2\n"
            "GraphDestroyNode g1:1\n");
  EXPECT_EQ(driver.TextOf(clone),
            "0: add(0x10 0x20)\n"
            "2: big(0x7 5000bytes) after 0\n");
  EXPECT_EQ(driver.TextOf(graph).substr(0, 18), "0: add(0x10 0x20)\n");
  EXPECT_EQ(driver.Leaks(), "g1");
  EXPECT_EQ(cuda.GraphDestroy(clone), CUDA_SUCCESS);
  EXPECT_EQ(driver.Leaks(), "");
}

TEST_F(ThreeKernels, ALaunchRunsTheFunctionsBodyOnItsParameters) {
  std::vector<std::uint8_t> seen;
  driver.SetBody(add, [&](const auto& bytes) { seen = bytes; });
  CUstream stream = nullptr;
  ASSERT_EQ(cuda.StreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  std::vector<std::uint8_t> bytes = Words({0x10, 0x20});
  void* parameters[] = {&bytes[0], &bytes[8]};
  EXPECT_EQ(
      cuda.LaunchKernel(add, 2, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(seen, bytes);
  EXPECT_EQ(driver.Leaks(), "s1");
  EXPECT_EQ(cuda.StreamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuda.StreamDestroy(stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.rows(),
            "StreamCreate s1\n"
            "LaunchKernel s1 add(0x10 0x20) 2x1x1 64x1x1\n"
            "StreamDestroy s1\n");
  EXPECT_EQ(driver.Leaks(), "");
}

TEST_F(ThreeKernels, AnEdgeIsRemovedByItsVeryDataOnly) {
  const CUgraphEdgeData full = {};
  EXPECT_EQ(cuda.GraphRemoveDependencies(graph, &b, &c, &full, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda.GraphRemoveDependencies(graph, &b, &c, &kProgrammatic, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(cuda.GraphAddDependencies(graph, &a, &b, &full, 1),
            CUDA_ERROR_INVALID_VALUE)
      << "it is there already";
  EXPECT_EQ(driver.rows(), "GraphRemoveDependencies g0: ~1->2\n");
}

TEST_F(ThreeKernels, EdgesAreListedWithTheirDataOrNotAtAll) {
  std::size_t count = 0;
  ASSERT_EQ(cuda.GraphGetEdges(graph, nullptr, nullptr, nullptr, &count),
            CUDA_SUCCESS);
  ASSERT_EQ(count, 2u);
  CUgraphNode from[2], to[2];
  CUgraphEdgeData data[2];
  EXPECT_EQ(cuda.GraphGetEdges(graph, from, to, nullptr, &count),
            CUDA_ERROR_LOSSY_QUERY);
  ASSERT_EQ(cuda.GraphGetEdges(graph, from, to, data, &count), CUDA_SUCCESS);
  EXPECT_EQ(driver.NameOf(from[1]) + driver.NameOf(to[1]), "g0:1g0:2");
  EXPECT_EQ(data[1].type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  std::size_t dependencies = 1;
  CUgraphNode before = nullptr;
  ASSERT_EQ(cuda.GraphNodeGetDependencies(c, &before, data, &dependencies),
            CUDA_SUCCESS);
  EXPECT_EQ(before, b);
}

TEST_F(ThreeKernels, AnExecutableIsUpdatedFromAGraphOfItsShapeOnly) {
  const CUgraph clone = Clone();
  CUgraphExec exec = nullptr;
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  ASSERT_EQ(cuda.GraphInstantiateWithParams(&exec, clone, &how), CUDA_SUCCESS);
  CUDA_KERNEL_NODE_PARAMS params;
  const CUgraphNode node = In(clone, c);
  ASSERT_EQ(cuda.GraphKernelNodeGetParams(a, &params), CUDA_SUCCESS);
  EXPECT_EQ(cuda.GraphExecKernelNodeSetParams(exec, c, &params),
            CUDA_ERROR_INVALID_VALUE)
      << "not the graph that it was made from";
  ASSERT_EQ(cuda.GraphExecKernelNodeSetParams(exec, node, &params),
            CUDA_SUCCESS);
  EXPECT_EQ(driver.TextOf(exec),
            "0: add(0x10 0x20)\n"
            "1: add(0x20 0x30) after 0\n"
            "2: add(0x10 0x20) after ~1\n");
  CUgraphExecUpdateResultInfo info;
  ASSERT_EQ(cuda.GraphExecUpdate(exec, graph, &info), CUDA_SUCCESS);
  EXPECT_EQ(driver.TextOf(exec), driver.TextOf(graph));
  driver.AddEdge(a, c);
  EXPECT_EQ(cuda.GraphExecUpdate(exec, graph, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(driver.Leaks(), "g1 e0");
}

TEST_F(ThreeKernels, NoPartIsTakenFromAGraphThatAllocates) {
  driver.AddNode(graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  CUgraph clone = nullptr;
  EXPECT_EQ(cuda.GraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuda.GraphDestroyNode(b), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuda.GraphRemoveDependencies(graph, &b, &c, &kProgrammatic, 1),
            CUDA_ERROR_NOT_SUPPORTED);
}

TEST(ScriptedDriver, FailsTheCallThatItWasToldTo) {
  ScriptedDriver driver;
  const Driver& cuda = driver.table();
  const CUgraph graph = driver.NewGraph();
  driver.FailCall("GraphClone", 2, CUDA_ERROR_OUT_OF_MEMORY);
  driver.FailCall(4, CUDA_ERROR_LAUNCH_FAILED);
  CUgraph clones[3] = {};
  EXPECT_EQ(cuda.GraphClone(&clones[0], graph), CUDA_SUCCESS);
  EXPECT_EQ(cuda.GraphClone(&clones[1], graph), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuda.GraphClone(&clones[2], graph), CUDA_SUCCESS);
  EXPECT_EQ(cuda.GraphDestroy(clones[0]), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuda.GraphDestroy(clones[2]), CUDA_SUCCESS);
  EXPECT_EQ(driver.rows(),
            "GraphClone g0 -> g1\n"
            "GraphClone fails\n"
            "GraphClone g0 -> g2\n"
            "GraphDestroy fails\n"
            "GraphDestroy g2\n");
  EXPECT_EQ(driver.calls("GraphClone"), 3);
  EXPECT_EQ(driver.calls(), 5);
  EXPECT_EQ(driver.Leaks(), "");
}

TEST(ScriptedDriver, MovesTheBytesOfItsMemory) {
  ScriptedDriver driver;
  const Driver& cuda = driver.table();
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuda.MemAlloc(&memory, 16), CUDA_SUCCESS);
  EXPECT_EQ(driver.Leaks(), "0x7f0000000000");
  std::uint32_t value = 0x01020304;
  ASSERT_EQ(cuda.MemcpyHtoDAsync(memory, &value, 4, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuda.MemcpyDtoDAsync(memory + 4, memory, 4, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuda.MemsetD8Async(memory + 4, 9, 1, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuda.MemcpyDtoHAsync(&value, memory + 4, 4, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(value, 0x01020309u);
  EXPECT_EQ(cuda.MemcpyDtoHAsync(&value, memory + 13, 4, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  ASSERT_EQ(cuda.MemGetAddressRange(&base, &size, memory + 15), CUDA_SUCCESS);
  EXPECT_EQ(base, memory);
  EXPECT_EQ(size, 16u);
  EXPECT_EQ(cuda.MemGetAddressRange(&base, &size, memory + 16),
            CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(cuda.MemFree(memory), CUDA_SUCCESS);
  EXPECT_EQ(driver.Leaks(), "");
}

TEST(ScriptedDriver, CapturesIntoAGraphThatATestFills) {
  ScriptedDriver driver;
  const Driver& cuda = driver.table();
  const CUstream stream = driver.NewStream();
  ASSERT_EQ(cuda.StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  driver.AddNode(driver.CapturedBy(stream), CU_GRAPH_NODE_TYPE_HOST);
  EXPECT_EQ(driver.Leaks(), "g0 s1 capturing");
  driver.BreakCapture(stream, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuda.StreamEndCapture(stream, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(driver.Leaks(), "");
}

}  // namespace
}  // namespace reprise::testing
