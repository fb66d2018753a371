#include "capture/annotate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "capture/pack.h"
#include "capture/signature.h"
#include "graph/graph.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// A kernel k(pointer x, pointer ids, i64 n, i64 s) with one effect.
std::vector<Pack> PackWith(const std::string& effect) {
  auto pack = Pack::Parse(absl::StrCat(
      R"({"pack": "p", "version": 1, "signatures": [{"name": "k",
          "symbol": "k$", "waits": true, "parameters": ["0 pointer x",
          "8 pointer ids", "16 i64 n", "24 i64 s"], "effects": [)",
      effect, "]}]}"));
  EXPECT_OK(pack);
  std::vector<Pack> packs;
  if (pack.ok()) packs.push_back(*std::move(pack));
  return packs;
}

KernelLaunch LaunchK(std::uint64_t x, std::uint64_t ids, std::int64_t n,
                     std::int64_t s) {
  KernelLaunch launch;
  launch.symbol = "k";
  launch.parameters = {{0, 8}, {8, 8}, {16, 8}, {24, 8}};
  launch.bytes.resize(32);
  std::memcpy(&launch.bytes[0], &x, 8);
  std::memcpy(&launch.bytes[8], &ids, 8);
  std::memcpy(&launch.bytes[16], &n, 8);
  std::memcpy(&launch.bytes[24], &s, 8);
  return launch;
}

// What the launch touches: views, '?' where inexact, or "opaque".
std::string EffectsOf(const std::string& effect, const KernelLaunch& launch) {
  Graph graph;
  graph.AddAllocation({0x1000, 0x1000});
  const NodeId id = graph.AddKernel(launch);
  Annotate(PackWith(effect), graph);
  if (!graph.node(id).effects_complete) return "opaque";
  std::string text;
  for (const Access& access : graph.accesses(id)) {
    absl::StrAppend(&text, text.empty() ? "" : " ", ToText(access.view),
                    access.exact ? "" : "?");
  }
  return text;
}

std::string Read(const std::string& rest) {
  return R"({"parameter": "x", "access": "read", )" + rest + "}";
}

TEST(Annotate, BuildsViewsFromRows) {
  const KernelLaunch launch = LaunchK(0x1000, 0x1800, 4, 64);
  struct {
    const char* effect;
    const char* views;
  } const rows[] = {
      {R"("length": "n")", "0x1000:byte:4"},
      {R"("length": "n", "element": "f32")", "0x1000:f32:4"},
      {R"("length": "n", "offset": "s")", "0x1040:byte:4"},
      {R"("length": "0")", ""},
      {R"("length": "n", "rows": [["0", "s"]])", ""},
      {R"("length": "n", "when": "n != 4")", ""},
      {R"("length": "n", "exact": false)", "0x1000:byte:4?"},
      {R"("length": "n", "rows": [["1", "s"], ["3", "32"]])",
       "0x1000:byte:4x3/1,32"},
      // Rows that go on where the inner ones end.
      {R"("length": "n", "rows": [["2", "96"], ["3", "32"]])",
       "0x1000:byte:4x6/1,32"},
      // Bytes that go on where the row ends; floats keep their rows.
      {R"("length": "n", "rows": [["3", "4"]])", "0x1000:byte:12"},
      {R"("length": "4", "element": "f32", "rows": [["3", "16"]])",
       "0x1000:f32:4x3"},
      {R"("length": "1", "element": "f32", "rows": [["3", "16"]])",
       "0x1000:f32:1x3/4,16"},
      {R"("length": "n", "rows": [["2", "512"], ["2", "100"], ["3", "20"]])",
       "0x1000:byte:4x3x2x2/1,20,100,512"},
      // More dimensions than a view has: the range around them.
      {R"("length": "2", "element": "f32", "rows": [["2", "2000"],
          ["2", "512"], ["2", "100"], ["2", "20"]])",
       "0x1000:byte:2640?"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(EffectsOf(Read(row.effect), launch), row.views) << row.effect;
  }
}

