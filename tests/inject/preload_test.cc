// A program under the preloaded library, on the driver of fake_libcuda/: every
// way to find a call is seen, and whatever fails in Reprise, the program's own
// calls reach the driver as they would without it.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "driver/driver.h"
#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

struct Way {
  std::string arguments;  // of lookup_program
  std::string rows;       // that it leaves in the driver's log
};

const std::vector<Way>& Ways() {
  static const auto& ways = *new std::vector<Way>{
      {"linked",
       "cuGraphInstantiateWithFlags graph 0 -> exec 0\n"
       "cuGraphUpload exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecUpdate_v2 exec 0 graph 1\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecDestroy exec 0\n"},
      {"dlsym",
       "cuGraphInstantiateWithFlags graph 0 -> exec 0\n"
       "cuGraphUpload exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecUpdate_v2 exec 0 graph 1\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecDestroy exec 0\n"},
      {"cuGetProcAddress 11000",
       "cuGraphInstantiate_v2 graph 0 -> exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecUpdate exec 0 graph 1\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecDestroy exec 0\n"},
      {"cuGetProcAddress 11000 per_thread",
       "cuGraphInstantiate_v2 graph 0 -> exec 0\n"
       "cuGraphLaunch_ptsz exec 0\n"
       "cuGraphLaunch_ptsz exec 0\n"
       "cuGraphExecUpdate exec 0 graph 1\n"
       "cuGraphLaunch_ptsz exec 0\n"
       "cuGraphExecDestroy exec 0\n"},
      {"cuGetProcAddress 12000",
       "cuGraphInstantiateWithFlags graph 0 -> exec 0\n"
       "cuGraphUpload exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecUpdate_v2 exec 0 graph 1\n"
       "cuGraphLaunch exec 0\n"
       "cuGraphExecDestroy exec 0\n"},
      {"cuGetProcAddress 13000 per_thread",
       "cuGraphInstantiateWithFlags graph 0 -> exec 0\n"
       "cuGraphUpload_ptsz exec 0\n"
       "cuGraphLaunch_ptsz exec 0\n"
       "cuGraphLaunch_ptsz exec 0\n"
       "cuGraphExecUpdate_v2 exec 0 graph 1\n"
       "cuGraphLaunch_ptsz exec 0\n"
       "cuGraphExecDestroy exec 0\n"},
  };
  return ways;
}

struct Ran {
  CommandResult result;
  std::string rows;
};

// `environment` in front of the command line, which starts with `command`.
Ran RunLookups(const std::string& environment, const std::string& command,
               const Way& way) {
  const std::string log = TempPath("log");
  std::remove(log.c_str());
  Ran ran;
  ran.result = RunShell(
      absl::StrCat(environment, " LD_LIBRARY_PATH=", ShellQuoted(FAKE_LIBCUDA),
                   " FAKE_LIBCUDA_LOG=", ShellQuoted(log), " ", command,
                   ShellQuoted(LOOKUP_PROGRAM), " ", way.arguments));
  ran.rows = ReadFile(log);
  return ran;
}

Ran RunAlone(const Way& way) { return RunLookups("", "", way); }

Ran RunPreloaded(const Way& way, const std::string& environment = "") {
  return RunLookups(environment,
                    absl::StrCat(ShellQuoted(REPRISE_COMMAND), " run --pack ",
                                 ShellQuoted(VICTIMS_PACK), " -- "),
                    way);
}

// The rows when Reprise launches in the program's place.
std::string WithoutLaunches(const std::string& rows) {
  return absl::StrReplaceAll(
      rows, {{"cuGraphLaunch exec 0", "Reprise launches"},
             {"cuGraphLaunch_ptsz exec 0", "Reprise launches"}});
}

class Preload : public ::testing::TestWithParam<Way> {};

TEST_P(Preload, SeesACallHoweverItIsFound) {
  const Ran alone = RunAlone(GetParam());
  ASSERT_EQ(alone.result.status, 0) << alone.result.err;
  EXPECT_EQ(alone.rows, GetParam().rows);
  const Ran preloaded = RunPreloaded(GetParam());
  EXPECT_EQ(preloaded.result.status, 0) << preloaded.result.err;
  EXPECT_EQ(preloaded.rows, WithoutLaunches(GetParam().rows));
  EXPECT_EQ(preloaded.result.out, alone.result.out);
}

TEST_P(Preload, ChangesNoCallWhenItIsTurnedOff) {
  const Ran alone = RunAlone(GetParam());
  const Ran off = RunPreloaded(GetParam(), "REPRISE_DISABLE=1");
  EXPECT_EQ(off.result.status, 0) << off.result.err;
  EXPECT_EQ(off.rows, alone.rows);
  EXPECT_EQ(off.result.out, alone.result.out);
}

TEST_P(Preload, ChangesNoCallWhenTheGraphCannotBeRead) {
  const Ran alone = RunAlone(GetParam());
  const Ran failing = RunPreloaded(GetParam(), "REPRISE_FAIL=GraphGetNodes:0");
  EXPECT_EQ(failing.result.status, 0) << failing.result.err;
  EXPECT_EQ(failing.rows, alone.rows);
  EXPECT_EQ(failing.result.out, alone.result.out);
}

INSTANTIATE_TEST_SUITE_P(
    EveryWay, Preload, ::testing::ValuesIn(Ways()), [](const auto& way) {
      return absl::StrReplaceAll(way.param.arguments, {{" ", "_"}});
    });

TEST(PreloadFailures, LeaveTheProgramItsCallsAndItsBytes) {
  const Way& way = Ways().front();
  const Ran alone = RunAlone(way);
#define REPRISE_NAME(call, suffix, version) #call,
  for (const char* call : {REPRISE_DRIVER_CALLS(REPRISE_NAME)}) {
#undef REPRISE_NAME
    SCOPED_TRACE(call);
    const Ran failing =
        RunPreloaded(way, absl::StrCat("REPRISE_FAIL=", call, ":0"));
    EXPECT_EQ(failing.result.status, 0) << failing.result.err;
    EXPECT_EQ(failing.result.out, alone.result.out);
    EXPECT_EQ(WithoutLaunches(failing.rows), WithoutLaunches(alone.rows));
  }
}

TEST(PreloadWithoutItsLibrary, LeavesTheProgramItsCalls) {
  // The preloaded library alone, in a folder where the rest is not.
  const std::string lonely = TempPath("libreprise_preload.so");
  WriteFile(lonely, ReadFile(PRELOADED_LIBRARY));
  for (const Way& way : Ways()) {
    const Ran alone = RunAlone(way);
    const Ran ran =
        RunLookups(absl::StrCat("LD_PRELOAD=", ShellQuoted(lonely)), "", way);
    EXPECT_EQ(ran.result.status, 0) << ran.result.err;
    EXPECT_EQ(ran.rows, alone.rows);
    EXPECT_TRUE(absl::StrContains(ran.result.err, "reprise: not in use: "));
  }
}

}  // namespace
}  // namespace reprise::testing
