#include "graph/graph.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "graph/text.h"

namespace reprise {
namespace {

Access AccessOf(std::uint64_t address, AccessMode mode,
                Role role = Role::kNone) {
  Access access;
  access.view = Packed(address, ElementType::kF32, 8);
  access.mode = mode;
  access.role = role;
  return access;
}

std::vector<Access> AccessesOf(const Graph& graph, NodeId node) {
  const auto span = graph.accesses(node);
  return {span.begin(), span.end()};
}

KernelLaunch LaunchOf(std::string symbol) {
  KernelLaunch launch;
  launch.symbol = std::move(symbol);
  return launch;
}

TEST(Graph, NumbersNodesInTheOrderTheyAreAdded) {
  Graph graph;
  EXPECT_EQ(graph.AddNode(Node()), NodeId{0});
  EXPECT_EQ(graph.AddKernel(LaunchOf("k"), StreamId{1}), NodeId{1});
  EXPECT_EQ(graph.AddCopy({.source = 1, .target = 2}, StreamId{2}), NodeId{2});
  EXPECT_EQ(graph.AddFill({.target = 3}), NodeId{3});
  EXPECT_EQ(graph.num_nodes(), 4u);
  EXPECT_EQ(graph.node(NodeId{0}).kind, NodeKind::kOther);
  EXPECT_EQ(graph.node(NodeId{1}).kind, NodeKind::kKernel);
  EXPECT_EQ(graph.node(NodeId{1}).stream, StreamId{1});
  EXPECT_EQ(graph.launch(NodeId{1}).symbol, "k");
  EXPECT_EQ(graph.node(NodeId{2}).kind, NodeKind::kCopy);
  EXPECT_EQ(graph.copy(NodeId{2}).target, 2u);
  EXPECT_EQ(graph.node(NodeId{3}).kind, NodeKind::kFill);
  EXPECT_EQ(graph.fill(NodeId{3}).target, 3u);
  EXPECT_FALSE(graph.node(NodeId{3}).stream.valid());
}

TEST(Graph, ANewNodeIsOpaqueAndTouchesNothing) {
  Graph graph;
  for (NodeId node : {graph.AddNode(Node()), graph.AddKernel({}),
                      graph.AddCopy({}), graph.AddFill({})}) {
    EXPECT_FALSE(graph.node(node).effects_complete);
    EXPECT_TRUE(graph.accesses(node).empty());
  }
}

TEST(Graph, KeepsTheAccessesOfEachNode) {
  Graph graph;
  const NodeId a = graph.AddNode(Node());
  const NodeId b = graph.AddNode(Node());
  const std::vector<Access> one = {AccessOf(0x100, AccessMode::kRead)};
  const std::vector<Access> two = {AccessOf(0x200, AccessMode::kRead),
                                   AccessOf(0x300, AccessMode::kWrite)};
  graph.SetAccesses(b, two);
  graph.SetAccesses(a, one);
  EXPECT_EQ(AccessesOf(graph, a), one);
  EXPECT_EQ(AccessesOf(graph, b), two);

  graph.SetAccesses(a, two);  // more than before
  graph.SetAccesses(b, one);  // fewer
  EXPECT_EQ(AccessesOf(graph, a), two);
  EXPECT_EQ(AccessesOf(graph, b), one);
  graph.SetAccesses(b, two);  // more again
  graph.SetAccesses(a, {});
  EXPECT_TRUE(graph.accesses(a).empty());
  EXPECT_EQ(AccessesOf(graph, b), two);

  graph.mutable_accesses(b)[1].exact = false;
  EXPECT_FALSE(graph.accesses(b)[1].exact);
}

TEST(Graph, FindsTheOnlyAccessInARole) {
  Graph graph;
  const NodeId node = graph.AddNode(Node());
  const std::vector<Access> accesses = {
      AccessOf(0x100, AccessMode::kRead, Role::kSource),
      AccessOf(0x200, AccessMode::kRead, Role::kSource),
      AccessOf(0x300, AccessMode::kRead, Role::kImage),
      AccessOf(0x400, AccessMode::kWrite, Role::kImage)};
  graph.SetAccesses(node, accesses);
  const Access* image =
      graph.FindAccess(node, Role::kImage, AccessMode::kWrite);
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->view.address, 0x400u);
  EXPECT_EQ(
      graph.FindAccess(node, Role::kImage, AccessMode::kRead)->view.address,
      0x300u);
}

TEST(Graph, FindsNoAccessWhereThereIsNoneOrSeveral) {
  Graph graph;
  const NodeId node = graph.AddNode(Node());
  const NodeId none = graph.AddNode(Node());
  const std::vector<Access> accesses = {
      AccessOf(0x100, AccessMode::kRead, Role::kSource),
      AccessOf(0x200, AccessMode::kRead, Role::kSource),
      AccessOf(0x300, AccessMode::kRead, Role::kSource)};
  graph.SetAccesses(node, accesses);
  EXPECT_EQ(graph.FindAccess(node, Role::kSource, AccessMode::kRead), nullptr);
  EXPECT_EQ(graph.FindAccess(node, Role::kSource, AccessMode::kWrite), nullptr);
  EXPECT_EQ(graph.FindAccess(none, Role::kSource, AccessMode::kRead), nullptr);
}

TEST(Graph, KeepsOneOfEqualEmittingKernels) {
  Graph graph;
  const EmittingKernel kernel{"k", 16, true};
  EXPECT_EQ(graph.AddEmittingKernel(kernel), 0u);
  EXPECT_EQ(graph.AddEmittingKernel({"k", 24, true}), 1u);
  EXPECT_EQ(graph.AddEmittingKernel({"k", 16, false}), 2u);
  EXPECT_EQ(graph.AddEmittingKernel(kernel), 0u);
}

// A graph with one node of each kind that has more than its effects.
Graph Rich() {
  Graph graph;
  KernelLaunch launch = LaunchOf("_Z4normPf");
  launch.grid = {3, 2, 1};
  launch.block = {64, 1, 1};
  launch.shared_bytes = 48;
  launch.parameters = {{0, 8}};
  launch.bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  launch.programmatic_serialization = true;
  launch.cooperative = true;
  launch.cluster = Dim3{2, 1, 1};
  const NodeId kernel = graph.AddKernel(launch, StreamId{4});
  Node& node = graph.mutable_node(kernel);
  node.op = RmsNorm{RmsForm::kScale};
  node.effects_complete = true;
  node.waits = true;
  node.emitting = graph.AddEmittingKernel({"norm_emit", 0, true});
  const std::vector<Access> accesses = {
      AccessOf(0x100, AccessMode::kRead, Role::kSource),
      AccessOf(0x200, AccessMode::kWrite, Role::kOutput)};
  graph.SetAccesses(kernel, accesses);
  graph.AddCopy({.source = 1, .target = 2, .width_bytes = 3, .height = 4});
  graph.AddFill({.target = 5, .width = 6, .value = 7});
  Node event;
  event.kind = NodeKind::kEventRecord;
  event.event = EventId{9};
  graph.AddNode(event);
  return graph;
}

TEST(Graph, CopiesNodesWithAllThatBelongsToThem) {
  const Graph from = Rich();
  Graph to;
  to.AddKernel(LaunchOf("other"));
  to.AddCopy({});
  to.AddFill({});
  to.AddEmittingKernel({"other_emit"});
  std::vector<NodeId> added;
  // Backwards, so that no index of the source fits the copy by chance.
  for (std::uint32_t n = 4; n-- > 0;) {
    added.push_back(to.CopyNode(from, NodeId{n}));
  }
  EXPECT_EQ(to.num_nodes(), 7u);
  EXPECT_EQ(to.node(added[0]).kind, NodeKind::kEventRecord);
  EXPECT_EQ(to.node(added[0]).event, EventId{9});
  EXPECT_EQ(to.fill(added[1]), from.fill(NodeId{2}));
  EXPECT_EQ(to.copy(added[2]), from.copy(NodeId{1}));
  const NodeId kernel = added[3];
  EXPECT_EQ(to.launch(kernel), from.launch(NodeId{0}));
  EXPECT_EQ(to.emitting_kernels(kernel), from.emitting_kernels(NodeId{0}));
  EXPECT_EQ(AccessesOf(to, kernel), AccessesOf(from, NodeId{0}));
  EXPECT_EQ(to.node(kernel).op, from.node(NodeId{0}).op);
  EXPECT_EQ(to.node(kernel).stream, StreamId{4});
  EXPECT_TRUE(to.node(kernel).effects_complete && to.node(kernel).waits);
}

TEST(Graph, ACopiedNodeIsIndependentOfTheFirst) {
  const Graph from = Rich();
  Graph to;
  const NodeId kernel = to.CopyNode(from, NodeId{0});
  to.mutable_launch(kernel).bytes[0] = 99;
  to.mutable_accesses(kernel)[0].view.address = 0x900;
  EXPECT_EQ(from.launch(NodeId{0}).bytes[0], 1);
  EXPECT_EQ(from.accesses(NodeId{0})[0].view.address, 0x100u);
}

TEST(NameOfNode, IsTheFirstNameOfAMangledSymbol) {
  struct Case {
    const char* symbol;
    const char* name;
  };
  for (const Case& c :
       {Case{"_Z13quantize_q8_1PKfPvxxxxj5uint3", "quantize_q8_1"},
        {"_Z12rms_norm_f32ILi256ELb1ELb0EEvPKfPfi", "rms_norm_f32"},
        {"_ZN3cub6kernelEv", "cub"},
        {"_ZN7cutlass7Kernel2I37cutlass_80_tensorop_gemmEEvT_", "cutlass"},
        {"_ZL5localv", "local"},
        {"reprise_rms_norm", "reprise_rms_norm"},
        {"ampere_sgemm_32x32_sliced1x4_tn", "ampere_sgemm_32x32_sliced1x4_tn"},
        {"_Zabc", "_Zabc"},
        {"_ZNKSt6vectorv", "_ZNKSt6vectorv"},
        {"_Z5", "_Z5"},
        {"_Z99short", "short"},
        {"_Z99999999999999999999999k", "_Z99999999999999999999999k"},
        {"", ""}}) {
    Graph graph;
    EXPECT_EQ(NameOf(graph, graph.AddKernel(LaunchOf(c.symbol))), c.name);
  }
}

TEST(NameOfNode, IsTheKindOfWhatIsNoKernelAndTheOpWithoutALaunch) {
  Graph graph;
  EXPECT_EQ(NameOf(graph, graph.AddCopy({})), "memcpy");
  EXPECT_EQ(NameOf(graph, graph.AddFill({})), "memset");
  Node node;
  node.kind = NodeKind::kKernel;
  node.op = Quantize{};
  EXPECT_EQ(NameOf(graph, graph.AddNode(node)), "quantize");
}

TEST(NodeKind, HasANameThatFindsIt) {
  std::set<absl::string_view> names;
  for (int k = 0; k <= static_cast<int>(NodeKind::kOther); ++k) {
    const auto kind = static_cast<NodeKind>(k);
    EXPECT_EQ(FindNodeKind(NameOf(kind)), kind);
    names.insert(NameOf(kind));
  }
  EXPECT_EQ(names.size(), 12u);
  EXPECT_FALSE(FindNodeKind("Kernel").has_value());
  EXPECT_FALSE(FindNodeKind("").has_value());
}

TEST(Id, IsInvalidUntilItIsGiven) {
  EXPECT_FALSE(NodeId{}.valid());
  EXPECT_TRUE(NodeId{0}.valid());
  EXPECT_LT(NodeId{1}, NodeId{2});
}

TEST(Role, HasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (Role role : {Role::kNone, Role::kSource, Role::kOutput, Role::kImage,
                    Role::kWeights, Role::kIds}) {
    names.insert(NameOf(role));
  }
  EXPECT_EQ(names.size(), 6u);
}

}  // namespace
}  // namespace reprise
