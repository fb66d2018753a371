// FNV-1a of 64 bits, over device memory.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_DIGEST_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_DIGEST_H_

#include <cstdint>
#include <vector>

#include "tests/victims/engine/device.h"
#include "tests/victims/engine/memory.h"

namespace victims {

class Digest {
 public:
  template <typename T>
  void Add(const Memory<T>& memory) {
    std::vector<std::uint8_t> bytes(memory.bytes());
    Read(bytes.data(), memory.data(), bytes.size());
    for (const std::uint8_t byte : bytes) {
      value_ = (value_ ^ byte) * 0x100000001b3u;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_DIGEST_H_
