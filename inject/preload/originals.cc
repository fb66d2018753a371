#include "inject/preload/originals.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace reprise::preload {
namespace {

constexpr const char* kExportedNames[] = {
#define REPRISE_CALL(name, type, found_by, since, default_stream) "cu" #name,
    REPRISE_WRAPPED_CALLS(REPRISE_CALL)
#undef REPRISE_CALL
};

std::atomic<void*>& Slot(Call call) {
  static std::array<std::atomic<void*>, static_cast<std::size_t>(Call::kCount)>
      originals;
  return originals[static_cast<std::size_t>(call)];
}

}  // namespace

const char* ExportedName(Call call) {
  return kExportedNames[static_cast<std::size_t>(call)];
}

void* FindOriginal(Call call) {
  std::atomic<void*>& slot = Slot(call);
  void* original = slot.load(std::memory_order_acquire);
  if (original != nullptr) return original;
  // A program that was linked with the driver never looked its calls up.
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  original = RealDlsym(driver, ExportedName(call));
  slot.store(original, std::memory_order_release);
  return original;
}

void SetOriginal(Call call, void* address) {
  void* unknown = nullptr;
  Slot(call).compare_exchange_strong(unknown, address);
}

}  // namespace reprise::preload