TEST(Annotate, UsesDefinedNames) {
  auto pack = Pack::Parse(
      R"({"pack": "p", "version": 1, "signatures": [{"name": "k",
          "symbol": "k$", "parameters": ["0 pointer x", "8 pointer ids",
          "16 i64 n", "24 i64 s"],
          "define": [["half", "n/2"], ["inverse", "8/n"], ["both", "half + s"]],
          "effects": [{"parameter": "x", "access": "read", "when": "half",
                       "length": "both"}]}]})");
  ASSERT_OK(pack);
  std::vector<Pack> packs;
  packs.push_back(*std::move(pack));
  Graph graph;
  const NodeId id = graph.AddKernel(LaunchK(0x1000, 0, 6, 64));
  // A definition without a value matters only where it is used.
  const NodeId none = graph.AddKernel(LaunchK(0x1000, 0, 0, 64));
  EXPECT_EQ(Annotate(packs, graph).opaque, 0u);
  ASSERT_EQ(graph.accesses(id).size(), 1u);
  EXPECT_EQ(ToText(graph.accesses(id)[0].view), "0x1000:byte:67");
  EXPECT_TRUE(graph.accesses(none).empty());
}

TEST(Annotate, LeavesAnAbsurdLaunchOpaque) {
  const std::string rows = Read(R"("length": "4", "rows": [["n", "s"]])");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0x1000, 0, 2, 64)), "0x1000:byte:4x2/1,64");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0x1000, 0, -1, 64)), "opaque");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0x1000, 0, 2, -64)), "opaque");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0x1000, 0, kMax, 64)), "opaque");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0x1000, 0, kMax, 0)), "opaque");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0x1000, 0, 2, kMax)), "opaque");
  EXPECT_EQ(EffectsOf(rows, LaunchK(~0ull, 0, 2, 64)), "opaque");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0, 0, 2, 64)), "opaque");
  EXPECT_EQ(EffectsOf(rows, LaunchK(0, 0, 0, 64)), "");
  EXPECT_EQ(EffectsOf(Read(R"("length": "4/n")"), LaunchK(0x1000, 0, 0, 0)),
            "opaque");
  EXPECT_EQ(EffectsOf(Read(R"("length": "n*n")"), LaunchK(0x1000, 0, kMax, 0)),
            "opaque");
  EXPECT_EQ(EffectsOf(Read(R"("length": "-1")"), LaunchK(0x1000, 0, 0, 0)),
            "opaque");
  EXPECT_EQ(EffectsOf(Read(R"("length": "4", "offset": "n")"),
                      LaunchK(0x1000, 0, -8, 0)),
            "opaque");
}

TEST(Annotate, BoundsGatheredRows) {
  const std::string limited = Read(
      R"("length": "16", "gather": {"by": "ids", "count": "n", "stride": "s"})");
  EXPECT_EQ(EffectsOf(limited, LaunchK(0x1000, 0x1800, 4, 64)),
            "0x1000:byte:16x4/1,64?");
  // The allocation ends before the last row does.
  EXPECT_EQ(EffectsOf(limited, LaunchK(0x1f80, 0x1800, 4, 64)),
            "0x1f80:byte:128?");
  // Not a known allocation: the count still bounds it.
  EXPECT_EQ(EffectsOf(limited, LaunchK(0x9000, 0x1800, 4, 64)),
            "0x9000:byte:16x4/1,64?");

  const std::string unlimited =
      Read(R"("length": "16", "gather": {"by": "ids", "stride": "s"})");
  EXPECT_EQ(EffectsOf(unlimited, LaunchK(0x1800, 0x1800, 4, 64)),
            "0x1000:byte:4096?");
  EXPECT_EQ(EffectsOf(unlimited, LaunchK(0x9000, 0x1800, 4, 64)), "opaque");
}

