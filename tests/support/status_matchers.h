// Matchers for absl::Status and absl::StatusOr<T>.
//
//   ASSERT_OK(graph);
//   EXPECT_THAT(status, HasCode(absl::StatusCode::kInvalidArgument));
//   EXPECT_THAT(status, HasText("node 12"));
#ifndef REPRISE_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define REPRISE_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"

namespace reprise::testing {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

MATCHER_P(HasCode, code,
          (negation ? "has not code " : "has code ") +
              absl::StatusCodeToString(code)) {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code;
}

// The message holds `substr`: what, where or which node an error has to name.
MATCHER_P(HasText, substr,
          (negation ? "does not say \"" : "says \"") + std::string(substr) +
              "\"") {
  *result_listener << StatusOf(arg).ToString();
  return absl::StrContains(StatusOf(arg).message(), substr);
}

}  // namespace reprise::testing

#define EXPECT_OK(expr) EXPECT_THAT((expr), ::reprise::testing::IsOk())
#define ASSERT_OK(expr) ASSERT_THAT((expr), ::reprise::testing::IsOk())

#endif  // REPRISE_TESTS_SUPPORT_STATUS_MATCHERS_H_
