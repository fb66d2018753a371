// reprise run: a program that was not written for Reprise, rewritten.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/choice.h"
#include "tools/commands.h"
#include "tools/pack_flags.h"
#include "tools/plan_flags.h"
#include "tools/preloaded_program.h"

namespace reprise {

Action AddRunCommand(CLI::App& app) {
  const auto program = std::make_shared<PreloadedProgram>();
  Settings& settings = program->settings;
  AddProgram(app, *program);
  AddPack(app, settings.packs);
  AddEventBranches(app, settings.plan);
  AddDeadStores(app, settings.plan);
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
  return [program] { return BecomeProgram(*program); };
}

}  // namespace reprise
