#include "capture/import_graph.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "capture/annotate.h"
#include "capture/pack.h"
#include "graph/text.h"
#include "tests/driver/scripted_driver.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;
using ::reprise::testing::IsOk;
using ::reprise::testing::ScriptedDriver;
using ::reprise::testing::Words;

constexpr CUgraphEdgeData kProgrammatic = {
    .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
    .to_port = 0,
    .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
    .reserved = {}};

constexpr std::uint64_t kMemory = 0x7fa712000000;

struct ImportGraph : ::testing::Test {
  // Imports what the test has put into the graph.
  ImportedGraph Import() {
    absl::StatusOr<ImportedGraph> imported = importer.Import(source);
    EXPECT_OK(imported);
    return imported.ok() ? *std::move(imported) : ImportedGraph{};
  }
  // The launch of a graph's only node.
  KernelLaunch LaunchOf(const testing::ScriptedKernel& kernel) {
    driver.AddKernel(source, kernel);
    return Import().graph.launch(NodeId{0});
  }

  ScriptedDriver driver;
  CUgraph source = driver.NewGraph();
  CUfunction add = driver.NewFunction("_Z3addPfS_", {{0, 8}, {8, 8}});
  GraphImporter importer{driver.table()};
};

TEST_F(ImportGraph, OfNothingIsAnEmptyGraph) {
  const ImportedGraph imported = Import();
  EXPECT_EQ(imported.graph.num_nodes(), 0u);
  EXPECT_TRUE(imported.handles.empty());
  EXPECT_EQ(driver.calls(), 2) << "there is nothing to list";
}

TEST_F(ImportGraph, KeepsEveryKindOfNodeAndItsHandle) {
  struct {
    CUgraphNodeType type;
    NodeKind kind;
  } const rows[] = {
      {CU_GRAPH_NODE_TYPE_KERNEL, NodeKind::kKernel},
      {CU_GRAPH_NODE_TYPE_MEMCPY, NodeKind::kCopy},
      {CU_GRAPH_NODE_TYPE_MEMSET, NodeKind::kFill},
      {CU_GRAPH_NODE_TYPE_HOST, NodeKind::kHostCall},
      {CU_GRAPH_NODE_TYPE_GRAPH, NodeKind::kChildGraph},
      {CU_GRAPH_NODE_TYPE_EMPTY, NodeKind::kEmpty},
      {CU_GRAPH_NODE_TYPE_WAIT_EVENT, NodeKind::kEventWait},
      {CU_GRAPH_NODE_TYPE_EVENT_RECORD, NodeKind::kEventRecord},
      {CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, NodeKind::kOther},
      {CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, NodeKind::kOther},
      {CU_GRAPH_NODE_TYPE_MEM_ALLOC, NodeKind::kMemAlloc},
      {CU_GRAPH_NODE_TYPE_MEM_FREE, NodeKind::kMemFree},
      {CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, NodeKind::kOther},
      {CU_GRAPH_NODE_TYPE_CONDITIONAL, NodeKind::kConditional},
      {static_cast<CUgraphNodeType>(15), NodeKind::kOther},  // of later drivers
  };
  std::vector<CUgraphNode> handles;
  for (const auto& row : rows) {
    handles.push_back(
        row.type == CU_GRAPH_NODE_TYPE_KERNEL
            ? driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})})
            : driver.AddNode(source, row.type));
  }
  const ImportedGraph imported = Import();
  EXPECT_EQ(imported.handles, handles);
  for (std::uint32_t n = 0; n < std::size(rows); ++n) {
    EXPECT_EQ(imported.graph.node(NodeId{n}).kind, rows[n].kind) << n;
    EXPECT_FALSE(imported.graph.node(NodeId{n}).effects_complete) << n;
  }
  EXPECT_EQ(driver.rows(), "") << "an import only reads";
}

TEST_F(ImportGraph, ReadsAllOfALaunch) {
  const CUfunction mixed =
      driver.NewFunction("_Z5mixedPfi6float4", {{0, 8}, {8, 4}, {16, 16}});
  const KernelLaunch launch =
      LaunchOf({.func = mixed,
                .bytes = Words({kMemory, 0xaaaaaaaa00000007, 3, 4}),
                .grid = {2, 3, 4},
                .block = {32, 5, 6},
                .shared_bytes = 48,
                .cooperative = true,
                .cluster = {2, 1, 1}});
  EXPECT_EQ(launch, (KernelLaunch{
                        .symbol = "_Z5mixedPfi6float4",
                        .grid = {2, 3, 4},
                        .block = {32, 5, 6},
                        .shared_bytes = 48,
                        .parameters = {{0, 8}, {8, 4}, {16, 16}},
                        .bytes = Words({kMemory, 7, 3, 4}),  // padding is 0
                        .programmatic_serialization = false,
                        .cooperative = true,
                        .cluster = Dim3{2, 1, 1},
                    }));
}

