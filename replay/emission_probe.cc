#include "replay/emission_probe.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "capture/kernel_node_params.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"
#include "driver/graph_handle.h"
#include "replay/device_arena.h"
#include "replay/kernel_node.h"
#include "replay/probe_inputs.h"
#include "replay/probe_layout.h"

namespace reprise {
namespace {

using Bytes = std::vector<std::uint8_t>;

// What lies where no input does: in outputs, where it shows whether they were
// written, and in guards, where it shows whether those were.
constexpr std::uint8_t kPoison = 0xA5;

struct Functions {
  CUfunction producer = nullptr;
  CUfunction quantizer = nullptr;
  CUfunction replacement = nullptr;
};

absl::StatusOr<CUfunction> FunctionOf(const Driver& driver,
                                      const ImportedGraph& captured,
                                      NodeId id) {
  const KernelCode& code = captured.code[id.value];
  if (code.function != nullptr) return code.function;
  CUfunction function = nullptr;
  const CUresult result = driver.KernelGetFunction(&function, code.kernel);
  if (result == CUDA_SUCCESS) return function;
  return CudaStatus(
      driver, result,
      absl::StrCat("read the kernel of ", Named(captured.graph, id)));
}

template <typename T>
void Append(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Append(const KernelLaunch& launch, std::string& key) {
  Append(launch.grid, key);
  Append(launch.block, key);
  Append(launch.shared_bytes, key);
  key.append(launch.bytes.begin(), launch.bytes.end());
}

// All that decides on the outcome. Of the addresses in a layout at a fixed
// place only what overlaps what is left of the program's.
std::string KeyOf(const Functions& functions, const ProbeLayout& layout) {
  std::string key;
  Append(functions.producer, key);
  Append(functions.quantizer, key);
  Append(functions.replacement, key);
  Append(layout.producer, key);
  Append(layout.quantizer, key);
  return key;
}

// Work on a stream of its own. After an error nothing more is queued.
class DeviceWork {
 public:
  static absl::StatusOr<DeviceWork> Begin(const Driver& driver) {
    CUstream stream = nullptr;
    const CUresult result =
        driver.StreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS) {
      return CudaStatus(driver, result, "create a stream to try kernels on");
    }
    return DeviceWork(driver, StreamHandle(driver, stream));
  }

  void CopyIn(const Bytes& from, std::uint64_t to) {
    Do("copy to a probe", driver_->MemcpyHtoDAsync, to, from.data(),
       from.size(), stream_.get());
  }
  void CopyOut(std::uint64_t from, Bytes& to) {
    Do("copy from a probe", driver_->MemcpyDtoHAsync, to.data(), from,
       to.size(), stream_.get());
  }
  void Launch(CUfunction function, const KernelLaunch& launch) {
    KernelNodeParams storage;
    const CUDA_KERNEL_NODE_PARAMS p = storage.Of(function, launch);
    Do("try a kernel", driver_->LaunchKernel, function, p.gridDimX, p.gridDimY,
       p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes,
       stream_.get(), p.kernelParams, nullptr);
  }
  // Waits also after an error: the host's memory is free again then.
  absl::Status Finish() {
    const CUresult result = driver_->StreamSynchronize(stream_.get());
    if (!status_.ok()) return status_;
    return CudaStatus(*driver_, result, "wait for a probe");
  }

 private:
  DeviceWork(const Driver& driver, StreamHandle stream)
      : driver_(&driver), stream_(std::move(stream)) {}

  template <typename Call, typename... Arguments>
  void Do(absl::string_view what, Call call, Arguments... arguments) {
    if (!status_.ok()) return;
    status_ = CudaStatus(*driver_, call(arguments...), what);
  }

  const Driver* driver_;
  StreamHandle stream_;
  absl::Status status_;
};

Bytes InputsOf(const ProbeLayout& layout, int round, std::uint64_t base) {
  Bytes memory(layout.bytes, kPoison);
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    const std::size_t seed =
        static_cast<std::size_t>(round) * layout.inputs.size() + i;
    FillFloats(layout.inputs[i], KindOf(round, i),
               static_cast<std::uint32_t>(seed), base, absl::MakeSpan(memory));
  }
  return memory;
}

bool WasWritten(const View& view, std::uint64_t base, const Bytes& memory) {
  const auto begin = memory.begin() + static_cast<long>(view.begin() - base);
  const auto end = memory.begin() + static_cast<long>(view.end() - base);
  return std::any_of(begin, end,
                     [](std::uint8_t byte) { return byte != kPoison; });
}

bool Holds(const View& view, std::uint64_t address) {
  return view.begin() <= address && address < view.end();
}

// Where in the memory a byte lies, in words.
std::string PlaceOf(const ProbeLayout& layout, std::uint64_t address) {
  const auto inside = [&](const View& view, absl::string_view name) {
    return absl::StrCat("byte ", address - view.begin(), " of the ", name);
  };
  if (Holds(layout.output, address)) return inside(layout.output, "output");
  if (Holds(layout.image, address)) return inside(layout.image, "image");
  return "a byte outside the output and the image";
}

std::string Hex(std::uint8_t byte) {
  return absl::StrCat("0x", absl::Hex(byte, absl::kZeroPad2));
}

// Both ways from the same start, one after the other; then all of the memory
// is compared.
class Probe {
 public:
  Probe(const Functions& functions, const ProbeLayout& layout,
        std::uint64_t base, std::string name)
      : functions_(functions),
        layout_(layout),
        base_(base),
        name_(std::move(name)) {}

