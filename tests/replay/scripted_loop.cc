#include "tests/replay/scripted_loop.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tests/driver/scripted_state.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr char kPack[] = R"({
  "pack": "loop", "version": 1,
  "signatures": [
    {"name": "norm", "symbol": "norm$",
     "parameters": ["0 pointer x", "8 pointer y", "16 pointer image"],
     "op": "rms_norm plain", "pure": true, "waits": true,
     "emitting": {"symbol": "norm_emit", "image_parameter": "image",
                  "null_output": true, "waits": true},
     "effects": [
       {"parameter": "x", "access": "read", "role": "source", "element": "f32",
        "length": "64"},
       {"parameter": "y", "access": "write", "role": "output",
        "element": "f32", "length": "64"}]},
    {"name": "formed_norm", "symbol": "formed_norm$",
     "parameters": ["0 pointer x", "8 pointer y", "16 pointer image",
                    "24 i32 form", "28 i32 unused"],
     "op": "rms_norm plain", "pure": true, "waits": true,
     "emitting": [
       {"when": "form == 0", "symbol": "formed_norm_emit",
        "without_output": "formed_norm_emit_only",
        "image_parameter": "image", "waits": true},
       {"when": "form == 1", "symbol": "other_norm_emit",
        "without_output": "no_such_kernel",
        "image_parameter": "image", "waits": true}],
     "effects": [
       {"parameter": "x", "access": "read", "role": "source", "element": "f32",
        "length": "64"},
       {"parameter": "y", "access": "write", "role": "output",
        "element": "f32", "length": "64"}]},
    {"name": "quantize", "symbol": "quantize$",
     "parameters": ["0 pointer source", "8 pointer image"],
     "op": "quantize scratch", "pure": true, "waits": true,
     "effects": [
       {"parameter": "source", "access": "read", "role": "source",
        "element": "f32", "length": "64"},
       {"parameter": "image", "access": "write", "role": "image",
        "element": "q8_1", "length": "16"}]},
    {"name": "matvec", "symbol": "matvec$",
     "parameters": ["0 pointer w", "8 pointer image", "16 pointer out"],
     "op": "matvec q4_0", "pure": true, "waits": true,
     "effects": [
       {"parameter": "w", "access": "read", "role": "weights",
        "length": "288"},
       {"parameter": "image", "access": "read", "role": "image",
        "element": "q8_1", "length": "2"},
       {"parameter": "out", "access": "write", "role": "output",
        "element": "f32", "length": "8"}]}
  ]
})";

constexpr std::uint64_t kNormal = 0x2000;
constexpr std::uint64_t kSecondNormal = 0x3000;
constexpr std::uint64_t kWeights = 0x6000;
constexpr std::uint64_t kScratch = 0x8000;
constexpr std::uint64_t kOutputs = 0xa000;
constexpr std::uint64_t kCopied = 0xe000;

std::vector<Parameter> Pointers(std::uint32_t count) {
  std::vector<Parameter> layout;
  for (std::uint32_t i = 0; i < count; ++i) layout.push_back({8 * i, 8});
  return layout;
}

CUDA_MEMCPY3D CopyOf(const LoopShape& shape) {
  CUDA_MEMCPY3D copy = {};
  if (shape.copy_of_host_memory) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = reinterpret_cast<const void*>(shape.copy);
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = shape.copy;
  }
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = kCopied;
  copy.WidthInBytes = 64;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

}  // namespace

std::vector<Parameter> FormedNormLayout() {
  return {{0, 8}, {8, 8}, {16, 8}, {24, 4}, {28, 4}};
}

const std::vector<Pack>& LoopPacks() {
  static const auto& packs = *[] {
    auto* made = new std::vector<Pack>;
    made->push_back(*Pack::Parse(kPack));
    return made;
  }();
  return packs;
}

ScriptedLoop::ScriptedLoop()
    : norm_emit_(driver.NewFunction("norm_emit", Pointers(3))),
      formed_norm_emit_(
          driver.NewFunction("formed_norm_emit", FormedNormLayout())),
      formed_norm_emit_only_(
          driver.NewFunction("formed_norm_emit_only", FormedNormLayout())),
      other_norm_emit_(
          driver.NewFunction("other_norm_emit", FormedNormLayout())),
      functions_(NewFunctions()),
      reloaded_(NewFunctions()) {}

ScriptedLoop::Functions ScriptedLoop::NewFunctions() {
  return {driver.NewFunction("norm", Pointers(3)),
          driver.NewFunction("quantize", Pointers(2)),
          driver.NewFunction("matvec", Pointers(3))};
}

