// Device memory and its owner.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_MEMORY_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_MEMORY_H_

#include <cstddef>
#include <memory>

#include "tests/victims/engine/device.h"

namespace victims {

struct FreeMemory {
  void operator()(void* memory) const { Free(memory); }
};

// Zeros at first.
template <typename T>
class Memory {
 public:
  explicit Memory(std::size_t count)
      : data_(static_cast<T*>(Allocate(count * sizeof(T)))), count_(count) {}

  T* data() const { return data_.get(); }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  std::unique_ptr<T, FreeMemory> data_;
  std::size_t count_;
};

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_MEMORY_H_
