// Launches that share a meaning: what an annotator that knows many launches
// says is what one says that sees its first.
#include "capture/meaning_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "capture/annotate.h"
#include "capture/capture_file.h"
#include "capture/pack.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr const char* kCaptures[] = {"ggml_qwen7b_q4_0_T1.json",
                                     "ggml_llama1b_q4_k_T1.json",
                                     "ggml_llama1b_q4_0_T1_nopdl.json",
                                     "ggml_llama1b_q4_0_T8.json",
                                     "ggml_llama1b_q4_0_T512.json.gz",
                                     "ggml_moe_q4_0_T1.json",
                                     "ggml_moe_q4_0_T4.json.gz",
                                     "ggml_moe_q4_k_T512.json.gz",
                                     "scale_rows.json"};

Graph Read(const std::string& name) {
  auto graph = ReadCapture(std::string(REPRISE_TEST_DATA "/captures/") + name);
  EXPECT_OK(graph);
  return graph.ok() ? *std::move(graph) : Graph();
}

std::string MeaningOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string text = absl::StrCat(ToText(node.op), node.pure ? " pure" : "",
                                  node.waits ? " waits" : "",
                                  node.effects_complete ? "" : " opaque");
  for (const EmittingKernel& kernel : graph.emitting_kernels(id)) {
    absl::StrAppend(
        &text, " emits ", InfoOf(kernel.layout).name, " by ", kernel.symbol,
        "@", kernel.image_parameter, kernel.waits ? " waits" : "",
        kernel.appends_image ? " appends" : "", kernel.probe ? " probe" : "");
    if (kernel.takes_no_floats) absl::StrAppend(&text, " drops");
    absl::StrAppend(&text, kernel.dropping_symbol);
  }
  for (const Access& access : graph.accesses(id)) {
    absl::StrAppend(&text, access.reads() ? " R " : " W ", NameOf(access.role),
                    " ", ToText(access.view), access.exact ? "" : "?", "@",
                    access.parameter);
  }
  return text;
}

// A pointer to some allocation, or to none, or none at all; a small number.
std::uint64_t RandomWord(const Graph& graph, std::mt19937_64& random) {
  const absl::Span<const Allocation> allocations = graph.allocations();
  const Allocation& a = allocations[random() % allocations.size()];
  switch (random() % 12) {
    case 0:
      return 0;
    case 1:
      return random() % 64;
    case 2:
      return random();
    case 3:
      return ~std::uint64_t{0} - random() % 4096;
    case 4:
      return (std::uint64_t{1} << 63) - random() % 4096;
    default:
      return a.address + random() % a.bytes / 16 * 16;
  }
}

void Change(std::mt19937_64& random, const Graph& graph, KernelLaunch& launch) {
  if (launch.bytes.size() < 8) return;
  const auto word = [&] {
    return launch.bytes.data() + random() % (launch.bytes.size() / 8) * 8;
  };
  switch (random() % 8) {
    case 0:
      launch.grid.x = 1 + random() % 4;
      break;
    case 1:
      launch.bytes[random() % launch.bytes.size()] ^= 1 << random() % 8;
      break;
    case 2:  // two pointers that are the same
      std::memcpy(word(), word(), 8);
      break;
    default: {
      const std::uint64_t value = RandomWord(graph, random);
      std::memcpy(word(), &value, 8);
      break;
    }
  }
}

class SharedMeaning : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedMeaning, IsWhatInterpretingFromNothingGives) {
  std::mt19937_64 random(1);
  const Graph read = Read(GetParam());
  ASSERT_FALSE(read.allocations().empty());
  Graph graph = read;
  Annotator annotator(BuiltInPacks());
  annotator.Annotate(graph);
  int understood = 0;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeId id{n};
    if (graph.node(id).launch == Node::kNoIndex) continue;
    for (int i = 0; i < 6; ++i) {
      if (i % 3 == 0) graph.mutable_launch(id) = read.launch(id);
      Change(random, graph, graph.mutable_launch(id));
      annotator.Annotate(graph, {id});
      Graph fresh;
      fresh.AddKernel(graph.launch(id));
      for (const Allocation& a : graph.allocations()) fresh.AddAllocation(a);
      Annotate(BuiltInPacks(), fresh);
      ASSERT_EQ(MeaningOf(graph, id), MeaningOf(fresh, NodeId{0}))
          << Named(graph, id);
      understood += graph.node(id).effects_complete;
    }
  }
  EXPECT_GT(understood, static_cast<int>(graph.num_nodes()));
}

