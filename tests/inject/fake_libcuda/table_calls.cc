// The table of driver/driver.h, as Reprise finds it: each call of the
// ScriptedDriver under the mutex, and a launch that runs.
#include "absl/strings/str_cat.h"
#include "driver/driver.h"
#include "tests/inject/fake_libcuda/fake_driver.h"

namespace reprise::testing {
namespace {

template <typename Argument>
Argument Translated(Argument argument) {
  return argument;
}
CUstream Translated(CUstream stream) { return Known(stream); }

template <auto Field>
struct Locked;
template <typename Result, typename... Args, Result (*Driver::*Field)(Args...)>
struct Locked<Field> {
  static Result Call(Args... args) {
    const auto lock = Lock();
    return (Table().*Field)(Translated(args)...);
  }
};

CUresult LaunchAndRun(CUgraphExec exec, CUstream stream) {
  const auto lock = Lock();
  const CUresult launched = Table().GraphLaunch(exec, Known(stream));
  if (launched != CUDA_SUCCESS) return launched;
  LogRow("Reprise launches");
  RunExec(exec);
  return CUDA_SUCCESS;
}

}  // namespace

void* FindTableCall(absl::string_view name) {
  if (name == "cuGraphLaunch") return reinterpret_cast<void*>(LaunchAndRun);
#define REPRISE_FIND(call, suffix, version)                       \
  if (name == "cu" #call) {                                       \
    return reinterpret_cast<void*>(&Locked<&Driver::call>::Call); \
  }
  REPRISE_DRIVER_CALLS(REPRISE_FIND)
#undef REPRISE_FIND
  return nullptr;
}

}  // namespace reprise::testing