TEST_F(ImportGraph, ReadsAttributesOfEachNodeAnew) {
  driver.AddKernel(source, {.func = add,
                            .bytes = Words({1, 2}),
                            .cooperative = true,
                            .cluster = {1, 1, 4}});
  driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})});
  driver.AddKernel(source,
                   {.func = add, .bytes = Words({1, 2}), .cluster = {1, 1, 1}});
  const Graph graph = Import().graph;
  EXPECT_TRUE(graph.launch(NodeId{0}).cooperative);
  EXPECT_EQ(graph.launch(NodeId{0}).cluster, (Dim3{1, 1, 4}));
  EXPECT_FALSE(graph.launch(NodeId{1}).cooperative);
  EXPECT_EQ(graph.launch(NodeId{1}).cluster, std::nullopt);
  EXPECT_EQ(graph.launch(NodeId{2}).cluster, std::nullopt);
}

TEST_F(ImportGraph, FindsTheFunctionOfANodeThatHasAKernelAlone) {
  const KernelLaunch launch =
      LaunchOf({.kern = driver.NewKernel(add), .bytes = Words({kMemory, 5})});
  EXPECT_EQ(launch.symbol, "_Z3addPfS_");
  EXPECT_EQ(launch.bytes, Words({kMemory, 5}));
}

TEST_F(ImportGraph, ReadsALaunchThroughExtraAsAnyOther) {
  const KernelLaunch plain =
      LaunchOf({.func = add, .bytes = Words({kMemory, 5})});
  source = driver.NewGraph();
  // Such a buffer may be longer than its parameters.
  EXPECT_EQ(
      LaunchOf(
          {.func = add, .bytes = Words({kMemory, 5, 6}), .as_extra = true}),
      plain);
}

TEST_F(ImportGraph, RefusesABufferTooShortForItsFunction) {
  driver.AddNode(source, CU_GRAPH_NODE_TYPE_HOST);
  driver.AddKernel(source,
                   {.func = add, .bytes = Words({kMemory}), .as_extra = true});
  const auto imported = importer.Import(source);
  EXPECT_THAT(imported, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(imported, HasText("node 1 (kernel): _Z3addPfS_ takes 16 bytes of "
                                "parameters, the launch has 8"));
}

TEST_F(ImportGraph, ReadsAStructOf5000Bytes) {
  const CUfunction big = driver.NewFunction("big", {{0, 8}, {8, 5000}});
  std::vector<std::uint8_t> bytes(5008);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 7 % 251);
  }
  for (const bool as_extra : {false, true}) {
    source = driver.NewGraph();
    const KernelLaunch launch =
        LaunchOf({.func = big, .bytes = bytes, .as_extra = as_extra});
    EXPECT_EQ(launch.bytes, bytes);
    EXPECT_EQ(launch.parameters, (std::vector<Parameter>{{0, 8}, {8, 5000}}));
  }
}

TEST_F(ImportGraph, AsksForALayoutOncePerFunctionOverAllImports) {
  const CUfunction nop = driver.NewFunction("nop", {});
  for (int n = 0; n < 50; ++n) {
    driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})});
    driver.AddKernel(source, {.func = nop});
  }
  Import();
  Import();
  EXPECT_EQ(driver.calls("FuncGetName"), 2);
  EXPECT_EQ(driver.calls("FuncGetParamInfo"), 3 + 1);
}

TEST_F(ImportGraph, AsksFourCallsAKernel) {
  for (int n = 0; n < 100; ++n) {
    driver.AddKernel(source, {.func = add, .bytes = Words({kMemory, n + 1u})});
  }
  driver.AddAllocation(kMemory, 4096);
  Import();
  const int before = driver.calls();
  Import();
  EXPECT_EQ(driver.calls() - before, 100 * 4 + 2 + 1 + 1)
      << "and for the nodes, the edges and the allocation";
}

TEST_F(ImportGraph, KeepsEdgesWithTheirTypesAndPorts) {
  const CUgraphNode a =
      driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})});
  const CUgraphNode b =
      driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})});
  const CUgraphNode c =
      driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})});
  const CUgraphNode d = driver.AddNode(source, CU_GRAPH_NODE_TYPE_HOST);
  CUgraphEdgeData at_start = kProgrammatic;
  at_start.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
  driver.AddEdge(a, b, kProgrammatic);
  driver.AddEdge(a, c, at_start);
  driver.AddEdge(c, d);
  driver.AddEdge(b, d);
  const Graph graph = Import().graph;
  EXPECT_EQ(ToText(graph),
            "0: opaque | -> | @0\n"
            "1: opaque | -> | @0 after ~0\n"
            "2: opaque | -> | @1 after ~0\n"
            "3: host | -> | @1 after 2 1\n");
  EXPECT_EQ(graph.edges()[0].from_port, 1);
  EXPECT_EQ(graph.edges()[1].from_port, 2);
  EXPECT_EQ(graph.edges()[2].from_port, 0);
}

