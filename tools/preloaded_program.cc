#include "tools/preloaded_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "capture/pack_list.h"

namespace reprise {
namespace {

namespace fs = std::filesystem;

constexpr char kLibrary[] = "libreprise_preload.so";

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

absl::Status SetEnvironment(Settings settings) {
  const absl::StatusOr<std::string> library = FindLibrary();
  if (!library.ok()) return library.status();
  // A pack that cannot be read ends it here, with its own line.
  const auto packs = LoadPacks(settings.packs);
  if (!packs.ok()) return packs.status();
  for (std::string& pack : settings.packs) pack = Absolute(pack);
  settings.report_file = Absolute(settings.report_file);
  std::string& captures = settings.capture_directory;
  captures = Absolute(captures);
  std::error_code failed;
  if (!captures.empty()) fs::create_directories(captures, failed);
  if (failed) {
    return absl::ErrnoToStatus(failed.value(),
                               absl::StrCat("create ", captures));
  }
  for (const Variable& variable : ToEnvironment(settings)) {
    const absl::Status set = SetVariable(variable.name, variable.value);
    if (!set.ok()) return set;
  }
  const char* others = std::getenv("LD_PRELOAD");
  return SetVariable("LD_PRELOAD", others == nullptr || *others == '\0'
                                       ? *library
                                       : absl::StrCat(*library, ":", others));
}

// Returns what went wrong.
absl::Status Execute(std::vector<std::string> command) {
  // Whose report is wanted though it has no graph: this process, soon another
  // program.
  const absl::Status set =
      SetVariable("REPRISE_RUN_PID", absl::StrCat(getpid()));
  if (!set.ok()) return set;
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return absl::ErrnoToStatus(errno, absl::StrCat("start ", command.front()));
}

}  // namespace

void AddProgram(CLI::App& app, PreloadedProgram& program) {
  app.add_option("PROGRAM", program.command,
                 "The program and its arguments, after --")
      ->type_name("")
      ->required();
}

absl::Status BecomeProgram(PreloadedProgram program) {
  const absl::Status set = SetEnvironment(std::move(program.settings));
  return set.ok() ? Execute(std::move(program.command)) : set;
}

absl::StatusOr<int> RunProgram(PreloadedProgram program) {
  const absl::Status set = SetEnvironment(std::move(program.settings));
  if (!set.ok()) return set;
  const std::string name = program.command.front();
  const pid_t child = fork();
  if (child < 0) return absl::ErrnoToStatus(errno, "start a process");
  if (child == 0) {
    const absl::Status failed = Execute(std::move(program.command));
    std::fprintf(stderr, "%s\n", std::string(failed.message()).c_str());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, absl::StrCat("wait for ", name));
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace reprise
