// Counts what operator new hands out, for benchmarks that report memory. The
// program that links counted_memory.cc has its operator new replaced.
#ifndef REPRISE_BENCHMARKS_COUNTED_MEMORY_H_
#define REPRISE_BENCHMARKS_COUNTED_MEMORY_H_

#include <cstddef>

namespace reprise {

// Watches from its construction on. One at a time; single thread.
class CountedMemory {
 public:
  CountedMemory();
  // The most bytes held at once above what was held at construction.
  std::size_t peak_bytes() const;

 private:
  std::size_t held_before_;
};

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_COUNTED_MEMORY_H_
