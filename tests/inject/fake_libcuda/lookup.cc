// cuGetProcAddress: a call by a name without suffix, a version and a kind of
// default stream. Programs find the calls on graphs with it; Reprise finds its
// table.
#include <cuda.h>
#include <dlfcn.h>

#include "absl/strings/match.h"
#include "tests/inject/fake_libcuda/fake_driver.h"

#undef cuGetProcAddress

namespace reprise::testing {
namespace {

// Whether the caller is the part of Reprise that makes calls of its own.
bool IsReprise(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) != 0 &&
         absl::EndsWith(info.dli_fname, "/libreprise_inject.so");
}

CUresult Find(const char* name, void** found, int version, cuuint64_t flags,
              CUdriverProcAddressQueryResult* status, const void* caller) {
  const bool per_thread =
      (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *found = IsReprise(caller) ? FindTableCall(name)
                             : FindProgramCall(name, version, per_thread);
  const bool known = *found != nullptr;
  if (status != nullptr) {
    *status = known ? CU_GET_PROC_ADDRESS_SUCCESS
                    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return known ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress(const char* name, void** found, int version,
                          cuuint64_t flags) {
  return Find(name, found, version, flags, nullptr,
              __builtin_return_address(0));
}

CUresult cuGetProcAddress_v2(const char* name, void** found, int version,
                             cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  return Find(name, found, version, flags, status, __builtin_return_address(0));
}

}  // extern "C"

}  // namespace reprise::testing
