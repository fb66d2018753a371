// How a DeviceExecutable follows its loop from capture to capture.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "replay/device_executable.h"
#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {

std::ostream& operator<<(std::ostream& out, UpdateResult result) {
  static constexpr const char* kNames[] = {"kUnchanged", "kPatched", "kUpdated",
                                           "kRebuilt"};
  return out << kNames[static_cast<int>(result)];
}

namespace {

// The rows that are left when those of the clone's making are taken out.
std::string RowsOfTheExecutable(ScriptedLoop& loop) {
  std::string rows = "\n";
  for (absl::string_view row : absl::StrSplit(loop.Rows(), '\n')) {
    if (absl::StartsWith(row, "GraphExec") ||
        absl::StartsWith(row, "GraphInstantiate") ||
        absl::StartsWith(row, "StreamSynchronize") ||
        absl::StartsWith(row, "Mem")) {
      absl::StrAppend(&rows, row, "\n");
    }
  }
  return rows;
}

struct UpdateCase {
  const char* name;
  LoopShape before;
  LoopShape after;
  UpdateResult result;
  const char* rows;

  friend std::ostream& operator<<(std::ostream& out, const UpdateCase& c) {
    return out << c.name;
  }
};

const UpdateCase kCases[] = {
    {"NothingForTheSameCapture", {}, {}, UpdateResult::kUnchanged, "\n"},
    {"OneLaunchWhereOneDiffers",
     {},
     {.input = 0x1800},
     UpdateResult::kPatched,
     R"(
GraphExecKernelNodeSetParams e0 g1:0 norm_emit(0x1800 0x2000 0x7f0000000000)
)"},
    {"LaunchesOfAReloadedModuleOfTheSameNames",
     {},
     {.new_functions = true},
     UpdateResult::kPatched,
     R"(
GraphExecKernelNodeSetParams e0 g1:2 matvec(0x6000 0x7f0000000000 0xa000)
GraphExecKernelNodeSetParams e0 g1:4 matvec(0x6000 0x7f0000000000 0xa100)
)"},
    {"AllWhereAFillDiffers",
     {.fill = 0xc000},
     {.fill = 0xd000},
     UpdateResult::kUpdated,
     "\nGraphExecUpdate e0 g3\n"},
    {"AllWhereACopyDiffers",
     {.copy = 0xc000},
     {.copy = 0xd000},
     UpdateResult::kUpdated,
     "\nGraphExecUpdate e0 g3\n"},
    {"NothingForACopyThatIsTheSame",
     {.fill = 0xc000, .copy = 0xd000},
     {.fill = 0xc000, .copy = 0xd000},
     UpdateResult::kUnchanged,
     "\n"},
    {"AllWhereACopyIsOfHostMemory",
     {.copy = 0x1'0000'c000, .copy_of_host_memory = true},
     {.copy = 0x1'0000'c000, .copy_of_host_memory = true},
     UpdateResult::kUpdated,
     "\nGraphExecUpdate e0 g3\n"},
    {"AllWhereTheGraphDoesNotTellWhatANodeDoes",
     {.last = CU_GRAPH_NODE_TYPE_HOST},
     {.last = CU_GRAPH_NODE_TYPE_HOST},
     UpdateResult::kUpdated,
     "\nGraphExecUpdate e0 g3\n"},
    {"AnewWhereTheTopologyDiffers",
     {},
     {.products = 3},
     UpdateResult::kRebuilt,
     R"(
StreamSynchronize s1
GraphExecDestroy e0
GraphInstantiateWithParams g3 -> e1
)"},
    {"AnewWhereNothingIsRewrittenAnyMore",
     {},
     {.products = 0},
     UpdateResult::kRebuilt,
     R"(
StreamSynchronize s1
GraphExecDestroy e0
GraphInstantiateWithParams g2 -> e1
)"},
    {"AnewInALargerArenaOnceTheLastLaunchHasEnded",
     {},
     {.second_norm = true},
     UpdateResult::kRebuilt,
     R"(
MemAlloc 1280 -> 0x7f0000200000
StreamSynchronize s1
GraphExecDestroy e0
GraphInstantiateWithParams g3 -> e1
MemFree 0x7f0000000000
)"},
    {"AnewInTheSameArenaWhereThatIsLargeEnough",
     {.second_norm = true},
     {},
     UpdateResult::kRebuilt,
     R"(
StreamSynchronize s1
GraphExecDestroy e0
GraphInstantiateWithParams g3 -> e1
)"},
    {"TheOriginalInItsOwnWay",
     {.products = 1, .last = CU_GRAPH_NODE_TYPE_MEM_ALLOC},
     {.products = 1, .last = CU_GRAPH_NODE_TYPE_MEM_ALLOC},
     UpdateResult::kUpdated,
     "\nGraphExecUpdate e0 g1\n"},
    {"AnOriginalThatHasNothingToRewrite",
     {.products = 0},
     {.input = 0x1800, .products = 0},
     UpdateResult::kUpdated,
     "\nGraphExecUpdate e0 g1\n"},
};

class Update : public ::testing::TestWithParam<UpdateCase> {};

TEST_P(Update, Sets) {
  const UpdateCase& c = GetParam();
  ScriptedLoop loop;
  {
    absl::StatusOr<DeviceExecutable> executable = loop.Create(c.before);
    ASSERT_OK(executable);
    ASSERT_OK(executable->Launch(loop.stream));
    GraphHandle recaptured = loop.Capture(c.after);
    const absl::StatusOr<UpdateResult> result =
        executable->Update(std::move(recaptured));
    ASSERT_OK(result);
    EXPECT_EQ(*result, c.result);
    EXPECT_EQ(executable->rebuilt_because().ok(),
              c.result != UpdateResult::kRebuilt);
    EXPECT_EQ(RowsOfTheExecutable(loop), c.rows);

    // As if it had been made from that capture.
    absl::StatusOr<DeviceExecutable> fresh = loop.Create(c.after);
    ASSERT_OK(fresh);
    EXPECT_EQ(loop.Launch(*executable), loop.Launch(*fresh));
    EXPECT_EQ(loop.LaunchOriginal(*executable), loop.LaunchOriginal(*fresh));
    EXPECT_EQ(executable->outcome().rewritten, fresh->outcome().rewritten);
  }
  EXPECT_EQ(loop.driver.Leaks(), "");
}

INSTANTIATE_TEST_SUITE_P(Of, Update, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

TEST(Updates, PatchesTheRightNodeAfterTheDriverUpdatedAll) {
  ScriptedLoop loop;
  absl::StatusOr<DeviceExecutable> executable = loop.Create({.fill = 0xc000});
  ASSERT_OK(executable);
  EXPECT_EQ(*executable->Update(loop.Capture({.fill = 0xd000})),
            UpdateResult::kUpdated);
  EXPECT_EQ(
      *executable->Update(loop.Capture({.input = 0x1800, .fill = 0xd000})),
      UpdateResult::kPatched);
  EXPECT_THAT(loop.Launch(*executable),
              ::testing::StartsWith("0: norm_emit(0x1800 0x2000 arena+0)"));
  EXPECT_EQ(
      *executable->Update(loop.Capture({.input = 0x1800, .fill = 0xd000})),
      UpdateResult::kUnchanged);
}

// Until the loop copies its floats, and again when it does no more.
TEST(Updates, LeaveOutTheFloatsThatAProducerStoresNoMore) {
  ScriptedLoop loop;
  DeviceOptions options = loop.options();
  options.prepare.plan.dead_stores = true;
  options.prepare.plan.outputs = std::vector<View>{};
  absl::StatusOr<DeviceExecutable> executable =
      DeviceExecutable::Create(loop.cuda, loop.Capture(), options);
  ASSERT_OK(executable);
  EXPECT_THAT(loop.Launch(*executable),
              ::testing::StartsWith("0: norm_emit(0x1000 0x0 arena+0)"));
  EXPECT_EQ(*executable->Update(loop.Capture({.input = 0x1800})),
            UpdateResult::kPatched);
  EXPECT_THAT(loop.Launch(*executable),
              ::testing::StartsWith("0: norm_emit(0x1800 0x0 arena+0)"));
  ASSERT_OK(
      executable->Update(loop.Capture({.input = 0x1800, .copy = 0x2000})));
  EXPECT_THAT(loop.Launch(*executable),
              ::testing::StartsWith("0: norm_emit(0x1800 0x2000 arena+0)"));
  ASSERT_OK(
      executable->Update(loop.Capture({.input = 0x1800, .copy = 0x9000})));
  EXPECT_THAT(loop.Launch(*executable),
              ::testing::StartsWith("0: norm_emit(0x1800 0x0 arena+0)"));
}

TEST(Updates, KeepsNoMoreThanOneCaptureAlive) {
  ScriptedLoop loop;
  {
    absl::StatusOr<DeviceExecutable> executable = loop.Create();
    ASSERT_OK(executable);
    for (std::uint64_t i = 1; i <= 5; ++i) {
      ASSERT_OK(executable->Update(loop.Capture({.input = 0x1000 + 256 * i})));
      EXPECT_THAT(loop.LaunchOriginal(*executable),
                  ::testing::StartsWith(absl::StrCat("0: norm(0x1", i, "00 ")));
    }
    // The clone of the first, whose nodes name those of the executable, and
    // the last as it was captured, with its executable.
    EXPECT_EQ(loop.driver.Leaks(), "g1 g6 e0 e5 0x7f0000000000");
  }
  EXPECT_EQ(loop.driver.Leaks(), "");
}

}  // namespace
}  // namespace reprise::testing
