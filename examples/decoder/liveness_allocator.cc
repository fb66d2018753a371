#include "examples/decoder/liveness_allocator.h"

#include <algorithm>
#include <iterator>

namespace reprise::decoder {

std::uint64_t LivenessAllocator::Take(std::uint64_t bytes) {
  const std::uint64_t size =
      std::max<std::uint64_t>(1, (bytes + kAlignment - 1) / kAlignment) *
      kAlignment;
  const auto fit = BestFit(size);
  std::uint64_t address = end_;
  if (fit != free_.end()) {
    address = fit->first;
    const std::uint64_t rest = fit->second - size;
    free_.erase(fit);
    if (rest > 0) free_.emplace(address + size, rest);
  } else {
    // What is free at the end grows rather than staying behind.
    const auto last = free_.empty() ? free_.end() : std::prev(free_.end());
    if (last != free_.end() && last->first + last->second == end_) {
      address = last->first;
      free_.erase(last);
    }
    end_ = address + size;
  }
  taken_.emplace(address, size);
  return address;
}

void LivenessAllocator::Release(std::uint64_t address) {
  if (forked_) {
    held_.push_back(address);
    return;
  }
  const auto block = taken_.find(address);
  const std::uint64_t bytes = block->second;
  taken_.erase(block);
  Free(address, bytes);
}

void LivenessAllocator::Join() {
  forked_ = false;
  for (std::uint64_t address : held_) Release(address);
  held_.clear();
}

LivenessAllocator::Blocks::iterator LivenessAllocator::BestFit(
    std::uint64_t bytes) {
  auto best = free_.end();
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    if (block->second < bytes) continue;
    if (best == free_.end() || block->second < best->second) best = block;
  }
  return best;
}

void LivenessAllocator::Free(std::uint64_t address, std::uint64_t bytes) {
  const auto next = free_.lower_bound(address);
  if (next != free_.end() && address + bytes == next->first) {
    bytes += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(address);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(address, bytes);
}

}  // namespace reprise::decoder
