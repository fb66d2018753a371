// The victims' kernels on the host: the same formulas, added up in order.
#ifndef REPRISE_TESTS_INJECT_FAKE_LIBCUDA_HOST_KERNELS_H_
#define REPRISE_TESTS_INJECT_FAKE_LIBCUDA_HOST_KERNELS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "graph/node.h"
#include "tests/driver/scripted_driver.h"

namespace reprise::testing {

struct HostKernel {
  absl::string_view name;
  std::vector<Parameter> layout;
  void (*run)(const ScriptedKernel& launch);
};

// Null where the victims have none of that name.
const HostKernel* FindHostKernel(absl::string_view name);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_INJECT_FAKE_LIBCUDA_HOST_KERNELS_H_
