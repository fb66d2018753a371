// Where the driver's own calls are, behind those that this library answers.
//
// Threads  any; nothing here takes a lock.
#ifndef REPRISE_INJECT_PRELOAD_ORIGINALS_H_
#define REPRISE_INJECT_PRELOAD_ORIGINALS_H_

#include "inject/preload/wrapped_calls.h"

namespace reprise::preload {

// "cuGraphLaunch".
const char* ExportedName(Call call);

// The address of the driver's call; null where there is no driver, or one that
// does not export it.
void* FindOriginal(Call call);

// Keeps an address that the driver gave itself.
void SetOriginal(Call call, void* address);

// Makes the driver's call as the program made ours.
template <Call call, typename... Args>
CUresult CallOriginal(Args... args) {
  using Type = typename CallTraits<call>::Type;
  const auto original = reinterpret_cast<Type>(FindOriginal(call));
  if (original == nullptr) return CUDA_ERROR_NOT_FOUND;
  return original(args...);
}

// The C library's own dlsym.
void* RealDlsym(void* handle, const char* name);

}  // namespace reprise::preload

#endif  // REPRISE_INJECT_PRELOAD_ORIGINALS_H_
