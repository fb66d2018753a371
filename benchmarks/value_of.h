// What a benchmark does with a Status: it goes on or gives up.
#ifndef REPRISE_BENCHMARKS_VALUE_OF_H_
#define REPRISE_BENCHMARKS_VALUE_OF_H_

#include <source_location>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "benchmarks/device/failure.h"

namespace reprise {

inline void CheckOk(
    const absl::Status& status,
    std::source_location where = std::source_location::current()) {
  if (!status.ok()) Fail(status.ToString(), where);
}

template <typename T>
T ValueOf(absl::StatusOr<T> value,
          std::source_location where = std::source_location::current()) {
  CheckOk(value.status(), where);
  return *std::move(value);
}

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_VALUE_OF_H_
