#include "replay/probe_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr std::uint64_t kBase = 0x10000;
constexpr NodeId kProducer{0};
constexpr NodeId kQuantizer{1};

View Floats(std::uint64_t address, std::int64_t columns,
            std::int64_t rows = 1) {
  return Packed(address, ElementType::kF32, columns, rows);
}

struct Pointer {
  View view;
  AccessMode mode;
  Role role;
};

// A kernel of one pointer an access, in their order, and a last word 0x77.
void AddKernel(Graph& graph, Op op, const std::vector<Pointer>& pointers) {
  KernelLaunch launch;
  launch.symbol = "k";
  std::vector<Access> accesses;
  for (const Pointer& pointer : pointers) {
    const auto offset = static_cast<std::uint32_t>(launch.bytes.size());
    launch.parameters.push_back({offset, 8});
    launch.bytes.resize(offset + 8);
    std::memcpy(&launch.bytes[offset], &pointer.view.address, 8);
    accesses.push_back({.view = pointer.view,
                        .mode = pointer.mode,
                        .role = pointer.role,
                        .parameter = offset});
  }
  launch.parameters.push_back(
      {static_cast<std::uint32_t>(launch.bytes.size()), 1});
  launch.bytes.push_back(0x77);
  const NodeId id = graph.AddKernel(std::move(launch));
  Node& node = graph.mutable_node(id);
  node.op = op;
  node.effects_complete = true;
  node.pure = true;
  graph.SetAccesses(id, accesses);
}

// x and factor -> y -> image.
Graph NormOf(const View& x, const View& factor, const View& y,
             std::uint64_t image = 0x8000) {
  Graph graph;
  AddKernel(graph, RmsNorm{},
            {{x, AccessMode::kRead, Role::kSource},
             {factor, AccessMode::kRead, Role::kNone},
             {y, AccessMode::kWrite, Role::kOutput}});
  const std::uint32_t end = 24 + 8;
  graph.mutable_node(kProducer).emitting = graph.AddEmittingKernel(
      {.symbol = "e", .image_parameter = end, .appends_image = true});
  AddKernel(graph, Quantize{},
            {{y, AccessMode::kRead, Role::kSource},
             {Packed(image, ElementType::kQ8_1, 16, y.extents[1]),
              AccessMode::kWrite, Role::kImage}});
  return graph;
}

ProbeLayout LayOut(const Graph& graph) {
  absl::StatusOr<ProbeLayout> layout =
      LayOutProbe(graph, kProducer, kQuantizer, kBase);
  EXPECT_OK(layout);
  return layout.ok() ? *std::move(layout) : ProbeLayout{};
}

std::uint64_t WordAt(const KernelLaunch& launch, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, &launch.bytes[offset], sizeof word);
  return word;
}

TEST(ProbeLayout, PutsEveryPointerIntoItsOwnGuardedPlace) {
  const ProbeLayout layout =
      LayOut(NormOf(Floats(0x1010, 64, 2), Floats(0x2000, 64),  //
                    Floats(0x3020, 64, 2)));
  ASSERT_EQ(layout.inputs.size(), 2u);
  EXPECT_EQ(layout.producer.symbol, "k");
  EXPECT_EQ(WordAt(layout.producer, 0), layout.inputs[0].address);
  EXPECT_EQ(WordAt(layout.producer, 8), layout.inputs[1].address);
  EXPECT_EQ(WordAt(layout.producer, 16), layout.output.address);
  EXPECT_EQ(WordAt(layout.quantizer, 0), layout.output.address);
  EXPECT_EQ(WordAt(layout.quantizer, 8), layout.image.address);
  EXPECT_EQ(layout.inputs[0].address % 256, 0x10u);
  EXPECT_EQ(layout.output.address % 256, 0x20u);
  EXPECT_EQ(layout.output.extents, Floats(0, 64, 2).extents);
  std::uint64_t free_from = kBase;
  for (const View& view :
       {layout.inputs[0], layout.inputs[1], layout.output, layout.image}) {
    EXPECT_GE(view.begin(), free_from + kProbeGuardBytes);
    free_from = view.end();
  }
  EXPECT_EQ(layout.bytes, free_from + kProbeGuardBytes - kBase);
}

