// This library's calls, under the names that the driver exports.
#ifndef REPRISE_INJECT_PRELOAD_WRAPPERS_H_
#define REPRISE_INJECT_PRELOAD_WRAPPERS_H_

#include <type_traits>

#include "inject/preload/wrapped_calls.h"

namespace reprise::preload {

// The header of the driver has macros for these names, hence the labels.
#define REPRISE_CALL(name, type, found_by, since, default_stream) \
  std::remove_pointer_t<type> name asm("cu" #name);
REPRISE_WRAPPED_CALLS(REPRISE_CALL)
#undef REPRISE_CALL

}  // namespace reprise::preload

#endif  // REPRISE_INJECT_PRELOAD_WRAPPERS_H_
