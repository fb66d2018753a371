// A capture read again: what comes out is what an import of it gives, or
// nothing.
#include "capture/reimport_graph.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/driver/scripted_driver.h"
#include "tests/driver/scripted_state.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr std::uint64_t kMemory = 0x7fa712000000;
constexpr std::uint64_t kElsewhere = 0x7fa713000000;

// Two kernels, a fill and a copy in a chain.
struct Captured {
  ScriptedKernel first;
  ScriptedKernel second;
  CUDA_MEMSET_NODE_PARAMS fill = {};
  CUDA_MEMCPY3D copy = {};
  CUgraphNodeType last = CU_GRAPH_NODE_TYPE_EMPTY;
  CUgraphEdgeData edge = {};  // between the kernels
  int nodes = 5;
};

class Reimported : public ::testing::Test {
 protected:
  Reimported() {
    driver_.AddAllocation(kMemory, 4096);
    before_.first = {.func = add_, .bytes = Words({kMemory, 7})};
    before_.second = {.func = add_, .bytes = Words({kMemory + 64, 8})};
    before_.fill.dst = kMemory;
    before_.fill.elementSize = 1;
    before_.fill.width = before_.fill.height = 1;
    before_.copy.srcMemoryType = before_.copy.dstMemoryType =
        CU_MEMORYTYPE_DEVICE;
    before_.copy.srcDevice = kMemory;
    before_.copy.dstDevice = kMemory + 128;
  }

  CUgraph Make(const Captured& captured) {
    const CUgraph graph = driver_.NewGraph();
    std::vector<CUgraphNode> nodes;
    nodes.push_back(driver_.AddKernel(graph, captured.first));
    nodes.push_back(driver_.AddKernel(graph, captured.second));
    nodes.push_back(driver_.AddMemset(graph, captured.fill));
    nodes.push_back(driver_.AddMemcpy(graph, captured.copy));
    nodes.push_back(driver_.AddNode(graph, captured.last));
    for (int n = 5; n < captured.nodes; ++n) {
      nodes.push_back(driver_.AddNode(graph, CU_GRAPH_NODE_TYPE_EMPTY));
    }
    for (std::size_t n = 1; n < nodes.size(); ++n) {
      driver_.AddEdge(nodes[n - 1], nodes[n],
                      n == 1 ? captured.edge : CUgraphEdgeData{});
    }
    return graph;
  }

  ImportedGraph Import(CUgraph graph) {
    return *GraphImporter(driver_.table()).Import(graph);
  }

  // "0 1": the nodes that changed; "no": it cannot be followed.
  std::string Follow(const Captured& after) {
    ImportedGraph known = Import(Make(before_));
    const CUgraph graph = Make(after);
    const auto changed = Reimport(driver_.table(), graph, known);
    if (!changed.ok()) return std::string(changed.status().message());
    if (!*changed) return "no";
    ExpectTheSame(known, Import(graph));
    std::string text;
    for (NodeId id : **changed) {
      absl::StrAppend(&text, text.empty() ? "" : " ", id.value);
    }
    return text;
  }

  static void ExpectTheSame(const ImportedGraph& a, const ImportedGraph& b) {
    EXPECT_EQ(a.handles, b.handles);
    EXPECT_EQ(a.code, b.code);
    EXPECT_EQ(a.graph.edges(), b.graph.edges());
    for (std::uint32_t n = 0; n < 2; ++n) {
      EXPECT_EQ(a.graph.launch(NodeId{n}), b.graph.launch(NodeId{n}));
    }
  }

  std::string FollowWith(const std::function<void(Captured&)>& change) {
    Captured after = before_;
    change(after);
    return Follow(after);
  }

  ScriptedDriver driver_;
  CUfunction add_ = driver_.NewFunction("add", {{0, 8}, {8, 8}});
  CUfunction reloaded_ = driver_.NewFunction("add", {{0, 8}, {8, 8}});
  CUfunction changed_ = driver_.NewFunction("add", {{0, 8}, {8, 4}, {12, 4}});
  Captured before_;
};

TEST_F(Reimported, FindsNothingWhereNothingChanged) {
  EXPECT_EQ(Follow(before_), "");
}