INSTANTIATE_TEST_SUITE_P(Captures, SharedMeaning,
                         ::testing::ValuesIn(kCaptures), [](const auto& p) {
                           std::string name = p.param;
                           return name.substr(0, name.find('.'));
                         });

// Kernels that no capture has; each takes one struct.
struct OwnKernel {
  const char* symbol;
  std::uint32_t bytes;
  std::size_t emitting;  // kernels, one a layout
};

constexpr OwnKernel kOwnKernels[] = {{"reprise_rms_norm", 88, 2},
                                     {"reprise_rms_norm_mul_add", 88, 2},
                                     {"reprise_rms_norm_emit", 88, 0},
                                     {"reprise_rms_norm_mul_emit_t", 88, 0},
                                     {"reprise_glu_swiglu", 72, 2},
                                     {"reprise_glu_swiglu_emit_t", 72, 0},
                                     {"reprise_quantize_q8_0_pad40", 40, 0},
                                     {"reprise_quantize_q8_0_pad40_t", 40, 0},
                                     {"reprise_matmul_q4_0", 64, 0},
                                     {"reprise_matmul_pad40_q4_k", 64, 0}};

class OwnKernelMeaning : public ::testing::TestWithParam<OwnKernel> {};

// Few numbers and places, so that launches come again.
TEST_P(OwnKernelMeaning, IsWhatInterpretingFromNothingGives) {
  std::mt19937_64 random(1);
  KernelLaunch launch;
  launch.symbol = GetParam().symbol;
  launch.parameters = {{0, GetParam().bytes}};
  launch.bytes.resize(GetParam().bytes);
  Graph graph;
  const NodeId id = graph.AddKernel(launch);
  Annotator annotator(BuiltInPacks());
  int understood = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint8_t>& bytes = graph.mutable_launch(id).bytes;
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      const bool pointer = at < 40;
      const std::uint64_t value = random() % 32 == 0 ? 0
                                  : pointer && random() % 8
                                      ? 0x10000 * (1 + random() % 6)
                                      : 256 * (1 + random() % 2);
      std::memcpy(bytes.data() + at, &value, 8);
    }
    annotator.Annotate(graph, {id});
    Graph fresh;
    fresh.AddKernel(graph.launch(id));
    Annotate(BuiltInPacks(), fresh);
    ASSERT_EQ(MeaningOf(graph, id), MeaningOf(fresh, NodeId{0}));
    if (!graph.node(id).effects_complete) continue;
    ++understood;
    EXPECT_EQ(graph.emitting_kernels(id).size(), GetParam().emitting);
  }
  EXPECT_GT(understood, 300);
}

INSTANTIATE_TEST_SUITE_P(Kernels, OwnKernelMeaning,
                         ::testing::ValuesIn(kOwnKernels), [](const auto& p) {
                           return std::string(p.param.symbol);
                         });

