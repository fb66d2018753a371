#include "replay/host_executable.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/replay/recorded.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::decoder::AddCall;
using ::reprise::decoder::QuantizeCall;
using ::reprise::decoder::Rows;
using ::reprise::testing::BytesOf;
using ::reprise::testing::Finish;
using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;
using ::reprise::testing::Launch;

// c = a + b, recorded as node 1 after a fill.
struct AddProgram {
  HostMemory memory;
  Rows a{memory.Add("a", 16).address, 1, 4};
  Rows b{memory.Add("b", 16).address, 1, 4};
  Rows c{memory.Add("c", 16).address, 1, 4};

  Graph Record() {
    Recorder recorder;
    recorder.FillBytes(recorder.origin(), c.address, 0xff, 16).IgnoreError();
    Launch(recorder, AddCall(a, b, c));
    return *Finish(recorder, memory);
  }
};

constexpr NodeId kAdd{1};

TEST(HostExecutable, RunsKernelsOnTheMemoryOfTheirAddresses) {
  AddProgram program;
  const Graph graph = program.Record();
  absl::StatusOr<HostExecutable> executable =
      HostExecutable::Create(graph, program.memory);
  ASSERT_OK(executable);
  for (float x : {1.0f, 2.5f}) {
    ASSERT_OK(program.memory.Write(program.a.address, BytesOf({x, 1, 2, 3})));
    executable->Launch();
    EXPECT_EQ(*program.memory.Read(program.c.address, 16),
              BytesOf({x, 1, 2, 3}));
  }
  EXPECT_EQ(executable->counts().replays, 2u);
  EXPECT_EQ(executable->counts().kernels, 2u);
  EXPECT_EQ(executable->counts().quantizers, 0u);
}

