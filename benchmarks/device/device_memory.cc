#include "benchmarks/device/device_memory.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/device/failure.h"

namespace reprise {
namespace {

constexpr std::size_t kBorder = 256;

std::size_t UpToBorder(std::size_t bytes) {
  return (bytes + kBorder - 1) / kBorder * kBorder;
}

// A random piece is made on the host and doubled on the device: a cache goes by
// addresses, so copies stream like everything else.
constexpr std::size_t kRandomWords = 1 << 20;

// A copy may return early, and streams that are captured do not wait for it.
void Finish() {
  CheckCuda(cudaStreamSynchronize(nullptr), "copy to the device");
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes) {
  void* memory = nullptr;
  CheckCuda(cudaMalloc(&memory, bytes),
            "allocate " + std::to_string(bytes) + " bytes");
  memory_.reset(memory);
}

DeviceMemory Uploaded(std::span<const std::byte> bytes) {
  DeviceMemory memory(bytes.size());
  CheckCuda(cudaMemcpy(memory.As<void>(), bytes.data(), bytes.size(),
                       cudaMemcpyHostToDevice),
            "copy to the device");
  Finish();
  return memory;
}

DeviceMemory RandomFloats(std::size_t count, std::uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> floats(count);
  std::ranges::generate(floats, [&rng] {
    return static_cast<float>(rng() >> 8) * 0x1p-23f - 1.0f;
  });
  return Uploaded(std::as_bytes(std::span(floats)));
}

WeightPool::WeightPool(std::size_t bytes) : bytes_(bytes), memory_(bytes) {
  std::mt19937_64 rng(1);
  std::vector<std::uint64_t> words(kRandomWords);
  std::ranges::generate(words, rng);
  std::byte* const pool = memory_.As<std::byte>();
  std::size_t filled = std::min(bytes, words.size() * sizeof(words[0]));
  CheckCuda(cudaMemcpy(pool, words.data(), filled, cudaMemcpyHostToDevice),
            "fill the weights");
  while (filled < bytes) {
    const std::size_t more = std::min(filled, bytes - filled);
    CheckCuda(cudaMemcpy(pool + filled, pool, more, cudaMemcpyDeviceToDevice),
              "fill the weights");
    filled += more;
  }
  Finish();
}

const std::byte* WeightPool::Weights(std::size_t index,
                                     std::size_t bytes) const {
  if (Bytes(index + 1, bytes) > bytes_) Fail("the weight pool is too small");
  return memory_.As<std::byte>() + index * UpToBorder(bytes);
}

std::size_t WeightPool::Bytes(std::size_t count, std::size_t bytes) {
  return count * UpToBorder(bytes);
}

}  // namespace reprise
