// How many threads a kernel runs on, as plain arithmetic: the same numbers
// serve a launch, a recorded node and a test that has no GPU.
//
// A grid with a zero extent means that there is nothing to do; such a shape is
// skipped, never launched. Nothing here checks device limits: grid[0] may reach
// 2^31 - 1, grid[1] and grid[2] 65,535.
#ifndef REPRISE_KERNELS_LAUNCH_SHAPE_H_
#define REPRISE_KERNELS_LAUNCH_SHAPE_H_

#include <cstdint>

namespace reprise {

inline constexpr std::uint32_t kWarpThreads = 32;

struct LaunchShape {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t shared_bytes = 0;

  constexpr bool empty() const {
    return grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
  }

  friend constexpr bool operator==(const LaunchShape&,
                                   const LaunchShape&) = default;
};

// An extent as the launch takes it. A negative count is nothing to do.
constexpr std::uint32_t Extent(std::int64_t count) {
  return count > 0 ? static_cast<std::uint32_t>(count) : 0;
}

// The groups of `size` that cover `count` items. REQUIRES: size > 0.
constexpr std::uint32_t GroupsOf(std::int64_t size, std::int64_t count) {
  return count > 0 ? Extent((count - 1) / size + 1) : 0;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_LAUNCH_SHAPE_H_