TEST(ProbeLayout, GivesTheReplacementTheImageBehindItsParameters) {
  const ProbeLayout layout = LayOut(
      NormOf(Floats(0x1000, 64), Floats(0x2000, 64), Floats(0x3000, 64)));
  EXPECT_EQ(layout.replacement.symbol, "e");
  EXPECT_EQ(layout.replacement.parameters, (std::vector<Parameter>{{0, 40}}));
  ASSERT_EQ(layout.replacement.bytes.size(), 40u);
  EXPECT_EQ(std::memcmp(layout.replacement.bytes.data(),
                        layout.producer.bytes.data(), 25),
            0);
  EXPECT_EQ(WordAt(layout.replacement, 32), layout.image.address);
}

TEST(ProbeLayout, KeepsInPlaceWhatIsInPlace) {
  const ProbeLayout layout = LayOut(
      NormOf(Floats(0x1000, 64), Floats(0x2000, 64), Floats(0x1000, 64)));
  EXPECT_EQ(layout.inputs[0].address, layout.output.address);
}

// Two halves of packed rows, as a GLU reads them.
TEST(ProbeLayout, KeepsTheDistancesOfRowsThatInterleave) {
  View gate = Floats(0x1000, 64, 4);
  gate.strides[1] = 512;
  View up = gate;
  up.address += 256;
  const ProbeLayout layout = LayOut(NormOf(gate, up, Floats(0x3000, 64, 4)));
  EXPECT_EQ(layout.inputs[1].address - layout.inputs[0].address, 256u);
  EXPECT_EQ(layout.inputs[0].strides, gate.strides);
}

TEST(ProbeLayout, SetsAnImageApartThatLayOnAnInput) {
  const ProbeLayout layout =
      LayOut(NormOf(Floats(0x1000, 64), Floats(0x2000, 64), Floats(0x3000, 64),
                    /*image=*/0x1000));
  EXPECT_GE(layout.image.begin(), layout.inputs[0].end() + kProbeGuardBytes);
}

TEST(ProbeLayout, IsTheSameWhereverTheProgramHasItsMemory) {
  const ProbeLayout a = LayOut(
      NormOf(Floats(0x1000, 64), Floats(0x2000, 64), Floats(0x3000, 64)));
  const ProbeLayout b = LayOut(NormOf(Floats(0x71000, 64), Floats(0x72000, 64),
                                      Floats(0x73000, 64), 0x78000));
  EXPECT_EQ(a.producer, b.producer);
  EXPECT_EQ(a.quantizer, b.quantizer);
}

TEST(ProbeLayout, RefusesWhatCannotRunApart) {
  const Graph norm =
      NormOf(Floats(0x1000, 64), Floats(0x2000, 64), Floats(0x3000, 64));
  const auto expect = [](const Graph& graph, const char* text) {
    EXPECT_THAT(LayOutProbe(graph, kProducer, kQuantizer, kBase),
                testing::HasText(text));
  };
  Graph impure = norm;
  impure.mutable_node(kProducer).pure = false;
  expect(impure, "node 0 (k) is no pure function");
  Graph cooperative = norm;
  cooperative.mutable_launch(kQuantizer).cooperative = true;
  expect(cooperative, "node 1 (k) is launched cooperatively");
  Graph routed = norm;
  routed.mutable_accesses(kProducer)[1].view.type = ElementType::kI32;
  expect(routed, "node 0 (k) reads or writes what is neither");
  expect(NormOf(Floats(0x1000, 64), Floats(0x20000000, std::int64_t{1} << 26),
                Floats(0x3000, 64)),
         "too much memory");
  Graph without = norm;
  without.mutable_node(kProducer).launch = Node::kNoIndex;
  expect(without, "has no launch to try");
}

}  // namespace
}  // namespace reprise