TEST_F(Reimported, TakesWhatChangedOfALaunch) {
  EXPECT_EQ(FollowWith([](Captured& c) { c.second.bytes[8] ^= 1; }), "1");
  EXPECT_EQ(FollowWith([](Captured& c) { c.first.grid = {2, 1, 1}; }), "0");
  EXPECT_EQ(FollowWith([](Captured& c) { c.first.block = {1, 2, 1}; }), "0");
  EXPECT_EQ(FollowWith([](Captured& c) { c.first.shared_bytes = 16; }), "0");
  EXPECT_EQ(FollowWith([](Captured& c) { c.second.as_extra = true; }), "");
  EXPECT_EQ(FollowWith(
                [&](Captured& c) { c.first.func = c.second.func = reloaded_; }),
            "0 1");
}

TEST_F(Reimported, DoesNotFollowMore) {
  const std::function<void(Captured&)> changes[] = {
      [&](Captured& c) { c.first.func = changed_; },
      [](Captured& c) { c.first.cooperative = true; },
      [](Captured& c) {
        c.first.cluster = {2, 1, 1};
      },
      [](Captured& c) { c.fill.value = 1; },
      [](Captured& c) { c.copy.srcDevice += 64; },
      [](Captured& c) { c.copy.srcMemoryType = CU_MEMORYTYPE_HOST; },
      [](Captured& c) { c.last = CU_GRAPH_NODE_TYPE_HOST; },
      [](Captured& c) { c.nodes = 6; },
      [](Captured& c) {
        c.edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
        c.edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
      },
  };
  for (const auto& change : changes) EXPECT_EQ(FollowWith(change), "no");
}

TEST_F(Reimported, DoesNotFollowWhatTheGraphDoesNotTell) {
  before_.last = CU_GRAPH_NODE_TYPE_HOST;
  EXPECT_EQ(Follow(before_), "no");
  before_.last = CU_GRAPH_NODE_TYPE_EMPTY;
  before_.copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  EXPECT_EQ(Follow(before_), "no");
}

// A module was unloaded, and the next got its handle.
TEST_F(Reimported, DoesNotFollowAFunctionThatIsAnotherUnderTheSameHandle) {
  ImportedGraph known = Import(Make(before_));
  From<ScriptedFunction>(add_)->layout = {{0, 8}, {8, 4}, {12, 4}};
  EXPECT_EQ(*Reimport(driver_.table(), Make(before_), known), std::nullopt);
  known = Import(Make(before_));
  From<ScriptedFunction>(add_)->name = "sub";
  EXPECT_EQ(*Reimport(driver_.table(), Make(before_), known), std::nullopt);
}

TEST_F(Reimported, DoesNotFollowWhereMemoryIsNotWhatItWas) {
  ImportedGraph known = Import(Make(before_));
  driver_.AddAllocation(kMemory, 8192);
  EXPECT_EQ(*Reimport(driver_.table(), Make(before_), known), std::nullopt);
}

TEST_F(Reimported, LooksUpTheWordsThatChangedAndNoOthers) {
  driver_.AddAllocation(kElsewhere, 64);
  ImportedGraph known = Import(Make(before_));
  Captured after = before_;
  after.second.bytes = Words({kElsewhere, 8});
  const CUgraph graph = Make(after);
  const int before = driver_.calls("MemGetAddressRange");
  ASSERT_OK(Reimport(driver_.table(), graph, known));
  ASSERT_EQ(known.graph.allocations().size(), 2u);
  EXPECT_EQ(known.graph.allocations()[1], (Allocation{kElsewhere, 64}));
  // It, and both once more.
  EXPECT_EQ(driver_.calls("MemGetAddressRange") - before, 3);
}

TEST_F(Reimported, NamesTheCallThatFailedAndItsNode) {
  const char* const kErrors[][2] = {
      {"GraphGetNodes", "cuGraphGetNodes"},
      {"GraphNodeGetType", "node 0 (kernel): cuGraphNodeGetType"},
      {"GraphKernelNodeGetParams",
       "node 0 (kernel): cuGraphKernelNodeGetParams"},
      {"GraphMemsetNodeGetParams",
       "node 2 (memset): cuGraphMemsetNodeGetParams"},
      {"GraphMemcpyNodeGetParams",
       "node 3 (memcpy): cuGraphMemcpyNodeGetParams"},
      {"GraphGetEdges", "cuGraphGetEdges"},
      {"MemGetAddressRange", "cuMemGetAddressRange"},
  };
  for (const auto& [call, message] : kErrors) {
    ImportedGraph known = Import(Make(before_));
    const CUgraph graph = Make(before_);
    driver_.FailCall(call, 1, CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_THAT(Reimport(driver_.table(), graph, known),
                HasText(absl::StrCat(message, ": CUDA_ERROR_LAUNCH_FAILED")));
  }
}

}  // namespace
}  // namespace reprise::testing
