#include "capture/allocation_finder.h"

#include <cstddef>
#include <cstring>
#include <iterator>

#include "driver/cuda_status.h"

namespace reprise {
namespace {

// A 64-bit process has its device memory above the lowest 4 GiB and below the
// 57 bits that a processor can address. This leaves out null, counts and
// strides, negative numbers, and pairs of floats.
constexpr std::uint64_t kLowestAddress = std::uint64_t{1} << 32;
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 57;

}  // namespace

absl::Status AllocationFinder::Visit(std::uint64_t address) {
  if (address < kLowestAddress || address >= kAddressEnd || IsKnown(address) ||
      misses_.contains(address)) {
    return absl::OkStatus();
  }
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const CUresult result = driver_.MemGetAddressRange(&base, &bytes, address);
  if (result == CUDA_SUCCESS) {
    found_.emplace(base, Allocation{.address = base, .bytes = bytes});
    return absl::OkStatus();
  }
  if (result != CUDA_ERROR_NOT_FOUND && result != CUDA_ERROR_INVALID_VALUE) {
    return CudaStatus(driver_, result, "cuMemGetAddressRange");
  }
  misses_.insert(address);
  return absl::OkStatus();
}

absl::Status AllocationFinder::VisitWords(
    absl::Span<const std::uint8_t> bytes) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (absl::Status s = Visit(word); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void AllocationFinder::AddTo(Graph& graph) const {
  for (const auto& [address, allocation] : found_) {
    graph.AddAllocation(allocation);
  }
}

bool AllocationFinder::IsKnown(std::uint64_t address) const {
  const auto after = found_.upper_bound(address);
  if (after == found_.begin()) return false;
  const Allocation& before = std::prev(after)->second;
  return address - before.address < before.bytes;
}

}  // namespace reprise