TEST(Annotate, GivesTheOffsetOfThePointer) {
  Graph graph;
  const NodeId id = graph.AddKernel(LaunchK(0x1000, 0x1800, 4, 64));
  const Annotation annotation = Annotate(
      PackWith(R"({"parameter": "ids", "access": "write", "length": "4"})"),
      graph);
  EXPECT_EQ(annotation.recognised, 1u);
  EXPECT_EQ(annotation.opaque, 0u);
  EXPECT_TRUE(graph.node(id).waits);
  ASSERT_EQ(graph.accesses(id).size(), 1u);
  EXPECT_TRUE(graph.accesses(id)[0].writes());
  EXPECT_EQ(graph.accesses(id)[0].parameter, 8u);
}

TEST(Annotate, TwiceChangesNothing) {
  const std::vector<Pack> packs = PackWith(Read(R"("length": "n")"));
  Graph graph;
  const NodeId id = graph.AddKernel(LaunchK(0x1000, 0x1800, 4, 64));
  Annotate(packs, graph);
  const std::vector<Access> first(graph.accesses(id).begin(),
                                  graph.accesses(id).end());
  Annotate(packs, graph);
  EXPECT_EQ(first, std::vector<Access>(graph.accesses(id).begin(),
                                       graph.accesses(id).end()));
  // Without the pack nothing of it stays.
  EXPECT_EQ(Annotate({}, graph).opaque, 1u);
  EXPECT_FALSE(graph.node(id).waits);
  EXPECT_TRUE(graph.accesses(id).empty());
}

std::string EffectsOf(const Copy& copy) {
  Graph graph;
  const NodeId id = graph.AddCopy(copy);
  Annotate({}, graph);
  if (!graph.node(id).effects_complete) return "opaque";
  std::string text;
  for (const Access& access : graph.accesses(id)) {
    absl::StrAppend(&text, access.reads() ? "R " : "W ", ToText(access.view),
                    ";");
  }
  return text;
}

TEST(Annotate, ReadsCopiesOffTheNode) {
  Copy copy{.source = 0x1000, .target = 0x2000, .width_bytes = 64};
  EXPECT_EQ(EffectsOf(copy), "R 0x1000:byte:64;W 0x2000:byte:64;");
  copy.height = 4;
  copy.source_pitch = 128;
  copy.target_pitch = 64;
  EXPECT_EQ(EffectsOf(copy), "R 0x1000:byte:64x4/1,128;W 0x2000:byte:256;");
  copy.source_kind = MemoryKind::kHost;
  EXPECT_EQ(EffectsOf(copy), "W 0x2000:byte:256;");
  for (MemoryKind kind :
       {MemoryKind::kArray, MemoryKind::kUnified, MemoryKind::kUnknown}) {
    copy.source_kind = kind;
    EXPECT_EQ(EffectsOf(copy), "opaque");
  }
  copy.source_kind = MemoryKind::kDevice;
  Copy narrow = copy;
  narrow.source_pitch = 32;
  EXPECT_EQ(EffectsOf(narrow), "opaque");
  Copy planes = copy;
  planes.depth = 2;
  EXPECT_EQ(EffectsOf(planes), "opaque");
  Copy vast = copy;
  vast.source_pitch = ~0ull;
  EXPECT_EQ(EffectsOf(vast), "opaque");
  copy.width_bytes = 0;
  EXPECT_EQ(EffectsOf(copy), "");
}

TEST(Annotate, ReadsFillsOffTheNode) {
  Graph graph;
  const NodeId flat = graph.AddFill(
      {.target = 0x1000, .width = 8, .pitch = 0, .element_bytes = 4});
  const NodeId rows = graph.AddFill({.target = 0x1000,
                                     .width = 8,
                                     .height = 2,
                                     .pitch = 64,
                                     .element_bytes = 4});
  const NodeId vast =
      graph.AddFill({.target = 0x1000, .width = ~0ull, .element_bytes = 4});
  Annotate({}, graph);
  ASSERT_EQ(graph.accesses(flat).size(), 1u);
  EXPECT_EQ(ToText(graph.accesses(flat)[0].view), "0x1000:byte:32");
  EXPECT_TRUE(graph.accesses(flat)[0].writes());
  ASSERT_EQ(graph.accesses(rows).size(), 1u);
  EXPECT_EQ(ToText(graph.accesses(rows)[0].view), "0x1000:byte:32x2/1,64");
  EXPECT_FALSE(graph.node(vast).effects_complete);
}

