// Repeatable floats: the same on every library, which std distributions are
// not.
#ifndef REPRISE_TESTS_KERNELS_RANDOM_FLOATS_H_
#define REPRISE_TESTS_KERNELS_RANDOM_FLOATS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace reprise {

class RandomFloats {
 public:
  explicit RandomFloats(std::uint32_t seed) : bits_(seed) {}

  std::uint32_t Bits() { return static_cast<std::uint32_t>(bits_()); }

  // In [-1, 1), a multiple of 2^-23.
  float Next() { return static_cast<float>(Bits() >> 8) * 0x1p-23f - 1.0f; }

  std::vector<float> Row(std::size_t count, float scale = 1.0f) {
    std::vector<float> row(count);
    for (float& value : row) value = scale * Next();
    return row;
  }

 private:
  std::mt19937 bits_;
};

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_RANDOM_FLOATS_H_
