// reprise run: starts a program with the preloaded library in front of it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "inject/settings.h"
#include "tools/choice.h"
#include "tools/commands.h"
#include "tools/pack_flags.h"
#include "tools/plan_flags.h"

namespace reprise {
namespace {

namespace fs = std::filesystem;

constexpr char kLibrary[] = "libreprise_preload.so";

struct RunFlags {
  Settings settings;
  std::vector<std::string> command;
};

// Beside the command, or where an installation has it.
absl::StatusOr<std::string> FindLibrary() {
  std::error_code failed;
  const fs::path own = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (const char* folder : {".", "../lib", "../lib/x86_64-linux-gnu"}) {
    const fs::path library = own / folder / kLibrary;
    if (fs::exists(library, failed)) return fs::canonical(library, failed);
  }
  return absl::NotFoundError(
      absl::StrCat("there is no ", kLibrary, " beside ", own.string(),
                   "; a build with the CUDA Toolkit makes it"));
}

// A path has to hold whatever folder the program goes to.
std::string Absolute(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).string();
}

absl::Status SetVariable(const std::string& name, const std::string& value) {
  if (setenv(name.c_str(), value.c_str(), 1) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("set ", name));
}

absl::Status SetEnvironment(const Settings& settings,
                            const std::string& library) {
  for (const Variable& variable : ToEnvironment(settings)) {
    const absl::Status set = SetVariable(variable.name, variable.value);
    if (!set.ok()) return set;
  }
  // Whose report is wanted though it has no graph: this process, soon another
  // program.
  absl::Status set = SetVariable("REPRISE_RUN_PID", absl::StrCat(getpid()));
  if (!set.ok()) return set;
  const char* others = std::getenv("LD_PRELOAD");
  return SetVariable("LD_PRELOAD", others == nullptr || *others == '\0'
                                       ? library
                                       : absl::StrCat(library, ":", others));
}

absl::Status Run(RunFlags flags) {
  Settings& settings = flags.settings;
  const absl::StatusOr<std::string> library = FindLibrary();
  if (!library.ok()) return library.status();
  // A pack that cannot be read stops the run here, with its own line.
  const absl::StatusOr<std::vector<Pack>> packs = LoadPacks(settings.packs);
  if (!packs.ok()) return packs.status();
  for (std::string& pack : settings.packs) pack = Absolute(pack);
  settings.report_file = Absolute(settings.report_file);
  std::string& captures = settings.capture_directory;
  captures = Absolute(captures);
  if (!captures.empty()) {
    std::error_code failed;
    fs::create_directories(captures, failed);
    if (failed) {
      return absl::ErrnoToStatus(failed.value(),
                                 absl::StrCat("create ", captures));
    }
  }
  const absl::Status set = SetEnvironment(settings, *library);
  if (!set.ok()) return set;

  std::vector<char*> arguments;
  for (std::string& argument : flags.command) {
    arguments.push_back(argument.data());
  }
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return absl::ErrnoToStatus(errno,
                             absl::StrCat("start ", flags.command.front()));
}

}  // namespace

Action AddRunCommand(CLI::App& app) {
  const auto flags = std::make_shared<RunFlags>();
  Settings& settings = flags->settings;
  app.add_option("PROGRAM", flags->command,
                 "The program and its arguments, after --")
      ->type_name("")
      ->required();
  AddPack(app, settings.packs);
  AddEventBranches(app, settings.plan);
  AddRelax(app, settings.plan);
  AddDisable(app, settings.plan);
  app.add_flag("--dry-run", settings.dry_run,
               "Plan and report, change nothing");
  app.add_flag("--verify{1}", settings.verify_launches,
               "Compare N launches of each graph, 1 if not told, with the "
               "original");
  AddChoice<ReportFormat>(app, "--report",
                          {{"text", ReportFormat::kText},
                           {"json", ReportFormat::kJson},
                           {"none", ReportFormat::kNone}},
                          settings.report, "The summary at the program's end");
  app.add_option("--report-file", settings.report_file,
                 "Append it to FILE, not to the standard error")
      ->type_name("FILE");
  app.add_option("--capture", settings.capture_directory,
                 "Write each graph to DIR, to be planned and drawn later")
      ->type_name("DIR");
  app.footer("Example: reprise run --verify -- ./engine --its-options");
  return [flags] { return Run(*flags); };
}

}  // namespace reprise
