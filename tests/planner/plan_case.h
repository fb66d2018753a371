// A planner test as a row: a graph as text, and the plan it must give.
#ifndef REPRISE_TESTS_PLANNER_PLAN_CASE_H_
#define REPRISE_TESTS_PLANNER_PLAN_CASE_H_

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "graph/text.h"
#include "planner/planner.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {

struct PlanCase {
  const char* name;
  const char* graph;
  const char* plan;
  PlanOptions options = {};

  friend std::ostream& operator<<(std::ostream& out, const PlanCase& c) {
    return out << c.name;
  }
};

// Names for views that most rows need: floats of 64 values, images of one
// padded row and what a reader of them reads. y overlaps no other; half is the
// second half of y.
inline constexpr char kViews[] = R"(
view x = 0x1000:f32:64
view y = 0x2000:f32:64
view half = 0x2080:f32:32
view z = 0x3000:f32:64
view o = 0x4000:f32:8
view p = 0x5000:f32:8
view w = 0x6000:byte:288
view A = 0x8000:q8_1:16
view a = 0x8000:q8_1:2
view B = 0x9000:q8_1:16
view b = 0x9000:q8_1:2
)";

inline std::string PlanText(const PlanCase& c) {
  const absl::StatusOr<Graph> graph =
      GraphFromText(std::string(kViews) + c.graph);
  EXPECT_OK(graph);
  if (!graph.ok()) return "";
  const absl::StatusOr<Plan> plan = MakePlan(*graph, c.options);
  EXPECT_OK(plan);
  return plan.ok() ? "\n" + ToText(*plan) : "";
}

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_PLANNER_PLAN_CASE_H_
