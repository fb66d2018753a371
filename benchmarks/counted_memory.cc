#include "benchmarks/counted_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

std::size_t held = 0;
std::size_t highest = 0;

}  // namespace

// The allocator's own block sizes are counted, so that delete needs no header.
void* operator new(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  held += malloc_usable_size(block);
  highest = std::max(highest, held);
  return block;
}

void operator delete(void* block) noexcept {
  held -= malloc_usable_size(block);
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace reprise {

CountedMemory::CountedMemory() : held_before_(held) { highest = held; }

std::size_t CountedMemory::peak_bytes() const { return highest - held_before_; }

}  // namespace reprise
