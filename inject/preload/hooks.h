// The rest of Reprise, from inside a process that it was preloaded into.
#ifndef REPRISE_INJECT_PRELOAD_HOOKS_H_
#define REPRISE_INJECT_PRELOAD_HOOKS_H_

#include "inject/hooks.h"

namespace reprise::preload {

// Null where nothing is to be done. Opens the library at the first call, so
// that a program without graphs pays for nothing.
const Hooks* OpenedHooks();

// The same, but null before the first call of OpenedHooks().
const Hooks* KnownHooks();

}  // namespace reprise::preload

#endif  // REPRISE_INJECT_PRELOAD_HOOKS_H_
