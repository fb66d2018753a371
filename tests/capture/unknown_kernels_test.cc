#include "capture/unknown_kernels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "capture/annotate.h"
#include "capture/pack_skeleton.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr std::uint64_t kAddress = 0x7000;

// A kernel with a buffer of words of 8 bytes.
KernelLaunch Launch(const std::string& symbol,
                    std::vector<Parameter> parameters,
                    const std::vector<std::uint64_t>& words) {
  KernelLaunch launch;
  launch.symbol = symbol;
  launch.parameters = std::move(parameters);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  launch.bytes.assign(bytes, bytes + words.size() * sizeof words[0]);
  return launch;
}

// "SYMBOL: nodes 0 2; pointers 0 8; p/k 0+8", a line a kernel.
std::string Found(const std::vector<Pack>& packs, const Graph& graph) {
  std::string out;
  for (const UnknownKernel& kernel : FindUnknownKernels(packs, graph)) {
    absl::StrAppend(&out, graph.launch(kernel.nodes[0]).symbol, ": nodes");
    for (NodeId id : kernel.nodes) absl::StrAppend(&out, " ", id.value);
    out += "; pointers";
    for (std::uint32_t at : kernel.pointers) absl::StrAppend(&out, " ", at);
    for (const OtherLayout& other : kernel.other_layouts) {
      absl::StrAppend(&out, "; ", other.pack, "/", other.signature);
      for (const Parameter& p : other.parameters) {
        absl::StrAppend(&out, " ", p.offset, "+", p.size);
      }
    }
    out += "\n";
  }
  return out;
}

std::vector<Pack> PackWithK() {
  auto pack = Pack::Parse(R"({"pack": "p", "version": 1, "signatures": [
    {"name": "k", "symbol": "k$", "parameters": ["0 pointer x"],
     "effects": []}]})");
  EXPECT_OK(pack);
  return {*pack};
}

TEST(UnknownKernels, AreListedOnceByTheirFirstNode) {
  Graph graph;
  graph.AddAllocation({kAddress, 64});
  graph.AddKernel(Launch("z", {{0, 8}, {8, 8}}, {0, 7}));
  graph.AddKernel(Launch("k", {{0, 8}}, {kAddress}));
  graph.AddKernel(Launch("a", {{0, 4}}, {1}));
  // A pointer that is null in the first node.
  graph.AddKernel(Launch("z", {{0, 8}, {8, 8}}, {kAddress + 63, 7}));
  EXPECT_EQ(Found(PackWithK(), graph),
            "z: nodes 0 3; pointers 0\n"
            "a: nodes 2; pointers\n");
}

TEST(UnknownKernels, NameTheLayoutThatAPackHasInstead) {
  Graph graph;
  graph.AddKernel(Launch("k", {{0, 8}}, {0}));
  graph.AddKernel(Launch("k", {{0, 8}, {8, 4}}, {0, 0}));
  graph.AddKernel(Launch("k", {{0, 4}}, {0}));
  EXPECT_EQ(Found(PackWithK(), graph),
            "k: nodes 1; pointers; p/k 0+8\n"
            "k: nodes 2; pointers; p/k 0+8\n");
}

TEST(UnknownKernels, HavePointersInStructsButNotPastTheirEnds) {
  Graph graph;
  graph.AddAllocation({kAddress, 64});
  graph.AddKernel(
      Launch("s", {{0, 12}, {16, 20}},
             {kAddress, kAddress, 5, kAddress, kAddress, kAddress}));
  EXPECT_EQ(Found({}, graph), "s: nodes 0; pointers 0 24\n");
}

Graph GraphWithAStruct() {
  Graph graph;
  graph.AddAllocation({kAddress, 64});
  graph.AddKernel(Launch("s.t", {{0, 8}, {8, 24}, {32, 4}},
                         {kAddress, 5, kAddress + 8, 6, 4}));
  return graph;
}

TEST(PackSkeleton, IsAPackOnceItsTodosAreFilledIn) {
  Graph graph = GraphWithAStruct();
  std::string json = PackSkeleton(graph, FindUnknownKernels({}, graph));
  const std::vector<std::pair<std::string, std::string>> filled = {
      {"\"32 TODO p2\"", "\"32 i32 p2\""},
      {", \"TODO\"]", ", \"16 i64 n\"]"},
      {"\"access\": \"TODO\"", "\"access\": \"read\""},
      {"\"length\": \"TODO\"", "\"length\": \"p2\""},
  };
  for (const auto& todo : filled) {
    EXPECT_THAT(Pack::Parse(json), testing::HasText("TODO is still"));
    ASSERT_GT(absl::StrReplaceAll({todo}, &json), 0) << todo.first;
  }
  const auto pack = Pack::Parse(json);
  ASSERT_OK(pack);
  const std::vector<Pack> packs = {*pack};
  EXPECT_EQ(Found(packs, graph), "");
  EXPECT_EQ(Annotate(packs, graph).recognised, 1u);
  const auto accesses = graph.accesses(NodeId{0});
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(ToText(accesses[0].view), "0x7000:byte:4");
  EXPECT_EQ(ToText(accesses[1].view), "0x7008:byte:4");
}

TEST(PackSkeleton, RecognisesNoOtherSymbol) {
  Graph graph = GraphWithAStruct();
  const std::string json = PackSkeleton(graph, FindUnknownKernels({}, graph));
  EXPECT_THAT(json, ::testing::HasSubstr(R"("symbol": "s\\.t$")"));
}

TEST(PackSkeleton, NeverSaysThatAKernelTouchesNothing) {
  Graph graph;
  graph.AddKernel(Launch("nothing", {}, {}));
  const std::string json = PackSkeleton(graph, FindUnknownKernels({}, graph));
  EXPECT_THAT(Pack::Parse(json),
              testing::HasText("effects[0]: TODO is still to be filled in"));
}

TEST(ReadPack, NamesTheFile) {
  const std::string path = ::testing::TempDir() + "reprise_unknown_pack.json";
  std::ofstream(path) << R"({"pack": "p", "version": 2, "signatures": []})";
  EXPECT_THAT(ReadPack(path), testing::HasText(path + ": p: version is not 1"));
  EXPECT_THAT(ReadPack(path + ".gone"),
              testing::HasCode(absl::StatusCode::kNotFound));
}

TEST(Pack, LivesOnInItsCopies) {
  std::vector<Pack> copies;
  {
    const std::vector<Pack> packs = PackWithK();
    copies = packs;
  }
  EXPECT_EQ(copies[0].name(), "p");
  EXPECT_NE(copies[0].Find(Launch("k", {{0, 8}}, {0})), nullptr);
}

}  // namespace
}  // namespace reprise