TEST(HostExecutable, CopiesAndFillsPitchedRows) {
  HostMemory memory;
  const std::uint64_t from = memory.Add("from", 16).address;
  const std::uint64_t to = memory.Add("to", 16).address;
  ASSERT_OK(memory.Write(
      from, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  Graph graph;
  Fill fill;
  fill.target = to;
  fill.width = 3;
  fill.height = 2;
  fill.pitch = 8;
  fill.element_bytes = 2;
  fill.value = 0x1234;
  Copy copy;
  copy.source = from;
  copy.target = to + 1;
  copy.width_bytes = 2;
  copy.height = 3;
  copy.source_pitch = 4;
  copy.target_pitch = 5;
  const NodeId first = graph.AddFill(fill);
  graph.AddEdge({first, graph.AddCopy(copy)});
  absl::StatusOr<HostExecutable> executable =
      HostExecutable::Create(graph, memory);
  ASSERT_OK(executable);
  executable->Launch();
  EXPECT_EQ(*memory.Read(to, 16),
            (std::vector<std::uint8_t>{0x34, 0, 1, 0x12, 0x34, 0x12, 4, 5, 0x34,
                                       0x12, 0x34, 8, 9, 0x12, 0, 0}));
}

TEST(HostExecutable, RunsTheHostCallRegisteredForANode) {
  HostMemory memory;
  const std::uint64_t at = memory.Add("a", 4).address;
  Recorder recorder;
  ASSERT_OK(recorder.HostCall(recorder.origin()));
  ASSERT_OK(recorder.HostCall(recorder.origin()));
  const absl::StatusOr<Graph> graph = Finish(recorder, memory);
  ASSERT_OK(graph);
  HostOptions options;
  options.host_calls[NodeId{1}] = [at](HostMemory& m) {
    m.Write(at, {42}).IgnoreError();
  };
  absl::StatusOr<HostExecutable> executable =
      HostExecutable::Create(*graph, memory, options);
  ASSERT_OK(executable);
  executable->Launch();
  EXPECT_EQ(*memory.Read(at, 1), std::vector<std::uint8_t>{42});
}

TEST(HostExecutable, EventAndEmptyNodesDoNothing) {
  HostMemory memory;
  Graph graph;
  for (NodeKind kind :
       {NodeKind::kEmpty, NodeKind::kEventWait, NodeKind::kEventRecord}) {
    Node node;
    node.kind = kind;
    graph.AddNode(node);
  }
  absl::StatusOr<HostExecutable> executable =
      HostExecutable::Create(graph, memory);
  ASSERT_OK(executable);
  executable->Launch();
  EXPECT_EQ(executable->counts().kernels, 0u);
}

TEST(HostExecutable, RefusesKindsThatTheHostCannotRun) {
  HostMemory memory;
  for (NodeKind kind :
       {NodeKind::kChildGraph, NodeKind::kMemAlloc, NodeKind::kMemFree,
        NodeKind::kConditional, NodeKind::kOther}) {
    Graph graph;
    graph.AddNode([] {
      Node empty;
      empty.kind = NodeKind::kEmpty;
      return empty;
    }());
    Node node;
    node.kind = kind;
    graph.AddNode(node);
    const auto executable = HostExecutable::Create(graph, memory);
    EXPECT_THAT(executable, HasCode(absl::StatusCode::kUnimplemented));
    EXPECT_THAT(executable,
                HasText(absl::StrCat("node 1 (", std::string(NameOf(kind)))));
  }
}

TEST(HostExecutable, RefusesCopiesOfHostMemory) {
  HostMemory memory;
  Graph graph;
  Copy copy;
  copy.target = memory.Add("a", 4).address;
  copy.width_bytes = 4;
  copy.source_kind = MemoryKind::kHost;
  graph.AddCopy(copy);
  const auto executable = HostExecutable::Create(graph, memory);
  EXPECT_THAT(executable, HasCode(absl::StatusCode::kUnimplemented));
  EXPECT_THAT(executable, HasText("node 0 (memcpy)"));
}

TEST(HostExecutable, RefusesAnUnknownSymbol) {
  AddProgram program;
  Graph graph = program.Record();
  graph.mutable_launch(kAdd).symbol = "reprise_subtract";
  const auto executable = HostExecutable::Create(graph, program.memory);
  EXPECT_THAT(executable, HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(executable, HasText("node 1 (reprise_subtract)"));
}

TEST(HostExecutable, RefusesAParameterBufferOfAnotherSize) {
  AddProgram program;
  Graph graph = program.Record();
  graph.mutable_launch(kAdd).bytes.push_back(0);
  const auto executable = HostExecutable::Create(graph, program.memory);
  EXPECT_THAT(executable, HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(executable,
              HasText("node 1 (reprise_add): 33 parameter bytes, not 32"));
}

TEST(HostExecutable, RefusesAKernelThatNoPackDescribes) {
  AddProgram program;
  Graph graph = program.Record();
  graph.mutable_node(kAdd).effects_complete = false;
  const auto executable = HostExecutable::Create(graph, program.memory);
  EXPECT_THAT(executable, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(executable, HasText("node 1 (reprise_add)"));
}

TEST(HostExecutable, RefusesAccessesBeyondTheirStretch) {
  AddProgram program;
  program.c.address += 4;
  Recorder recorder;
  recorder.FillBytes(recorder.origin(), program.a.address, 0, 16).IgnoreError();
  Launch(recorder, AddCall(program.a, program.b, program.c));
  const absl::StatusOr<Graph> graph = Finish(recorder, program.memory);
  ASSERT_OK(graph);
  const auto executable = HostExecutable::Create(*graph, program.memory);
  EXPECT_THAT(executable, HasCode(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(executable, HasText("node 1 (reprise_add): 0x1000004004:f32:4"));
  EXPECT_THAT(executable, HasText("'c'"));
}

TEST(HostExecutable, RefusesTransfersBeyondTheirStretch) {
  HostMemory memory;
  const std::uint64_t at = memory.Add("a", 16).address;
  Recorder fill;
  ASSERT_OK(fill.FillBytes(fill.origin(), at + 1, 0, 16));
  EXPECT_THAT(HostExecutable::Create(*Finish(fill, memory), memory),
              HasText("node 0 (memset): 16 bytes at 0x1000000001"));
  Recorder copy;
  ASSERT_OK(copy.CopyBytes(copy.origin(), at, at - 1, 2));
  EXPECT_THAT(HostExecutable::Create(*Finish(copy, memory), memory),
              HasText("node 0 (memcpy): 2 bytes at 0xfffffffff"));
}

TEST(HostExecutable, RefusesAccessesBeyondTheArena) {
  HostMemory memory;
  const Rows x{memory.Add("x", 128).address, 1, 32};
  const Allocation arena{0x20'0000'0000, 576};
  for (std::uint64_t shift : {0u, 36u}) {
    Recorder recorder;
    Launch(recorder, QuantizeCall(x, arena.address + shift));
    const absl::StatusOr<Graph> graph = Finish(recorder, memory);
    ASSERT_OK(graph);
    const auto executable =
        HostExecutable::Create(*graph, memory, {.arena = arena});
    if (shift == 0) {
      EXPECT_OK(executable);
    } else {
      EXPECT_THAT(executable, HasText("node 0 (reprise_quantize_q8_1)"));
      EXPECT_THAT(executable, HasText("leaves the arena"));
    }
  }
}

TEST(HostExecutable, EachOfTwoFromOneGraphHasItsOwnArena) {
  HostMemory memory;
  const Allocation x = memory.Add("x", 64);
  const Allocation arena{0x20'0000'0000, 64};
  Graph graph;
  Copy copy;
  copy.source = arena.address;
  copy.target = x.address;
  copy.width_bytes = 64;
  graph.AddCopy(copy);
  auto first = HostExecutable::Create(graph, memory, {.arena = arena});
  auto second = HostExecutable::Create(graph, memory, {.arena = arena});
  ASSERT_OK(first);
  ASSERT_OK(second);
  first->Poison(1);
  second->Poison(2);
  HostExecutable moved = *std::move(first);
  moved.Launch();
  EXPECT_EQ(memory.stretches()[0].bytes, std::vector<std::uint8_t>(64, 1));
  second->Launch();
  EXPECT_EQ(memory.stretches()[0].bytes, std::vector<std::uint8_t>(64, 2));
}

}  // namespace
}  // namespace reprise
