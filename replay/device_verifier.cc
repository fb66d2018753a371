#include "replay/device_verifier.h"

#include <algorithm>
#include <cstring>

#include "driver/cuda_status.h"
#include "kernels/compare_bytes.h"
#include "replay/dropped_floats.h"
#include "replay/schedule.h"
#include "replay/written_ranges.h"

namespace reprise {
namespace {

constexpr std::uint64_t kPieceBytes = 16;
constexpr std::uint8_t kPoison = 0xA5;

using Bytes = std::vector<std::uint8_t>;

}  // namespace

absl::StatusOr<DeviceVerifier> DeviceVerifier::Create(
    const Driver& driver, const Graph& captured, std::vector<NodeId> dropped) {
  absl::StatusOr<std::vector<Allocation>> written = WrittenRanges(captured);
  if (!written.ok()) return written.status();
  absl::StatusOr<std::vector<NodeId>> order = ScheduleOf(captured);
  if (!order.ok()) return order.status();
  std::vector<Allocation> floats = DroppedFloats(captured, *order, dropped);
  absl::StatusOr<Comparison> comparison =
      Comparison::Of(captured, std::move(dropped));
  if (!comparison.ok()) return comparison.status();

  DeviceVerifier verifier(driver, *std::move(comparison));
  verifier.dropped_floats_ = std::move(floats);
  std::uint64_t bytes = 0;
  for (const Allocation& range : *written) {
    const std::uint64_t offset = bytes + range.address % kPieceBytes;
    verifier.saved_.push_back({range, offset});
    bytes =
        (offset + range.bytes + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
  }
  struct Part {
    DeviceArena* arena;
    std::uint64_t bytes;
  };
  for (const Part& part :
       {Part{&verifier.start_, bytes}, Part{&verifier.expected_, bytes},
        Part{&verifier.different_, sizeof(std::uint32_t)}}) {
    absl::StatusOr<DeviceArena> arena = DeviceArena::Create(driver, part.bytes);
    if (!arena.ok()) return arena.status();
    *part.arena = *std::move(arena);
  }
  return verifier;
}

Verification DeviceVerifier::Run(const VerifiedLaunches& launches,
                                 CUstream stream) {
  absl::Status saved = Save(start_, stream);
  const absl::Status done = launches.original(stream);
  if (!done.ok()) return {done, done};
  if (saved.ok()) saved = Save(expected_, stream);
  if (!saved.ok()) return {done, saved};
  absl::StatusOr<std::optional<Difference>> difference =
      Compare(launches, stream);
  if (difference.ok() && !difference->has_value()) return {done, difference};
  return {Restore(expected_, stream), difference};
}

// Leaves in memory what the rewritten one does.
absl::StatusOr<std::optional<Difference>> DeviceVerifier::Compare(
    const VerifiedLaunches& launches, CUstream stream) const {
  if (absl::Status s = Restore(start_, stream); !s.ok()) return s;
  if (absl::Status s = Poison(launches.arena, stream); !s.ok()) return s;
  for (const Allocation& floats : dropped_floats_) {
    if (absl::Status s = Poison(floats, stream); !s.ok()) return s;
  }
  if (absl::Status s = launches.rewritten(stream); !s.ok()) return s;
  // Where the device cannot compare, the host does, which also finds the byte.
  const absl::StatusOr<bool> same = LeftTheSame(stream);
  if (same.ok() && *same) return std::nullopt;
  return Blame(stream);
}

absl::Status DeviceVerifier::Poison(const Allocation& range,
                                    CUstream stream) const {
  if (range.bytes == 0) return absl::OkStatus();
  return CudaStatus(
      *driver_,
      driver_->MemsetD8Async(range.address, kPoison, range.bytes, stream),
      "fill what the rewritten graph may not read with a pattern");
}

absl::Status DeviceVerifier::Save(const DeviceArena& copy,
                                  CUstream stream) const {
  for (const Saved& saved : saved_) {
    const CUresult result = driver_->MemcpyDtoDAsync(
        copy.allocation().address + saved.offset, saved.range.address,
        saved.range.bytes, stream);
    if (result != CUDA_SUCCESS) {
      return CudaStatus(*driver_, result, "save what the graph writes");
    }
  }
  return absl::OkStatus();
}

absl::Status DeviceVerifier::Restore(const DeviceArena& copy,
                                     CUstream stream) const {
  for (const Saved& saved : saved_) {
    const CUresult result = driver_->MemcpyDtoDAsync(
        saved.range.address, copy.allocation().address + saved.offset,
        saved.range.bytes, stream);
    if (result != CUDA_SUCCESS) {
      return CudaStatus(*driver_, result, "restore what the graph writes");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> DeviceVerifier::LeftTheSame(CUstream stream) const {
  const CUdeviceptr flag = different_.allocation().address;
  std::uint32_t different = 0;
  CUresult result = driver_->MemsetD8Async(flag, 0, sizeof different, stream);
  for (const Saved& saved : saved_) {
    for (const Allocation& part : comparison_.ComparedParts(saved.range)) {
      const std::uint64_t expected = expected_.allocation().address +
                                     saved.offset + part.address -
                                     saved.range.address;
      const cudaError_t launched = CompareBytesOnStream(
          {reinterpret_cast<const std::uint8_t*>(expected),
           reinterpret_cast<const std::uint8_t*>(part.address),
           static_cast<std::int64_t>(part.bytes),
           reinterpret_cast<std::uint32_t*>(flag)},
          stream);
      if (launched != cudaSuccess) return CudaStatus(launched, "compare bytes");
    }
  }
  if (result == CUDA_SUCCESS) {
    result =
        driver_->MemcpyDtoHAsync(&different, flag, sizeof different, stream);
  }
  if (result == CUDA_SUCCESS) result = driver_->StreamSynchronize(stream);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(*driver_, result, "compare what both graphs left");
  }
  return different == 0;
}

absl::StatusOr<std::optional<Difference>> DeviceVerifier::Blame(
    CUstream stream) const {
  std::vector<Bytes> expected;
  std::vector<Bytes> actual;
  std::vector<BytePair> pairs;
  for (const Saved& saved : saved_) {
    for (std::vector<Bytes>* bytes : {&expected, &actual}) {
      const CUdeviceptr from =
          bytes == &actual ? saved.range.address
                           : expected_.allocation().address + saved.offset;
      bytes->emplace_back(saved.range.bytes);
      const CUresult result = driver_->MemcpyDtoHAsync(
          bytes->back().data(), from, saved.range.bytes, stream);
      if (result != CUDA_SUCCESS) {
        return CudaStatus(*driver_, result, "read what both graphs left");
      }
    }
  }
  const CUresult result = driver_->StreamSynchronize(stream);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(*driver_, result, "read what both graphs left");
  }
  for (std::size_t i = 0; i < saved_.size(); ++i) {
    pairs.push_back({saved_[i].range, expected[i], actual[i]});
  }
  return comparison_.Find(pairs);
}

}  // namespace reprise
