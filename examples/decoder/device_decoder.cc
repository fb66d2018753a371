#include "examples/decoder/device_decoder.h"

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "driver/cuda_status.h"
#include "examples/decoder/device_handles.h"

namespace reprise::decoder {
namespace {

// From the first address to where a next stretch would lie. Where things lie
// does not depend on what the weights are, so that none are made.
absl::StatusOr<std::uint64_t> ExtentOf(Options options) {
  options.distinct_rows = 1;
  const absl::StatusOr<Decoder> decoder = Build(options);
  if (!decoder.ok()) return decoder.status();
  return decoder->memory.next_address() - HostMemory::kFirstAddress;
}

std::uint64_t Aligned(std::uint64_t address) {
  constexpr std::uint64_t kAlignment = HostMemory::kAlignment;
  return (address + kAlignment - 1) / kAlignment * kAlignment;
}

template <typename T>
absl::Span<const std::uint8_t> AsBytes(const std::vector<T>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()),
          values.size() * sizeof(T)};
}

}  // namespace

absl::StatusOr<DeviceDecoder> DeviceDecoder::Create(const Driver& driver,
                                                    const Options& options,
                                                    Dependency dependency) {
  const absl::StatusOr<std::uint64_t> extent = ExtentOf(options);
  if (!extent.ok()) return extent.status();
  absl::StatusOr<DeviceArena> block =
      DeviceArena::Create(driver, *extent + HostMemory::kAlignment);
  if (!block.ok()) return block.status();
  absl::StatusOr<Decoder> program =
      Build(options, Aligned(block->allocation().address));
  if (!program.ok()) return program.status();
  absl::StatusOr<DeviceStep> step =
      DeviceStep::Create(program->graph, dependency);
  if (!step.ok()) return step.status();
  DeviceDecoder decoder(driver, *std::move(block), *std::move(program),
                        *std::move(step));

  // The first launch of a kernel loads it.
  const absl::StatusOr<OwnedStream> stream = MakeStream();
  if (!stream.ok()) return stream.status();
  CUstream on = stream->get();
  if (absl::Status s = decoder.Reset(on); !s.ok()) return s;
  if (absl::Status s = decoder.Step(on); !s.ok()) return s;
  if (absl::Status s = decoder.Reset(on); !s.ok()) return s;
  return decoder;
}

absl::Status DeviceDecoder::Reset(CUstream stream) {
  for (const HostMemory::Stretch& stretch : program_.memory.stretches()) {
    if (stretch.bytes.empty()) continue;
    absl::Status copied =
        Upload(stretch.allocation.address, stretch.bytes, stream);
    if (!copied.ok()) return copied;
  }
  for (const Tile& tile : program_.tensors.tiles) {
    if (absl::Status s = Repeat(tile, stream); !s.ok()) return s;
  }
  return Wait(stream);
}

absl::Status DeviceDecoder::SetInputs(const Inputs& inputs, CUstream stream) {
  const Tensors& tensors = program_.tensors;
  absl::Status s = Upload(tensors.tokens, AsBytes(inputs.tokens), stream);
  if (!s.ok()) return s;
  s = Upload(tensors.positions, AsBytes(inputs.positions), stream);
  if (!s.ok()) return s;
  return Wait(stream);
}

absl::StatusOr<std::vector<float>> DeviceDecoder::Logits(
    CUstream stream) const {
  const Rows& logits = program_.tensors.logits;
  std::vector<float> floats(
      static_cast<std::size_t>(logits.rows * logits.columns));
  const CUresult copied = driver_->MemcpyDtoHAsync(
      floats.data(), logits.address, AsBytes(floats).size(), stream);
  if (copied != CUDA_SUCCESS) {
    return CudaStatus(*driver_, copied, "read the logits");
  }
  if (absl::Status s = Wait(stream); !s.ok()) return s;
  return floats;
}

absl::Status DeviceDecoder::Upload(CUdeviceptr target,
                                   absl::Span<const std::uint8_t> bytes,
                                   CUstream stream) const {
  return CudaStatus(
      *driver_,
      driver_->MemcpyHtoDAsync(target, bytes.data(), bytes.size(), stream),
      "write to the decoder");
}

// What is there already is copied behind itself.
absl::Status DeviceDecoder::Repeat(const Tile& tile, CUstream stream) const {
  const CUdeviceptr target = tile.target.address;
  if (absl::Status s = Upload(target, tile.bytes, stream); !s.ok()) return s;
  std::uint64_t filled = tile.bytes.size();
  while (filled < tile.target.bytes) {
    const std::uint64_t more = std::min(filled, tile.target.bytes - filled);
    const CUresult copied =
        driver_->MemcpyDtoDAsync(target + filled, target, more, stream);
    if (copied != CUDA_SUCCESS) {
      return CudaStatus(*driver_, copied, "repeat the weights");
    }
    filled += more;
  }
  return absl::OkStatus();
}

absl::Status DeviceDecoder::Wait(CUstream stream) const {
  return CudaStatus(*driver_, driver_->StreamSynchronize(stream),
                    "wait for the decoder");
}

}  // namespace reprise::decoder
