#include <dlfcn.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "replay/cupti_calls.h"
#include "replay/cupti_status.h"

namespace reprise {
namespace {

constexpr const char* kLibraries[] = {
    "libcupti.so.13",
    "libcupti.so",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
    "/usr/local/cuda/lib64/libcupti.so.13",
    "/usr/local/cuda/lib/libcupti.so.13",
};

constexpr std::uint32_t kOldest = 130001;  // CUDA 13.0 update 1
constexpr std::uint32_t kNextRelease = 130100;
static_assert(CUPTI_API_VERSION >= 130000 && CUPTI_API_VERSION < kNextRelease,
              "records are read in the layout of CUPTI 13.0");

absl::Status CheckRelease(const CuptiCalls& cupti) {
  std::uint32_t version = 0;
  const absl::Status status =
      CuptiStatus(cupti, cupti.GetVersion(&version), "ask CUPTI's version");
  if (!status.ok()) return status;
  if (version >= kOldest && version < kNextRelease) return status;
  return absl::UnavailableError(absl::StrCat("libcupti is of version ", version,
                                             "; counting needs 13.0, ", kOldest,
                                             " or later"));
}

absl::StatusOr<CuptiCalls> FindCalls() {
  void* library = nullptr;
  for (const char* name : kLibraries) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    return absl::UnavailableError("no libcupti.so.13 was found");
  }
  CuptiCalls cupti;
  const char* missing = nullptr;
#define REPRISE_FIND(call)                                                     \
  cupti.call =                                                                 \
      reinterpret_cast<decltype(&cupti##call)>(dlsym(library, "cupti" #call)); \
  if (cupti.call == nullptr) missing = "cupti" #call;
  REPRISE_CUPTI_CALLS(REPRISE_FIND)
#undef REPRISE_FIND
  if (missing != nullptr) {
    return absl::UnavailableError(
        absl::StrCat("libcupti has no ", missing, ": it is too old"));
  }
  const absl::Status status = CheckRelease(cupti);
  if (!status.ok()) return status;
  return cupti;
}

}  // namespace

absl::StatusOr<const CuptiCalls*> LoadCupti() {
  static const absl::StatusOr<CuptiCalls>& cupti =
      *new absl::StatusOr<CuptiCalls>(FindCalls());
  if (!cupti.ok()) return cupti.status();
  return &*cupti;
}

}  // namespace reprise
