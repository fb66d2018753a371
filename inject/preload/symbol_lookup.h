// Puts this library's calls in the place of the driver's wherever a program
// asks for one: dlsym and cuGetProcAddress.
#ifndef REPRISE_INJECT_PRELOAD_SYMBOL_LOOKUP_H_
#define REPRISE_INJECT_PRELOAD_SYMBOL_LOOKUP_H_

#include <cuda.h>

namespace reprise::preload {

// What cuGetProcAddress of the driver found for `name`, or what stands in its
// place. A call of a newer version than is known here stays the driver's.
void* WrapFound(const char* name, int version, cuuint64_t flags, void* found);

}  // namespace reprise::preload

#endif  // REPRISE_INJECT_PRELOAD_SYMBOL_LOOKUP_H_
