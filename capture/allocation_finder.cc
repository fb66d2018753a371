#include "capture/allocation_finder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "absl/algorithm/container.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

// A 64-bit process has its device memory above the lowest 4 GiB and below the
// 57 bits that a processor can address. This leaves out null, counts and
// strides, negative numbers, and pairs of floats.
constexpr std::uint64_t kLowestAddress = std::uint64_t{1} << 32;
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 57;

}  // namespace

AllocationFinder::AllocationFinder(const Driver& driver,
                                   absl::Span<const Allocation> known)
    : driver_(driver), found_(known.begin(), known.end()) {
  const auto by_address = [](const Allocation& a, const Allocation& b) {
    return a.address < b.address;
  };
  const auto same_address = [](const Allocation& a, const Allocation& b) {
    return a.address == b.address;
  };
  absl::c_stable_sort(found_, by_address);
  found_.erase(std::unique(found_.begin(), found_.end(), same_address),
               found_.end());
}

absl::StatusOr<bool> AllocationFinder::KnownAreTheSame() const {
  for (const Allocation& known : found_) {
    const absl::StatusOr<Allocation> now = Ask(known.address);
    if (!now.ok()) return now.status();
    if (*now != known) return false;
  }
  return true;
}

absl::Status AllocationFinder::Visit(std::uint64_t address) {
  if (address < kLowestAddress || address >= kAddressEnd || IsKnown(address) ||
      misses_.contains(address)) {
    return absl::OkStatus();
  }
  const absl::StatusOr<Allocation> asked = Ask(address);
  if (!asked.ok()) return asked.status();
  if (asked->bytes > 0) {
    Add(*asked);
  } else {
    misses_.insert(address);
  }
  return absl::OkStatus();
}

absl::StatusOr<Allocation> AllocationFinder::Ask(std::uint64_t address) const {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const CUresult result = driver_.MemGetAddressRange(&base, &bytes, address);
  if (result == CUDA_SUCCESS) {
    return Allocation{.address = base, .bytes = bytes};
  }
  if (result == CUDA_ERROR_NOT_FOUND || result == CUDA_ERROR_INVALID_VALUE) {
    return Allocation{};
  }
  return CudaStatus(driver_, result, "cuMemGetAddressRange");
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

void AllocationFinder::Add(const Allocation& allocation) {
  const auto after = After(allocation.address);
  if (after != found_.begin() &&
      std::prev(after)->address == allocation.address) {
    return;
  }
  found_.insert(after, allocation);
}

bool AllocationFinder::IsKnown(std::uint64_t address) const {
  const auto after = After(address);
  if (after == found_.begin()) return false;
  const Allocation& before = *std::prev(after);
  return address - before.address < before.bytes;
}

std::vector<Allocation>::const_iterator AllocationFinder::After(
    std::uint64_t address) const {
  return std::upper_bound(
      found_.begin(), found_.end(), address,
      [](std::uint64_t a, const Allocation& b) { return a < b.address; });
}

}  // namespace reprise