GraphHandle ScriptedLoop::Capture(const LoopShape& shape) {
  cuda.StreamBeginCapture(capturing_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  Record(shape, capturing_);
  CUgraph captured = nullptr;
  cuda.StreamEndCapture(capturing_, &captured);
  driver.ClearRows();
  return GraphHandle(cuda, captured);
}

void ScriptedLoop::Record(const LoopShape& shape, CUstream on) {
  const CUgraph graph = driver.CapturedBy(on);
  CUgraphNode last = nullptr;
  const auto follow = [&](CUgraphNode node) {
    if (last != nullptr) driver.AddEdge(last, node);
    last = node;
  };
  const Functions& f = shape.new_functions ? reloaded_ : functions_;
  const auto launch = [&](CUfunction function,
                          const std::vector<std::uint64_t>& words,
                          bool updatable = false) {
    follow(driver.AddKernel(
        graph, {.func = function,
                .bytes = Words(words),
                .shared_bytes = function == f.matvec ? shape.shared_bytes : 0,
                .device_updatable = updatable}));
  };
  std::uint64_t out = kOutputs;
  const auto multiply = [&](std::uint64_t source, int products) {
    for (int i = 0; i < products; ++i, out += 0x100) {
      launch(f.quantize, {source, kScratch});
      launch(f.matvec, {kWeights, kScratch, out},
             shape.device_updatable && i + 1 == products);
    }
  };
  launch(f.norm, {shape.input, kNormal, 0});
  if (shape.second_norm) launch(f.norm, {shape.input, kSecondNormal, 0});
  multiply(kNormal, shape.products);
  if (shape.second_norm) multiply(kSecondNormal, 1);
  if (shape.fill != 0) {
    CUDA_MEMSET_NODE_PARAMS fill = {};
    fill.dst = shape.fill;
    fill.elementSize = 1;
    fill.width = 64;
    fill.height = 1;
    follow(driver.AddMemset(graph, fill));
  }
  if (shape.copy != 0) follow(driver.AddMemcpy(graph, CopyOf(shape)));
  if (shape.last != CU_GRAPH_NODE_TYPE_KERNEL) {
    follow(driver.AddNode(graph, shape.last));
  }
}

DeviceOptions ScriptedLoop::options() {
  DeviceOptions options;
  options.prepare.packs = LoopPacks();
  options.prepare.functions = [this](
                                  absl::string_view symbol,
                                  std::uint32_t) -> absl::StatusOr<CUfunction> {
    if (!emitting_kernels) {
      return absl::NotFoundError(absl::StrCat("no kernel ", symbol));
    }
    if (symbol == "norm_emit") return norm_emit_;
    if (symbol == "formed_norm_emit") return formed_norm_emit_;
    if (symbol == "formed_norm_emit_only") return formed_norm_emit_only_;
    if (symbol == "other_norm_emit") return other_norm_emit_;
    return absl::NotFoundError(absl::StrCat("no kernel ", symbol));
  };
  return options;
}

absl::StatusOr<DeviceExecutable> ScriptedLoop::Create(const LoopShape& shape) {
  return DeviceExecutable::Create(cuda, Capture(shape), options());
}

std::string ScriptedLoop::Rows() {
  std::string rows = "\n";
  for (absl::string_view row : absl::StrSplit(driver.rows(), '\n')) {
    if (row.empty() ||
        absl::StartsWith(row, "ThreadExchangeStreamCaptureMode")) {
      continue;
    }
    absl::StrAppend(&rows, row, "\n");
  }
  driver.ClearRows();
  return rows;
}

std::string ScriptedLoop::Launch(DeviceExecutable& executable) {
  EXPECT_OK(executable.Launch(stream));
  std::string text = LaunchedText();
  const Allocation& arena = executable.arena();
  for (std::uint64_t offset = 0; offset < arena.bytes; offset += 128) {
    text = absl::StrReplaceAll(
        text, {{absl::StrCat("0x", absl::Hex(arena.address + offset)),
                absl::StrCat("arena+", offset)}});
  }
  return text;
}

std::string ScriptedLoop::LaunchOriginal(DeviceExecutable& executable) {
  EXPECT_OK(executable.LaunchOriginal(stream));
  return LaunchedText();
}

// Of the executable that was launched last.
std::string ScriptedLoop::LaunchedText() {
  std::size_t number = 0;
  for (absl::string_view row : absl::StrSplit(driver.rows(), '\n')) {
    const std::vector<absl::string_view> words = absl::StrSplit(row, ' ');
    if (words.size() == 3 && words[0] == "GraphLaunch") {
      (void)absl::SimpleAtoi(words[1].substr(1), &number);
    }
  }
  return testing::TextOf(ScriptedDriver::state().execs[number].content);
}

}  // namespace reprise::testing
