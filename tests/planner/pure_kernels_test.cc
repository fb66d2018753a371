// Which launches are of one kind.
#include "planner/pure_kernels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <ostream>
#include <vector>

namespace reprise::testing {
namespace {

void Set(KernelLaunch& launch, std::uint32_t offset, std::uint64_t value) {
  std::memcpy(launch.bytes.data() + offset, &value, sizeof(value));
}

// scale(x, y, n): pure, reads x and writes y.
NodeId AddScale(Graph& graph, std::uint64_t y) {
  KernelLaunch launch;
  launch.symbol = "scale";
  launch.parameters = {{0, 8}, {8, 8}, {16, 8}};
  launch.bytes.resize(24);
  Set(launch, 0, 0x1000);
  Set(launch, 8, y);
  Set(launch, 16, 64);
  const NodeId id = graph.AddKernel(launch);
  Access x;
  x.view = Packed(0x1000, ElementType::kF32, 64);
  x.parameter = 0;
  Access out = x;
  out.view.address = y;
  out.mode = AccessMode::kWrite;
  out.parameter = 8;
  graph.SetAccesses(id, {x, out});
  graph.mutable_node(id).effects_complete = true;
  graph.mutable_node(id).pure = true;
  return id;
}

bool OfOneKind(const Graph& graph, NodeId a, NodeId b) {
  const PureKernels kernels(graph, /*others=*/true);
  return kernels.kind(a) != PureKernels::kNone &&
         kernels.kind(a) == kernels.kind(b);
}

struct Change {
  const char* name;
  bool same;
  std::function<void(Graph&, NodeId)> make;

