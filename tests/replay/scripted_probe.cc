#include "tests/replay/scripted_probe.h"

#include <cstring>

#include "capture/annotate.h"
#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

// The quantizer and the matrix kernel are the loop's.
constexpr char kPack[] = R"({
  "pack": "probe", "version": 1,
  "signatures": [
    {"name": "norm", "symbol": "norm$",
     "parameters": ["0 pointer x", "8 pointer factor", "16 pointer y",
                    "24 u32 scale"],
     "op": "rms_norm mul", "pure": true, "waits": true,
     "emitting": {"symbol": "norm_emit", "append_image": true, "waits": true,
                  "probe": true},
     "effects": [
       {"parameter": "x", "access": "read", "role": "source", "element": "f32",
        "length": "64"},
       {"parameter": "factor", "access": "read", "element": "f32",
        "length": "64"},
       {"parameter": "y", "access": "write", "role": "output",
        "element": "f32", "length": "64"}]}
  ]
})";

constexpr int kColumns = 64;
constexpr int kBlockBytes = 36;
constexpr int kImageBytes = 16 * kBlockBytes;

std::uint64_t WordAt(const std::vector<std::uint8_t>& bytes,
                     std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

std::uint32_t ScaleOf(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t scale = 0;
  std::memcpy(&scale, bytes.data() + 24, sizeof scale);
  return scale;
}

}  // namespace

ScriptedProbe::ScriptedProbe(Fault fault)
    : replacement(driver.NewFunction("norm_emit", {{0, 40}})),
      norm_(driver.NewFunction("norm", {{0, 8}, {8, 8}, {16, 8}, {24, 4}})),
      quantize_(driver.NewFunction("quantize", {{0, 8}, {8, 8}})),
      matvec_(driver.NewFunction("matvec", {{0, 8}, {8, 8}, {16, 8}})) {
  packs_.push_back(*Pack::Parse(kPack));
  packs_.push_back(LoopPacks().front());
  driver.SetBody(norm_, [this](const auto& bytes) { Normalize(bytes); });
  driver.SetBody(quantize_, [this](const auto& bytes) {
    if (quantizes) Quantize(WordAt(bytes, 0), WordAt(bytes, 8));
  });
  driver.SetBody(replacement,
                 [this, fault](const auto& bytes) { Replace(bytes, fault); });
}

CUgraph ScriptedProbe::Graph(std::uint32_t scale, bool in_place) {
  const CUgraph graph = driver.NewGraph();
  std::vector<std::uint8_t> bytes =
      Words({0x1000, 0x1800, in_place ? 0x1000u : 0x2000u, scale});
  bytes.resize(28);
  const CUgraphNode norm =
      driver.AddKernel(graph, {.func = norm_, .bytes = bytes});
  const CUgraphNode quantize = driver.AddKernel(
      graph, {.func = quantize_,
              .bytes = Words({in_place ? 0x1000u : 0x2000u, 0x8000})});
  const CUgraphNode matvec = driver.AddKernel(
      graph, {.func = matvec_, .bytes = Words({0x6000, 0x8000, 0xa000})});
  driver.AddEdge(norm, quantize);
  driver.AddEdge(quantize, matvec);
  return graph;
}

ImportedGraph ScriptedProbe::Import(CUgraph graph) {
  absl::StatusOr<ImportedGraph> imported = GraphImporter(cuda).Import(graph);
  EXPECT_OK(imported);
  if (!imported.ok()) return {};
  Annotate(packs_, imported->graph);
  return *std::move(imported);
}

PrepareOptions ScriptedProbe::options() {
  PrepareOptions options;
  options.packs = packs_;
  options.functions = [this](absl::string_view,
                             std::uint32_t) -> absl::StatusOr<CUfunction> {
    return replacement;
  };
  return options;
}

void ScriptedProbe::Normalize(const std::vector<std::uint8_t>& bytes) {
  const std::uint32_t scale = ScaleOf(bytes);
  for (std::uint64_t i = 0; i < kColumns; ++i) {
    float x = 0, factor = 0;
    std::memcpy(&x, driver.Memory(WordAt(bytes, 0) + 4 * i, 4), 4);
    std::memcpy(&factor, driver.Memory(WordAt(bytes, 8) + 4 * i, 4), 4);
    const float y = x * factor * static_cast<float>(scale);
    std::memcpy(driver.Memory(WordAt(bytes, 16) + 4 * i, 4), &y, 4);
  }
}

// No real quantizer's arithmetic: each of 32 bytes is the second of its float.
void ScriptedProbe::Quantize(std::uint64_t source, std::uint64_t image) {
  std::uint8_t* out = driver.Memory(image, kImageBytes);
  std::memset(out, 0, kImageBytes);
  for (std::uint64_t i = 0; i < kColumns; ++i) {
    out[i / 32 * kBlockBytes + 4 + i % 32] =
        driver.Memory(source + 4 * i, 4)[1];
  }
}

void ScriptedProbe::Replace(const std::vector<std::uint8_t>& bytes,
                            Fault fault) {
  if (fault == Fault::kIdle) return;
  const std::uint64_t output = WordAt(bytes, 16);
  const std::uint64_t image = WordAt(bytes, 32);
  const std::uint8_t unwritten = *driver.Memory(image + kImageBytes - 1, 1);
  Normalize(bytes);
  Quantize(output, image);
  if (fault == Fault::kOutput) *driver.Memory(output + 12, 1) ^= 1;
  if (fault == Fault::kImage) *driver.Memory(image + 2, 1) ^= 1;
  if (fault == Fault::kPadding) {
    std::memset(driver.Memory(image + kImageBytes - kBlockBytes, kBlockBytes),
                unwritten, kBlockBytes);
  }
  if (fault == Fault::kGuard) *driver.Memory(image + kImageBytes, 1) = 0;
  if (fault == Fault::kInput) *driver.Memory(WordAt(bytes, 0), 1) ^= 1;
}

}  // namespace reprise::testing
