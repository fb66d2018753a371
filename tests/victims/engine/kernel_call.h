// A launch of one of the engine's kernels as data, so that a scenario can
// launch it, change it and set a node to it.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_KERNEL_CALL_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_KERNEL_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>

namespace victims {

enum class Kernel { kNorm, kQuantize, kProject, kGlu, kAdd };

struct KernelCall {
  Kernel kernel = Kernel::kNorm;
  unsigned blocks = 1;
  unsigned threads = 1;
  // One slot a parameter; a short one lies at its start.
  std::array<std::uint64_t, 6> values = {};
};

template <typename... Values>
KernelCall MakeCall(Kernel kernel, unsigned blocks, unsigned threads,
                    Values... values) {
  KernelCall call{.kernel = kernel, .blocks = blocks, .threads = threads};
  static_assert(sizeof...(values) <= std::tuple_size_v<decltype(call.values)>);
  std::size_t slot = 0;
  (std::memcpy(&call.values[slot++], &values, sizeof values), ...);
  return call;
}

// What a launch takes: where each parameter lies.
inline std::array<void*, 6> Pointers(KernelCall& call) {
  std::array<void*, 6> pointers;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    pointers[i] = &call.values[i];
  }
  return pointers;
}

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_KERNEL_CALL_H_