  friend std::ostream& operator<<(std::ostream& out, const Change& c) {
    return out << c.name;
  }
};

const Change kChanges[] = {
    {"Nothing", true, [](Graph&, NodeId) {}},
    {"Stream", true,
     [](Graph& g, NodeId n) { g.mutable_node(n).stream = StreamId{1}; }},
    {"HowItIsLaunched", true,
     [](Graph& g, NodeId n) {
       g.mutable_launch(n).programmatic_serialization = true;
     }},
    {"WhereItWrites", true,
     [](Graph& g, NodeId n) {
       Set(g.mutable_launch(n), 8, 0x9000);
       g.mutable_accesses(n)[1].view.address = 0x9000;
     }},
    {"Symbol", false,
     [](Graph& g, NodeId n) { g.mutable_launch(n).symbol = "shift"; }},
    {"Grid", false, [](Graph& g, NodeId n) { g.mutable_launch(n).grid.x = 2; }},
    {"Block", false,
     [](Graph& g, NodeId n) { g.mutable_launch(n).block.y = 2; }},
    {"SharedMemory", false,
     [](Graph& g, NodeId n) { g.mutable_launch(n).shared_bytes = 128; }},
    {"Cluster", false,
     [](Graph& g, NodeId n) { g.mutable_launch(n).cluster = Dim3{2}; }},
    {"Cooperation", false,
     [](Graph& g, NodeId n) { g.mutable_launch(n).cooperative = true; }},
    {"AScalar", false,
     [](Graph& g, NodeId n) { Set(g.mutable_launch(n), 16, 65); }},
    {"ParametersLaidOutAnew", false,
     [](Graph& g, NodeId n) {
       g.mutable_launch(n).parameters = {{0, 8}, {8, 16}};
     }},
    {"WhereItReads", false,
     [](Graph& g, NodeId n) { g.mutable_accesses(n)[0].view.address += 4; }},
    {"AnInputPointer", false,
     [](Graph& g, NodeId n) { Set(g.mutable_launch(n), 0, 0x1004); }},
    {"TheShapeOfTheOutput", false,
     [](Graph& g, NodeId n) { g.mutable_accesses(n)[1].view.extents[0] = 32; }},
    {"Op", false, [](Graph& g, NodeId n) { g.mutable_node(n).op = RmsNorm{}; }},
    {"ImpureNodes", false,
     [](Graph& g, NodeId n) { g.mutable_node(n).pure = false; }},
    {"UnknownEffects", false,
     [](Graph& g, NodeId n) { g.mutable_node(n).effects_complete = false; }},
};

class PureKernelKind : public ::testing::TestWithParam<Change> {};

TEST_P(PureKernelKind, IsTheSameOrNot) {
  Graph graph;
  const NodeId one = AddScale(graph, 0x2000);
  const NodeId two = AddScale(graph, 0x2000);
  GetParam().make(graph, two);
  EXPECT_EQ(OfOneKind(graph, one, two), GetParam().same);
}

INSTANTIATE_TEST_SUITE_P(Rows, PureKernelKind, ::testing::ValuesIn(kChanges),
                         [](const auto& p) { return p.param.name; });

// quantize(x, ids, image, n), the numbers left out where they pick no rows.
NodeId AddQuantizer(Graph& graph, bool routed, const char* symbol,
                    std::uint64_t n) {
  KernelLaunch launch;
  launch.symbol = symbol;
  launch.parameters = {{0, 8}, {8, 8}, {16, 8}, {24, 8}};
  launch.bytes.resize(32);
  Set(launch, 24, n);
  const NodeId id = graph.AddKernel(launch);
  Node& node = graph.mutable_node(id);
  node.op = Quantize{ImageLayout::kDs4, true};
  node.effects_complete = true;
  std::vector<Access> accesses(3);
  accesses[0].view = Packed(0x1000, ElementType::kF32, 512);
  accesses[0].role = Role::kSource;
  accesses[0].parameter = 0;
  accesses[1].view = ByteRange(0x2000, 576);
  accesses[1].mode = AccessMode::kWrite;
  accesses[1].role = Role::kImage;
  accesses[1].parameter = 16;
  accesses[2].view = Packed(0x3000, ElementType::kI32, 4);
  accesses[2].role = Role::kIds;
  accesses[2].parameter = 8;
  if (!routed) accesses.pop_back();
  graph.SetAccesses(id, accesses);
  return id;
}

TEST(QuantizerKind, IsWhatItsOpPromisesWhicheverKernelItIs) {
  Graph graph;
  const NodeId one = AddQuantizer(graph, false, "one", 1);
  const NodeId two = AddQuantizer(graph, false, "two", 2);
  EXPECT_TRUE(OfOneKind(graph, one, two));
  std::get<Quantize>(graph.mutable_node(two).op).layout = ImageLayout::kD4;
  EXPECT_FALSE(OfOneKind(graph, one, two));
}

TEST(QuantizerKind, IsTheKernelAndItsParametersWhereNumbersPickRows) {
  Graph graph;
  const NodeId one = AddQuantizer(graph, true, "one", 1);
  EXPECT_TRUE(OfOneKind(graph, one, AddQuantizer(graph, true, "one", 1)));
  EXPECT_FALSE(OfOneKind(graph, one, AddQuantizer(graph, true, "two", 1)));
  EXPECT_FALSE(OfOneKind(graph, one, AddQuantizer(graph, true, "one", 2)));
  EXPECT_FALSE(OfOneKind(graph, one, AddQuantizer(graph, false, "one", 1)));
}

TEST(PureKernelKind, OfOneAloneIsNone) {
  Graph graph;
  const NodeId alone = AddScale(graph, 0x2000);
  EXPECT_EQ(PureKernels(graph, true).kind(alone), PureKernels::kNone);
}

TEST(PureKernelKind, OfOthersThanQuantizersCanBeLeftOut) {
  Graph graph;
  const NodeId one = AddScale(graph, 0x2000);
  AddScale(graph, 0x2000);
  EXPECT_EQ(PureKernels(graph, false).kind(one), PureKernels::kNone);
}

TEST(PureKernelKind, OfAKernelThatWritesNothingIsNone) {
  Graph graph;
  const NodeId one = AddScale(graph, 0x2000);
  const NodeId two = AddScale(graph, 0x2000);
  for (NodeId id : {one, two}) {
    graph.SetAccesses(id, {graph.accesses(id)[0]});
  }
  EXPECT_FALSE(OfOneKind(graph, one, two));
}

}  // namespace
}  // namespace reprise::testing
