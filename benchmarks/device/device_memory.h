// Device memory and what benchmarks put into it: never zeros, on which a device
// runs faster than on what users have.
#ifndef REPRISE_BENCHMARKS_DEVICE_DEVICE_MEMORY_H_
#define REPRISE_BENCHMARKS_DEVICE_DEVICE_MEMORY_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace reprise {

class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes);

  template <typename T>
  T* As() const {
    return static_cast<T*>(memory_.get());
  }

 private:
  struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<void, Free> memory_;
};

DeviceMemory Uploaded(std::span<const std::byte> bytes);

// Uniform in [-1, 1). The same floats for the same seed.
DeviceMemory RandomFloats(std::size_t count, std::uint32_t seed);

// One allocation whose random bytes serve as the weights of every row. They
// mean nothing, but a kernel takes its time from where bytes lie, not from what
// they say.
class WeightPool {
 public:
  explicit WeightPool(std::size_t bytes);

  // The weights number `index` where each takes `bytes`. Different indices do
  // not overlap and start on a 256-byte border, as allocations do.
  const std::byte* Weights(std::size_t index, std::size_t bytes) const;

  // What `count` weights of `bytes` take in the pool.
  static std::size_t Bytes(std::size_t count, std::size_t bytes);

 private:
  std::size_t bytes_;
  DeviceMemory memory_;
};

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_DEVICE_MEMORY_H_
