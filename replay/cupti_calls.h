// CUPTI as a table of calls, so that a test can replace any of them and a
// program that never counts does not need the library.
//
// A field is CUPTI's call of that name without its "cupti".
// Threads  a table is never written after it was loaded.
#ifndef REPRISE_REPLAY_CUPTI_CALLS_H_
#define REPRISE_REPLAY_CUPTI_CALLS_H_

#include <cupti.h>

#include "absl/status/statusor.h"

#define REPRISE_CUPTI_CALLS(_) \
  _(GetVersion)                \
  _(GetResultString)           \
  _(Subscribe_v2)              \
  _(Unsubscribe)               \
  _(ActivityRegisterCallbacks) \
  _(ActivityEnable)            \
  _(ActivityDisable)           \
  _(ActivityFlushAll)          \
  _(ActivityGetNextRecord)     \
  _(ActivityGetNumDroppedRecords)

namespace reprise {

struct CuptiCalls {
#define REPRISE_CUPTI_FIELD(call) decltype(&cupti##call) call = nullptr;
  REPRISE_CUPTI_CALLS(REPRISE_CUPTI_FIELD)
#undef REPRISE_CUPTI_FIELD
};

// The library of this machine, opened at the first call and never closed: from
// the loader's path, then from the toolkit's usual places.
// Errors   Unavailable where there is none, or one of another release than the
//          header: CUPTI writes records in its own release's layout. The first
//          13.0 is refused as well, for it can crash beside NVTX and hang when
//          recording ends.
absl::StatusOr<const CuptiCalls*> LoadCupti();

}  // namespace reprise

#endif  // REPRISE_REPLAY_CUPTI_CALLS_H_