  absl::Status Run(int round, DeviceWork& work) const {
    const Bytes start = InputsOf(layout_, round, base_);
    Bytes expected(start.size()), actual(start.size());
    work.CopyIn(start, base_);
    work.Launch(functions_.producer, layout_.producer);
    work.Launch(functions_.quantizer, layout_.quantizer);
    work.CopyOut(base_, expected);
    work.CopyIn(start, base_);
    work.Launch(functions_.replacement, layout_.replacement);
    work.CopyOut(base_, actual);
    if (absl::Status s = work.Finish(); !s.ok()) return s;
    return Compare(expected, actual);
  }

 private:
  absl::Status Compare(const Bytes& expected, const Bytes& actual) const {
    if (!WasWritten(layout_.image, base_, expected)) {
      return absl::InternalError(
          absl::StrCat("the quantizer of ", name_, " left no image"));
    }
    const auto [e, a] =
        std::mismatch(expected.begin(), expected.end(), actual.begin());
    if (e == expected.end()) return absl::OkStatus();
    const auto offset = static_cast<std::uint64_t>(e - expected.begin());
    return absl::DataLossError(
        absl::StrCat("probe_mismatch: ", PlaceOf(layout_, base_ + offset),
                     " of ", name_, " is ", Hex(*a), ", not ", Hex(*e)));
  }

  const Functions& functions_;
  const ProbeLayout& layout_;
  const std::uint64_t base_;
  const std::string name_;
};

absl::Status TryAll(const Driver& driver, const Functions& functions,
                    const Graph& graph, NodeId producer, NodeId quantizer,
                    std::uint64_t bytes) {
  const RelaxedCapture relaxed(driver);
  absl::StatusOr<DeviceArena> memory = DeviceArena::Create(driver, bytes);
  if (!memory.ok()) return memory.status();
  const std::uint64_t base = memory->allocation().address;
  const absl::StatusOr<ProbeLayout> layout =
      LayOutProbe(graph, producer, quantizer, base);
  if (!layout.ok()) return layout.status();
  absl::StatusOr<DeviceWork> work = DeviceWork::Begin(driver);
  if (!work.ok()) return work.status();
  const Probe probe(functions, *layout, base, Named(graph, producer));
  absl::Status status;
  const int rounds = ProbeRounds(layout->inputs.size());
  for (int round = 0; round < rounds && status.ok(); ++round) {
    status = probe.Run(round, *work);
  }
  return status;
}

}  // namespace

absl::Status EmissionProbe::Try(const ImportedGraph& captured, NodeId producer,
                                NodeId quantizer, CUfunction replacement) {
  const Graph& graph = captured.graph;
  const absl::StatusOr<ProbeLayout> layout =
      LayOutProbe(graph, producer, quantizer, 0);
  if (!layout.ok()) return layout.status();
  const absl::StatusOr<CUfunction> produce =
      FunctionOf(driver_, captured, producer);
  if (!produce.ok()) return produce.status();
  const absl::StatusOr<CUfunction> quantize =
      FunctionOf(driver_, captured, quantizer);
  if (!quantize.ok()) return quantize.status();
  const Functions functions{*produce, *quantize, replacement};
  const std::string key = KeyOf(functions, *layout);

  const std::lock_guard lock(mutex_);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const absl::Status status =
      TryAll(driver_, functions, graph, producer, quantizer, layout->bytes);
  // An error of a call says nothing about the bytes.
  if (status.ok() || absl::IsDataLoss(status)) known_[key] = status;
  return status;
}

void EmissionProbe::Forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

}  // namespace reprise