// k(pointer x, pointer y, i32 n), with one effect: n bytes that x points to.
MeaningTable TableWith(const std::string& effect) {
  const auto pack = Pack::Parse(absl::StrCat(
      R"({"pack": "p", "version": 1, "signatures": [{"name": "k",
          "symbol": "k", "parameters":
          ["0 pointer x", "8 pointer y", "16 i32 n"],
          "effects": [{"parameter": "x", "access": "read", )",
      effect, "}]}]}"));
  EXPECT_OK(pack);
  static std::vector<Pack>& alive = *new std::vector<Pack>;
  alive.push_back(*pack);
  std::vector<BoundSignature> bound;
  pack->Bind("k", &bound);
  return MeaningTable(bound.front());
}

KernelLaunch LaunchK(std::uint64_t x, std::uint64_t y, std::uint8_t n) {
  KernelLaunch launch;
  launch.symbol = "k";
  launch.parameters = {{0, 8}, {8, 8}, {16, 4}};
  launch.bytes.resize(20);
  std::memcpy(launch.bytes.data(), &x, 8);
  std::memcpy(launch.bytes.data() + 8, &y, 8);
  launch.bytes[16] = n;
  return launch;
}

TEST(MeaningTable, GivesOneMeaningToAllPlaces) {
  MeaningTable table = TableWith(R"("length": "n")");
  const Meaning* first = table.Find(LaunchK(0x1000, 0x2000, 4));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(table.Find(LaunchK(0x3000, 0, 4)), first);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(
      table.Find(LaunchK(0x1000, 0x2000, 5))->effects[0].access.view.extents[0],
      5);
  EXPECT_EQ(table.size(), 2u);
}

TEST(MeaningTable, TellsNullAndEqualPointersFromOthersWhereTheyCount) {
  MeaningTable table =
      TableWith(R"("length": "select(y == 0, 1, 0) + (x == y) + n")");
  const auto length = [&](std::uint64_t x, std::uint64_t y) {
    const Meaning* meaning = table.Find(LaunchK(x, y, 4));
    return meaning->effects[0].access.view.extents[0];
  };
  EXPECT_EQ(length(0x1000, 0x2000), 4);
  EXPECT_EQ(length(0x1000, 0), 5);
  EXPECT_EQ(length(0x1000, 0x1000), 5);
  EXPECT_EQ(length(0x3000, 0x3000), 5);
  EXPECT_EQ(length(0, 0), 6);
  EXPECT_EQ(length(0x3000, 0x1000), 4);
  EXPECT_EQ(table.size(), 4u);
}

TEST(MeaningTable, KeepsNothingWhereAPointersValueCounts) {
  MeaningTable table = TableWith(R"("length": "n + y % 16")");
  const auto length = [&](std::uint64_t y) {
    return table.Find(LaunchK(0x1000, y, 4))->effects[0].access.view.extents[0];
  };
  EXPECT_EQ(length(0x2000), 4);
  EXPECT_EQ(length(0x2008), 12);
  EXPECT_EQ(table.size(), 0u);
}

TEST(MeaningTable, KnowsTheEmittingKernelOfEachLayout) {
  MeaningTable table = TableWith(
      R"("role": "source", "length": "4"}],
         "op": "rms_norm plain", "emitting": [
           {"when": "n == 0", "symbol": "first", "image_parameter": "y"},
           {"when": "y != 0", "symbol": "second", "image_parameter": "y"},
           {"when": "x != y", "symbol": "tiles", "layout": "q8_0_pad40_t",
            "image_parameter": "y")");
  const auto kernels = [&](std::uint64_t y, std::uint8_t n) {
    std::vector<std::string> symbols;
    for (const EmittingKernel& k :
         table.Find(LaunchK(0x1000, y, n))->emitting) {
      symbols.push_back(k.symbol);
    }
    return absl::StrJoin(symbols, " ");
  };
  EXPECT_EQ(kernels(0x2000, 0), "first tiles");
  EXPECT_EQ(kernels(0x2000, 1), "second tiles");
  EXPECT_EQ(kernels(0x1000, 1), "second");
  EXPECT_EQ(kernels(0, 1), "tiles");
  EXPECT_EQ(kernels(0x3000, 0), "first tiles");
  EXPECT_EQ(table.size(), 4u);
}

TEST(MeaningTable, StartsAnewBeforeItGrowsWithoutEnd) {
  MeaningTable table = TableWith(R"("length": "n + grid.x")");
  KernelLaunch launch = LaunchK(0x1000, 0x2000, 0);
  for (std::uint32_t x = 1; x < 3 * MeaningTable::kMaxMeanings; ++x) {
    launch.grid.x = x;
    EXPECT_EQ(table.Find(launch)->effects[0].access.view.extents[0], x);
    ASSERT_LE(table.size(), MeaningTable::kMaxMeanings);
  }
}

}  // namespace
}  // namespace reprise
