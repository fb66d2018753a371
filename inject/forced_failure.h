// Makes one call of the driver fail on purpose, so that a test can see that a
// program goes on as if nothing had happened.
#ifndef REPRISE_INJECT_FORCED_FAILURE_H_
#define REPRISE_INJECT_FORCED_FAILURE_H_

#include "absl/status/statusor.h"
#include "driver/driver.h"

namespace reprise {

// `which` is "GraphClone:3": the third call of that name fails, and does
// nothing; "GraphClone:0": every one. Null or empty: none. Of calls that end
// something, the end is still made. InvalidArgument where it names no call of
// the table.
// One failure for a process.
absl::StatusOr<Driver> WithForcedFailure(Driver driver, const char* which);

}  // namespace reprise

#endif  // REPRISE_INJECT_FORCED_FAILURE_H_
