// Runs the command as a person would and keeps what it says.
//
//   const CommandResult result = RunCommand({"plan", Capture("a.json")});
//   EXPECT_EQ(result.status, 0) << result.err;
#ifndef REPRISE_TESTS_TOOLS_RUN_COMMAND_H_
#define REPRISE_TESTS_TOOLS_RUN_COMMAND_H_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace reprise::testing {

struct CommandResult {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string ReadFile(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A path of this process's own: tests run side by side.
inline std::string TempPath(const std::string& name) {
  return absl::StrCat(::testing::TempDir(), "reprise_", getpid(), "_", name);
}

inline std::string ShellQuoted(const std::string& word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// Runs a shell command line.
inline CommandResult RunShell(const std::string& line) {
  const std::string out = TempPath("out");
  const std::string err = TempPath("err");
  const int status = std::system(
      absl::StrCat(line, " >", ShellQuoted(out), " 2>", ShellQuoted(err))
          .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(out),
          ReadFile(err)};
}

inline CommandResult RunCommand(const std::vector<std::string>& arguments) {
  std::string line = ShellQuoted(REPRISE_COMMAND);
  for (const std::string& argument : arguments) {
    absl::StrAppend(&line, " ", ShellQuoted(argument));
  }
  return RunShell(line);
}

// A capture that the tests ship.
inline std::string Capture(const std::string& name) {
  return absl::StrCat(REPRISE_TEST_DATA, "/captures/", name);
}

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_TOOLS_RUN_COMMAND_H_