// A norm k(pointer x, i64 n) that one of three kernels may replace.
TEST(Annotate, TakesTheFirstEmittingKernelWhoseConditionHolds) {
  const auto pack = Pack::Parse(R"({"pack": "p", "version": 1, "signatures": [{
      "name": "k", "symbol": "k_(?P<t0>mul)$",
      "parameters": ["0 pointer x", "8 i32 n"], "op": "rms_norm $t0",
      "emitting": [
        {"when": "8 / n == 2", "symbol": "four_$t0", "append_image": true},
        {"when": "n > 4", "symbol": "more", "image_parameter": "x",
         "waits": true, "probe": true}],
      "effects": []}]})");
  ASSERT_OK(pack);
  const auto emitting = [&](std::uint8_t n) -> std::optional<EmittingKernel> {
    Graph graph;
    KernelLaunch launch;
    launch.symbol = "k_mul";
    launch.parameters = {{0, 8}, {8, 4}};
    launch.bytes.resize(12);
    launch.bytes[8] = n;
    const NodeId id = graph.AddKernel(launch);
    EXPECT_EQ(Annotate({*pack}, graph).opaque, 0u);
    const auto kernels = graph.emitting_kernels(id);
    if (kernels.empty()) return std::nullopt;
    return kernels.front();
  };
  const EmittingKernel four{
      .symbol = "four_mul", .image_parameter = 16, .appends_image = true};
  const EmittingKernel more{.symbol = "more", .waits = true, .probe = true};
  EXPECT_EQ(emitting(4), four);
  EXPECT_EQ(emitting(5), more);
  EXPECT_EQ(emitting(2), std::nullopt);
  EXPECT_EQ(emitting(0), std::nullopt) << "a condition without a value";
}

TEST(Annotate, TakesAnEmittingKernelOfEachLayout) {
  const auto pack = Pack::Parse(R"({"pack": "p", "version": 1, "signatures": [{
      "name": "k", "symbol": "k$",
      "parameters": ["0 pointer x"], "op": "glu swiglu",
      "emitting": [
        {"symbol": "tiles", "append_image": true, "layout": "q8_0_pad40_t"},
        {"symbol": "first", "append_image": true},
        {"symbol": "second", "append_image": true, "layout": "q8_1"}],
      "effects": []}]})");
  ASSERT_OK(pack);
  Graph graph;
  KernelLaunch launch;
  launch.symbol = "k";
  launch.parameters = {{0, 8}};
  launch.bytes.resize(8);
  const NodeId id = graph.AddKernel(launch);
  Annotate({*pack}, graph);
  ASSERT_EQ(graph.emitting_kernels(id).size(), 2u);
  EXPECT_EQ(graph.FindEmittingKernel(id, ImageLayout::kQ8_1)->symbol, "first");
  EXPECT_EQ(graph.FindEmittingKernel(id, ImageLayout::kQ8_0Pad40Tiles)->symbol,
            "tiles");
  EXPECT_EQ(graph.FindEmittingKernel(id, ImageLayout::kD4), nullptr);
}

TEST(Annotate, KnowsOnlyEmptyNodesOfTheRest) {
  for (int kind = 0; kind <= static_cast<int>(NodeKind::kOther); ++kind) {
    Node node;
    node.kind = static_cast<NodeKind>(kind);
    if (node.kind == NodeKind::kCopy || node.kind == NodeKind::kFill) continue;
    Graph graph;
    const NodeId id = graph.AddNode(node);
    Annotate(BuiltInPacks(), graph);
    EXPECT_EQ(graph.node(id).effects_complete, node.kind == NodeKind::kEmpty)
        << NameOf(node.kind);
  }
}

}  // namespace
}  // namespace reprise
