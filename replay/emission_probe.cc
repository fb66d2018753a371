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
#include "replay/graph_exec.h"
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

// One way of making an image: its memory on the device, and what it left there.
struct Attempt {
  ProbeLayout layout;
  std::uint64_t base = 0;
  Bytes after;
};

// Both ways from the same start, each in memory of its own.
struct Round {
  Bytes before;
  Attempt original;
  Attempt replaced;
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

// Runs rounds on a stream of its own. All their kernels are launched as one
// graph: after some dozens of plain launches on a second stream, each launch of
// the program's own graph took 0.1 ms longer (driver 580.159).
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

  absl::Status Run(const Functions& functions, std::vector<Round>& rounds) {
    const absl::StatusOr<GraphHandle> graph =
        CaptureStream(*driver_, stream_.get(), [&] {
          for (const Round& round : rounds) {
            const ProbeLayout& original = round.original.layout;
            Launch(functions.producer, original.producer);
            Launch(functions.quantizer, original.quantizer);
            Launch(functions.replacement, round.replaced.layout.replacement);
          }
          return status_;
        });
    if (!graph.ok()) return graph.status();
    const absl::StatusOr<GraphExecHandle> exec =
        Instantiate(*driver_, graph->get(), 0, nullptr);
    if (!exec.ok()) return exec.status();
    for (Round& round : rounds) {
      for (Attempt* attempt : {&round.original, &round.replaced}) {
        Do("copy to a probe", driver_->MemcpyHtoDAsync, attempt->base,
           round.before.data(), round.before.size(), stream_.get());
      }
    }
    Do("try kernels", driver_->GraphLaunch, exec->get(), stream_.get());
    for (Round& round : rounds) {
      for (Attempt* attempt : {&round.original, &round.replaced}) {
        attempt->after.resize(round.before.size());
        Do("copy from a probe", driver_->MemcpyDtoHAsync, attempt->after.data(),
           attempt->base, attempt->after.size(), stream_.get());
      }
    }
    // Waits also after an error: the host's memory is free again then.
    const CUresult result = driver_->StreamSynchronize(stream_.get());
    if (!status_.ok()) return status_;
    return CudaStatus(*driver_, result, "wait for a probe");
  }

 private:
  DeviceWork(const Driver& driver, StreamHandle stream)
      : driver_(&driver), stream_(std::move(stream)) {}

  void Launch(CUfunction function, const KernelLaunch& launch) {
    KernelNodeParams storage;
    const CUDA_KERNEL_NODE_PARAMS p = storage.Of(function, launch);
    Do("try a kernel", driver_->LaunchKernel, function, p.gridDimX, p.gridDimY,
       p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes,
       stream_.get(), p.kernelParams, nullptr);
  }

  // After an error nothing more is queued.
  template <typename Call, typename... Arguments>
  void Do(absl::string_view what, Call call, Arguments... arguments) {
    if (!status_.ok()) return;
    status_ = CudaStatus(*driver_, call(arguments...), what);
  }

  const Driver* driver_;
  StreamHandle stream_;
  absl::Status status_;
};

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

// All of the memory must be the same.
absl::Status Compare(const Round& round, const std::string& name) {
  const Bytes& expected = round.original.after;
  const Bytes& actual = round.replaced.after;
  const ProbeLayout& layout = round.original.layout;
  if (!WasWritten(layout.image, round.original.base, expected)) {
    return absl::InternalError(
        absl::StrCat("the quantizer of ", name, " left no image"));
  }
  const auto [e, a] =
      std::mismatch(expected.begin(), expected.end(), actual.begin());
  if (e == expected.end()) return absl::OkStatus();
  const auto offset = static_cast<std::uint64_t>(e - expected.begin());
  return absl::DataLossError(absl::StrCat(
      "probe_mismatch: ", PlaceOf(layout, round.original.base + offset), " of ",
      name, " is ", Hex(*a), ", not ", Hex(*e)));
}

// As many rounds at once as memory of this size has room for.
constexpr std::uint64_t kBatchBytes = std::uint64_t{1} << 26;

absl::Status TryAll(const Driver& driver, const Functions& functions,
                    const Graph& graph, NodeId producer, NodeId quantizer,
                    std::uint64_t bytes, int rounds) {
  const RelaxedCapture relaxed(driver);
  const std::uint64_t pitch = (bytes + 255) / 256 * 256;
  const auto batch = static_cast<int>(std::clamp<std::uint64_t>(
      kBatchBytes / (2 * pitch), 1, static_cast<std::uint64_t>(rounds)));
  absl::StatusOr<DeviceArena> memory = DeviceArena::Create(
      driver, 2 * pitch * static_cast<std::uint64_t>(batch));
  if (!memory.ok()) return memory.status();
  absl::StatusOr<DeviceWork> work = DeviceWork::Begin(driver);
  if (!work.ok()) return work.status();
  for (int first = 0; first < rounds; first += batch) {
    std::vector<Round> tries(
        static_cast<std::size_t>(std::min(batch, rounds - first)));
    std::uint64_t base = memory->allocation().address;
    int number = first;
    for (Round& round : tries) {
      for (Attempt* attempt : {&round.original, &round.replaced}) {
        absl::StatusOr<ProbeLayout> layout =
            LayOutProbe(graph, producer, quantizer, base);
        if (!layout.ok()) return layout.status();
        attempt->layout = *std::move(layout);
        attempt->base = base;
        base += pitch;
      }
      round.before =
          InputsOf(round.original.layout, number++, round.original.base);
    }
    if (absl::Status s = work->Run(functions, tries); !s.ok()) return s;
    for (const Round& round : tries) {
      const absl::Status same = Compare(round, Named(graph, producer));
      if (!same.ok()) return same;
    }
  }
  return absl::OkStatus();
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
      TryAll(driver_, functions, graph, producer, quantizer, layout->bytes,
             ProbeRounds(layout->inputs.size()));
  // An error of a call says nothing about the bytes.
  if (status.ok() || absl::IsDataLoss(status)) known_[key] = status;
  return status;
}

void EmissionProbe::Forget() {
  ++forgotten_;
  const std::lock_guard lock(mutex_);
  known_.clear();
}

}  // namespace reprise
