#include "examples/decoder/liveness_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace reprise::decoder {
namespace {

constexpr std::uint64_t kBase = 0x10000;

TEST(LivenessAllocator, TakesTheSmallestFreeBlockThatFits) {
  LivenessAllocator allocator(kBase);
  const auto large = allocator.Take(1024);
  allocator.Take(256);
  const auto small = allocator.Take(512);
  allocator.Take(256);
  allocator.Release(large);
  allocator.Release(small);
  EXPECT_EQ(allocator.Take(300), small);
  EXPECT_EQ(allocator.Take(512), large);
  EXPECT_EQ(allocator.Take(512), large + 512);
  EXPECT_EQ(allocator.bytes(), 2048u);
}

TEST(LivenessAllocator, JoinsFreeNeighboursOnBothSides) {
  LivenessAllocator allocator(kBase);
  const auto a = allocator.Take(256);
  const auto b = allocator.Take(256);
  const auto c = allocator.Take(256);
  allocator.Take(256);
  allocator.Release(a);
  allocator.Release(c);
  allocator.Release(b);
  EXPECT_EQ(allocator.Take(768), a);
}

TEST(LivenessAllocator, GrowsTheFreeBlockAtTheEnd) {
  LivenessAllocator allocator(kBase);
  allocator.Take(256);
  const auto last = allocator.Take(256);
  allocator.Release(last);
  EXPECT_EQ(allocator.Take(1024), last);
  EXPECT_EQ(allocator.bytes(), 1280u);
}

TEST(LivenessAllocator, HoldsReleasedBlocksBackUntilTheJoin) {
  LivenessAllocator allocator(kBase);
  const auto a = allocator.Take(256);
  allocator.Fork();
  allocator.Release(a);
  EXPECT_NE(allocator.Take(256), a);
  allocator.Join();
  EXPECT_EQ(allocator.Take(256), a);
}

TEST(LivenessAllocator, NeverHandsOutBytesThatAreTaken) {
  std::mt19937 random(7);
  LivenessAllocator allocator(kBase);
  std::map<std::uint64_t, std::uint64_t> live;  // end by begin
  for (int step = 0; step < 5000; ++step) {
    if (!live.empty() && random() % 2 == 0) {
      const auto gone = std::next(
          live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      allocator.Release(gone->first);
      live.erase(gone);
      continue;
    }
    const std::uint64_t bytes = random() % 5000 + 1;
    const std::uint64_t begin = allocator.Take(bytes);
    ASSERT_EQ(begin % LivenessAllocator::kAlignment, 0u);
    ASSERT_LE(begin + bytes, kBase + allocator.bytes());
    const auto next = live.upper_bound(begin);
    ASSERT_TRUE(next == live.end() || begin + bytes <= next->first);
    ASSERT_TRUE(next == live.begin() || std::prev(next)->second <= begin);
    live.emplace(begin, begin + bytes);
  }
}

}  // namespace
}  // namespace reprise::decoder