TEST_F(ImportGraph, RefusesAnEdgeThatOrdersLessThanItSays) {
  const CUgraphNode a =
      driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})});
  const CUgraphNode b = driver.AddNode(source, CU_GRAPH_NODE_TYPE_HOST);
  CUgraphEdgeData at_start = {};
  at_start.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
  driver.AddEdge(a, b, at_start);
  const auto imported = importer.Import(source);
  EXPECT_THAT(imported, HasCode(absl::StatusCode::kUnimplemented));
  EXPECT_THAT(imported, HasText("node 0 (add) leads to node 1 (host) by an "
                                "edge of type 0 from port 2"));
}

TEST_F(ImportGraph, ReadsCopiesAsTheirFirstBytes) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = kMemory;
  copy.srcXInBytes = 16;
  copy.srcY = 2;
  copy.srcZ = 3;
  copy.srcPitch = 256;
  copy.srcHeight = 10;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = kMemory + 0x10000;
  copy.dstPitch = 128;
  copy.WidthInBytes = 64;
  copy.Height = 5;
  copy.Depth = 1;
  driver.AddMemcpy(source, copy);
  const Graph graph = Import().graph;
  EXPECT_EQ(graph.copy(NodeId{0}),
            (Copy{.source = kMemory + (3 * 10 + 2) * 256 + 16,
                  .target = kMemory + 0x10000,
                  .width_bytes = 64,
                  .height = 5,
                  .depth = 1,
                  .source_pitch = 256,
                  .target_pitch = 128,
                  .source_kind = MemoryKind::kDevice,
                  .target_kind = MemoryKind::kUnified}));
}

TEST_F(ImportGraph, KnowsNoAddressOfHostMemoryAndArrays) {
  int host = 0;
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = &host;
  copy.srcXInBytes = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstXInBytes = 8;
  copy.WidthInBytes = 4;
  copy.Height = 1;
  copy.Depth = 1;
  driver.AddMemcpy(source, copy);
  const Copy read = Import().graph.copy(NodeId{0});
  EXPECT_EQ(read.source, 0u);
  EXPECT_EQ(read.source_kind, MemoryKind::kHost);
  EXPECT_EQ(read.target, 0u);
  EXPECT_EQ(read.target_kind, MemoryKind::kArray);
  EXPECT_EQ(driver.calls("MemGetAddressRange"), 0);
}

TEST_F(ImportGraph, ReadsFillsInTheirElements) {
  driver.AddMemset(source, {.dst = kMemory,
                            .pitch = 512,
                            .value = 0x01020304,
                            .elementSize = 4,
                            .width = 20,
                            .height = 3});
  const Graph graph = Import().graph;
  EXPECT_EQ(graph.fill(NodeId{0}), (Fill{.target = kMemory,
                                         .width = 20,
                                         .height = 3,
                                         .pitch = 512,
                                         .element_bytes = 4,
                                         .value = 0x01020304}));
}

TEST_F(ImportGraph, ListsAllocationsOnceInTheOrderOfAddresses) {
  driver.AddAllocation(kMemory, 4096);
  driver.AddAllocation(0x302000000, 512);
  driver.AddAllocation(kMemory + 0x200000, 64);
  driver.AddAllocation(kMemory + 0x400000, 64);
  driver.AddAllocation(kMemory + 0x600000, 64);  // nothing points there
  driver.AddKernel(source, {.func = add, .bytes = Words({kMemory + 4095, 0})});
  driver.AddKernel(source,
                   {.func = add, .bytes = Words({kMemory, 0x302000000})});
  driver.AddMemset(source, {.dst = kMemory + 0x200000,
                            .pitch = 0,
                            .value = 0,
                            .elementSize = 1,
                            .width = 1,
                            .height = 1});
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = kMemory + 0x400000 + 8;
  copy.dstDevice = kMemory + 4096;  // right behind the first
  driver.AddMemcpy(source, copy);
  const Graph graph = Import().graph;
  EXPECT_EQ(std::vector<Allocation>(graph.allocations().begin(),
                                    graph.allocations().end()),
            (std::vector<Allocation>{{0x302000000, 512},
                                     {kMemory, 4096},
                                     {kMemory + 0x200000, 64},
                                     {kMemory + 0x400000, 64}}));
  EXPECT_EQ(driver.calls("MemGetAddressRange"), 5);
}

