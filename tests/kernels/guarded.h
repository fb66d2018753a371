// A buffer full of 0xFF bytes between two guards of the same: what a kernel
// forgot to write stays poisoned, and what it wrote too far shows in a guard.
#ifndef REPRISE_TESTS_KERNELS_GUARDED_H_
#define REPRISE_TESTS_KERNELS_GUARDED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace reprise {

template <typename T>
class Guarded {
 public:
  explicit Guarded(std::int64_t count)
      : items_(static_cast<std::size_t>(count) + 2 * kGuard) {
    std::memset(static_cast<void*>(items_.data()), 0xFF,
                items_.size() * sizeof(T));
  }

  T* data() { return items_.data() + kGuard; }
  const T* data() const { return items_.data() + kGuard; }
  std::size_t size() const { return items_.size() - 2 * kGuard; }
  T& operator[](std::int64_t i) { return data()[i]; }
  const T& operator[](std::int64_t i) const { return data()[i]; }

  std::vector<std::uint8_t> bytes() const { return Bytes(kGuard, size()); }

  bool guards_intact() const {
    return IsPoison(Bytes(0, kGuard)) &&
           IsPoison(Bytes(kGuard + size(), kGuard));
  }
  bool untouched() const { return IsPoison(Bytes(0, items_.size())); }

 private:
  static constexpr std::size_t kGuard = 64;

  static bool IsPoison(const std::vector<std::uint8_t>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(),
                       [](std::uint8_t byte) { return byte == 0xFF; });
  }

  std::vector<std::uint8_t> Bytes(std::size_t first, std::size_t count) const {
    std::vector<std::uint8_t> bytes(count * sizeof(T));
    std::memcpy(bytes.data(), items_.data() + first, bytes.size());
    return bytes;
  }

  std::vector<T> items_;
};

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_GUARDED_H_
