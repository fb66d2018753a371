#include "replay/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;

TEST(HostMemory, GivesTheSameAddressesToTheSameCalls) {
  HostMemory a;
  HostMemory b;
  for (HostMemory* memory : {&a, &b}) {
    memory->Add("first", 5000);
    memory->Add("second", 16);
  }
  const std::uint64_t first = HostMemory::kFirstAddress;
  EXPECT_EQ(a.stretches()[0].allocation, (Allocation{first, 5000}));
  EXPECT_EQ(a.stretches()[1].allocation, b.stretches()[1].allocation);
  EXPECT_EQ(a.stretches()[1].allocation.address % HostMemory::kAlignment, 0u);
  EXPECT_GE(a.stretches()[1].allocation.address, first + 5000);
}

TEST(HostMemory, BeginsWhereItIsTold) {
  HostMemory memory(0x7000);
  EXPECT_EQ(memory.Add("a", 1).address, 0x7000u);
  EXPECT_EQ(memory.Add("b", 1).address, 0x7000 + 2 * HostMemory::kAlignment);
}

TEST(HostMemory, HasAddressesWithoutBytesWhereTheyAreReserved) {
  HostMemory a;
  HostMemory b;
  a.Add("first", 5000);
  b.Reserve("first", 5000);
  const Allocation second = b.Add("second", 16);
  EXPECT_EQ(a.Add("second", 16), second);
  const std::uint64_t reserved = HostMemory::kFirstAddress;
  EXPECT_NE(b.Find(reserved, 5000), nullptr);
  EXPECT_THAT(b.Translate(reserved, 1),
              HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(b.Read(reserved, 1), HasText("'first' is reserved"));
  EXPECT_OK(b.Read(second.address, 16));
}

TEST(HostMemory, TranslatesOnlyWhatLiesInOneStretch) {
  HostMemory memory;
  const Allocation a = memory.Add("weights", HostMemory::kAlignment);
  memory.Add("cache", 64);
  ASSERT_OK(memory.Translate(a.address, a.bytes));
  ASSERT_OK(memory.Translate(a.end() - 1, 1));
  const auto past = memory.Translate(a.end() - 1, 2);
  EXPECT_THAT(past, HasCode(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(past, HasText("2 bytes at 0x1000000fff"));
  EXPECT_THAT(past, HasText("'weights', 0x1000000000 to 0x1000001000"));
  EXPECT_THAT(memory.Translate(0x10, 1), HasText("no stretch starts below"));
  EXPECT_THAT(memory.Translate(a.address, ~std::uint64_t{0}),
              HasCode(absl::StatusCode::kOutOfRange));
}

TEST(HostMemory, StretchesNeverTouch) {
  HostMemory memory;
  const Allocation a = memory.Add("a", HostMemory::kAlignment);
  memory.Add("b", 1);
  EXPECT_EQ(memory.Find(a.end(), 1), nullptr);
}

TEST(HostMemory, ReadsWhatWasWritten) {
  HostMemory memory;
  const Allocation a = memory.Add("a", 8);
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  ASSERT_OK(memory.Write(a.address + 5, bytes));
  EXPECT_EQ(*memory.Read(a.address + 5, 3), bytes);
  EXPECT_EQ(*memory.Read(a.address, 2), std::vector<std::uint8_t>(2));
  EXPECT_THAT(memory.Write(a.address + 6, bytes), HasText("0x1000000006"));
  EXPECT_THAT(memory.Read(a.end(), 1), HasCode(absl::StatusCode::kOutOfRange));
}

TEST(HostMemory, ACloneHasItsOwnBytes) {
  HostMemory memory;
  const Allocation a = memory.Add("a", 1);
  HostMemory clone = memory.Clone();
  ASSERT_OK(clone.Write(a.address, {7}));
  EXPECT_EQ(memory.stretches()[0].bytes[0], 0);
  EXPECT_EQ(clone.stretches()[0].bytes[0], 7);
}

TEST(HostMemory, KeepsPointersWhenItGrowsOrMoves) {
  HostMemory memory;
  const Allocation a = memory.Add("a", 1);
  std::uint8_t* const pointer = *memory.Translate(a.address, 1);
  for (int i = 0; i < 100; ++i) memory.Add("more", 1);
  HostMemory moved = std::move(memory);
  EXPECT_EQ(*moved.Translate(a.address, 1), pointer);
}

}  // namespace
}  // namespace reprise