TEST_F(ImportGraph, AsksOnlyAboutWordsThatMayBeAddresses) {
  const CUfunction big = driver.NewFunction("big", {{0, 4096}});
  const double one = 1.0;
  const float halves[] = {0.5f, 0.5f};
  std::uint64_t double_word = 0;
  std::uint64_t float_word = 0;
  std::memcpy(&double_word, &one, 8);
  std::memcpy(&float_word, halves, 8);
  std::vector<std::uint64_t> words(512, 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t kinds[] = {0,           i,          0xffffffff,
                                   double_word, float_word, ~std::uint64_t{i},
                                   0x700000001};
    words[i] = kinds[i % std::size(kinds)];
  }
  for (int n = 0; n < 10; ++n) {
    driver.AddKernel(source, {.func = big, .bytes = Words(words)});
  }
  EXPECT_TRUE(Import().graph.allocations().empty());
  EXPECT_EQ(driver.calls("MemGetAddressRange"), 1) << "a miss is remembered";
}

TEST_F(ImportGraph, LooksUpAllocationsAnewInEachImport) {
  driver.AddKernel(source, {.func = add, .bytes = Words({kMemory, 0})});
  EXPECT_TRUE(Import().graph.allocations().empty());
  driver.AddAllocation(kMemory, 64);
  EXPECT_EQ(Import().graph.allocations().size(), 1u);
}

TEST_F(ImportGraph, GivesAPackWhatItNeedsToKnow) {
  driver.AddAllocation(kMemory, 4096);
  const CUfunction quantize =
      driver.NewFunction("reprise_quantize_q8_1", {{0, 56}});
  driver.AddKernel(source,
                   {.func = quantize,
                    .bytes = Words({kMemory, kMemory + 2048, 64, 1, 1, 64, 64}),
                    .grid = {2, 1, 1},
                    .block = {256, 1, 1}});
  Graph graph = Import().graph;
  Annotate(BuiltInPacks(), graph);
  EXPECT_EQ(ToText(graph),
            "alloc 0x7fa712000000 4096\n"
            "0: quantize scratch | source:0x7fa712000000:f32:64 -> "
            "image:0x7fa712000800:q8_1:16 | @0 pure waits\n");
}

// Every call of an import, failing in turn.
TEST_F(ImportGraph, NamesTheCallThatFailedAndItsNode) {
  driver.AddAllocation(kMemory, 64);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = kMemory + 0x100000;
  const CUgraphNode kernel = driver.AddKernel(
      source, {.kern = driver.NewKernel(add), .bytes = Words({kMemory, 0})});
  driver.AddEdge(kernel, driver.AddMemcpy(source, copy));
  driver.AddMemset(source, {});
  const char* const kErrors[] = {
      "cuGraphGetNodes",
      "cuGraphGetNodes",
      "node 0: cuGraphNodeGetType",
      "node 0 (kernel): cuGraphKernelNodeGetParams",
      "node 0 (kernel): cuKernelGetFunction",
      "node 0 (kernel): cuFuncGetName",
      "node 0 (kernel): cuFuncGetParamInfo",
      "node 0 (kernel): cuFuncGetParamInfo",
      "node 0 (kernel): cuFuncGetParamInfo",
      "node 0 (kernel): cuGraphKernelNodeGetAttribute",
      "node 0 (kernel): cuGraphKernelNodeGetAttribute",
      "node 0 (kernel): cuMemGetAddressRange",
      "node 1: cuGraphNodeGetType",
      "node 1 (memcpy): cuGraphMemcpyNodeGetParams",
      "node 1 (memcpy): cuMemGetAddressRange",
      "node 2: cuGraphNodeGetType",
      "node 2 (memset): cuGraphMemsetNodeGetParams",
      "cuGraphGetEdges",
      "cuGraphGetEdges",
  };
  for (std::size_t n = 0; n < std::size(kErrors); ++n) {
    driver.FailCall(static_cast<int>(n) + 1, CUDA_ERROR_OUT_OF_MEMORY);
    const auto imported = GraphImporter(driver.table()).Import(source);
    EXPECT_THAT(imported, HasCode(absl::StatusCode::kResourceExhausted));
    EXPECT_EQ(imported.status().message(),
              absl::StrCat(kErrors[n], ": CUDA_ERROR_OUT_OF_MEMORY"));
  }
  const int before = driver.calls();
  EXPECT_OK(GraphImporter(driver.table()).Import(source));
  EXPECT_EQ(driver.calls() - before, std::ssize(kErrors));
  EXPECT_EQ(driver.Leaks(), "");
}

TEST_F(ImportGraph, AsksAgainForALayoutThatFailedHalfway) {
  driver.AddKernel(source, {.func = add, .bytes = Words({1, 2})});
  driver.FailCall("FuncGetParamInfo", 2, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(importer.Import(source),
              HasCode(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(Import().graph.launch(NodeId{0}).parameters.size(), 2u);
}

}  // namespace
}  // namespace reprise
