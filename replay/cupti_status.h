// A CUPTI error as a Status: the one place where that is decided.
//
// The message is `what`, then CUPTI's name of the error: "subscribe to CUPTI:
// CUPTI_ERROR_NOT_INITIALIZED". Codes: FailedPrecondition for another tool in
// the way, PermissionDenied for privileges, Unavailable where CUPTI did not
// start, Unimplemented for what this device or mode does not support,
// ResourceExhausted for memory, Internal for all else.
#ifndef REPRISE_REPLAY_CUPTI_STATUS_H_
#define REPRISE_REPLAY_CUPTI_STATUS_H_

#include <cupti.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "replay/cupti_calls.h"

namespace reprise {

absl::Status CuptiStatus(const CuptiCalls& cupti, CUptiResult result,
                         absl::string_view what);

}  // namespace reprise

#endif  // REPRISE_REPLAY_CUPTI_STATUS_H_
