#include "inject/forced_failure.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace reprise {
namespace {

// The table that the failing call goes to when it is not its turn.
Driver real;
std::atomic<std::int64_t> calls_left = 0;  // until the one that fails
bool every_call = false;

bool FailsNow() { return every_call || calls_left.fetch_sub(1) == 1; }

// The call of a table's field, failing when its turn comes. A lost end would be
// a leak of the test's own making, so it is made.
template <auto Field, bool ends>
struct Failing;
template <typename Result, typename... Args, Result (*Driver::*Field)(Args...),
          bool ends>
struct Failing<Field, ends> {
  static Result Call(Args... args) {
    if (!FailsNow()) return (real.*Field)(args...);
    if (ends) (real.*Field)(args...);
    return CUDA_ERROR_UNKNOWN;
  }
};

constexpr bool Ends(absl::string_view call) {
  return call == "MemFree" || call == "GraphDestroy" ||
         call == "GraphExecDestroy" || call == "StreamEndCapture" ||
         call == "CtxPopCurrent" || call == "EventDestroy" ||
         call == "StreamDestroy" || call == "ThreadExchangeStreamCaptureMode";
}

}  // namespace

absl::StatusOr<Driver> WithForcedFailure(Driver driver, const char* which) {
  if (which == nullptr || *which == '\0') return driver;
  const std::vector<std::string> parts = absl::StrSplit(which, ':');
  std::int64_t turn = 0;
  const bool readable =
      parts.size() == 2 && absl::SimpleAtoi(parts[1], &turn) && turn >= 0;
  bool found = false;
  real = driver;
#define REPRISE_FAIL(call, suffix, version)                  \
  if (readable && parts[0] == #call) {                       \
    driver.call = Failing<&Driver::call, Ends(#call)>::Call; \
    found = true;                                            \
  }
  REPRISE_DRIVER_CALLS(REPRISE_FAIL)
#undef REPRISE_FAIL
  if (!found) {
    return absl::InvalidArgumentError(
        absl::StrCat("REPRISE_FAIL=", which,
                     ": it is CALL:N, a call of the driver's table"));
  }
  calls_left = turn;
  every_call = turn == 0;
  return driver;
}

}  // namespace reprise
