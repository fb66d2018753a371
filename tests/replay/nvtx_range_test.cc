// Ranges that no tool listens to: this program must be one that has none.
#include "replay/nvtx_range.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace reprise {
namespace {

TEST(NvtxRange, AllocatesNothingAfterTheFirst) {
  { const NvtxRange first(Phase::kCapture); }
  const std::size_t before = allocations;
  for (int replay = 0; replay < 1000; ++replay) {
    NvtxRange outer(Phase::kReplay);
    const NvtxRange inner(Phase::kUpdate);
    outer.MarkNodes(647, 591);
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace reprise
