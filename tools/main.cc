// The command `reprise`. Exit status: 0 done, 1 the input is bad or a check
// failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "tools/commands.h"

namespace reprise {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

struct Subcommand {
  const char* name;
  const char* summary;
  Action (*add)(CLI::App& app);
};

constexpr Subcommand kSubcommands[] = {
    {"demo", "Run a small decoder as recorded and as planned", AddDemoCommand},
    {"plan", "Say what is gained in a captured graph, and what not",
     AddPlanCommand},
    {"signatures", "List the kernels that no pack knows, to write a pack",
     AddSignaturesCommand},
    {"dot", "Draw a captured graph for Graphviz", AddDotCommand},
    {"report", "Count and time what a GPU launches, before and after",
     AddReportCommand},
    {"run", "Run a program that was not written for Reprise, rewritten",
     AddRunCommand},
    {"lint", "Hold packs against what the kernels of a program really write",
     AddLintCommand},
};

// Options without the parser's own remarks ("REQUIRED", "Excludes: ...").
class PlainHelp : public CLI::Formatter {
 public:
  PlainHelp() { column_width(24); }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() ? "" : " " + type;
  }
};

// "reprise plan": the command and its subcommand, where one was given.
std::string NameOf(const CLI::App& program) {
  std::string name = program.get_name();
  for (const CLI::App* sub : program.get_subcommands()) {
    name += " " + sub->get_name();
  }
  return name;
}

// One line, whatever the message holds.
void Complain(const CLI::App& program, std::string message) {
  absl::StrReplaceAll({{"\n", " "}}, &message);
  std::fprintf(stderr, "%s: %s\n", NameOf(program).c_str(), message.c_str());
}

// The exit status when there is nothing left to do. All exceptions of the
// option parser end here.
std::optional<int> Parse(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& answered) {  // --help, --version
    return program.exit(answered);
  } catch (const CLI::ParseError& error) {
    Complain(program, std::string(error.what()) + "; see " + NameOf(program) +
                          " --help");
    return kWrongUsage;
  }
}

int Run(const CLI::App& program, const Action& action) {
  const absl::Status status = action();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    Complain(program, "cannot write to the standard output");
    return kFailed;
  }
  if (!status.ok()) {
    Complain(program, std::string(status.message()));
    return kFailed;
  }
  return kDone;
}

int Main(int argc, char** argv) {
  CLI::App program("Makes a captured inference loop cheaper to replay.",
                   "reprise");
  program.set_version_flag("--version", "reprise " REPRISE_VERSION,
                           "Say the version");
  program.require_subcommand(0, 1);
  program.set_help_flag("-h,--help", "Say this");
  program.formatter(std::make_shared<PlainHelp>());
  program.footer("reprise COMMAND --help tells the options of a command.");

  std::vector<std::pair<CLI::App*, Action>> commands;
  for (const Subcommand& sub : kSubcommands) {
    CLI::App* app = program.add_subcommand(sub.name, sub.summary);
    commands.emplace_back(app, sub.add(*app));
  }
  if (const auto status = Parse(program, argc, argv)) return *status;
  for (const auto& [app, action] : commands) {
    if (app->parsed()) return Run(program, action);
  }
  Complain(program, "which command? See reprise --help");
  return kWrongUsage;
}

}  // namespace
}  // namespace reprise

int main(int argc, char** argv) { return reprise::Main(argc, argv); }
