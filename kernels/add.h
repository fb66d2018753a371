// output = a + b, value by value.
//
// Shapes   `count` floats each, dense. The output may be a or b itself.
// Cost     reads 8 bytes a value, writes 4.
// Symbol   reprise_add
#ifndef REPRISE_KERNELS_ADD_H_
#define REPRISE_KERNELS_ADD_H_

#include <cstdint>

#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr std::uint32_t kAddThreads = 256;

struct AddParams {
  const float* a = nullptr;
  const float* b = nullptr;
  float* output = nullptr;
  std::int64_t count = 0;
};
static_assert(sizeof(AddParams) == 32);

constexpr LaunchShape AddShape(const AddParams& params) {
  return {{GroupsOf(kAddThreads, params.count), 1, 1}, {kAddThreads, 1, 1}};
}

void AddHost(const AddParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_ADD_H_
