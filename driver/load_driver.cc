#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "driver/driver.h"

namespace reprise {
namespace {

absl::Status FindCall(DriverLookup find, const char* name, int version,
                      void** call) {
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const CUresult result =
      find(name, call, version, CU_GET_PROC_ADDRESS_DEFAULT, &found);
  if (result == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS &&
      *call != nullptr) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat("the CUDA driver has no ", name,
                                             " of version ", version,
                                             ": it is too old"));
}

absl::StatusOr<Driver> LoadCalls() {
  // Never closed: the table's functions lie in it.
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("there is no CUDA driver: ", dlerror()));
  }
  const auto find =
      reinterpret_cast<DriverLookup>(dlsym(library, "cuGetProcAddress_v2"));
  if (find == nullptr) {
    return absl::UnavailableError(
        "the CUDA driver is older than that of CUDA 12");
  }
  return FindDriverCalls(find);
}

}  // namespace

absl::StatusOr<Driver> FindDriverCalls(DriverLookup find) {
  Driver driver;
  absl::Status status;
#define REPRISE_FIND(call, suffix, version)                    \
  if (status.ok()) {                                           \
    status = FindCall(find, "cu" #call, version,               \
                      reinterpret_cast<void**>(&driver.call)); \
  }
  REPRISE_DRIVER_CALLS(REPRISE_FIND)
#undef REPRISE_FIND
  if (!status.ok()) return status;
  return driver;
}

absl::StatusOr<const Driver*> LoadDriver() {
  static const absl::StatusOr<Driver>& driver =
      *new absl::StatusOr<Driver>(LoadCalls());
  if (!driver.ok()) return driver.status();
  return &*driver;
}

}  // namespace reprise
