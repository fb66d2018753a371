// reprise lint: packs held against what the kernels of a live program do.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "inject/run_report.h"
#include "tools/commands.h"
#include "tools/pack_flags.h"
#include "tools/preloaded_program.h"

namespace reprise {
namespace {

// An empty file of this process alone, which goes with its owner.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code failed;
    path_ = std::filesystem::temp_directory_path(failed) / "reprise-XXXXXX";
    const int file = mkstemp(path_.data());
    if (file < 0) {
      status_ = absl::ErrnoToStatus(errno, "make a temporary file");
    } else {
      close(file);
    }
  }
  ~TemporaryFile() {
    if (status_.ok()) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const absl::Status& status() const { return status_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  absl::Status status_;
};

absl::Status RunLint(PreloadedProgram program) {
  const TemporaryFile report;
  if (!report.status().ok()) return report.status();
  program.settings.lint = true;
  program.settings.report_file = report.path();
  const absl::StatusOr<int> ended = RunProgram(std::move(program));
  if (!ended.ok()) return ended.status();

  int lines = 0;
  bool findings = false;
  std::ifstream file(report.path());
  for (std::string line; std::getline(file, line); ++lines) {
    std::puts(line.c_str());
    findings = findings || absl::StrContains(line, kLintFinding);
  }
  if (*ended != 0) {
    return absl::AbortedError(
        absl::StrCat("the program ended with status ", *ended));
  }
  if (lines == 0) {
    return absl::FailedPreconditionError("the program left no report");
  }
  if (findings) {
    return absl::FailedPreconditionError(
        "a kernel does what its signature does not say");
  }
  return absl::OkStatus();
}

}  // namespace

Action AddLintCommand(CLI::App& app) {
  const auto program = std::make_shared<PreloadedProgram>();
  AddProgram(app, *program);
  AddPack(app, program->settings.packs);
  app.footer("Example: reprise lint --pack mine.json -- ./engine");
  return [program] { return RunLint(*program); };
}

}  // namespace reprise
