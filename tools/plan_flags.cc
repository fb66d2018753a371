#include "tools/plan_flags.h"

#include <string>
#include <vector>

#include "planner/pass_names.h"
#include "tools/choice.h"

namespace reprise {

void AddEventBranches(CLI::App& app, PlanOptions& options) {
  AddChoice<EventBranches>(app, "--event-branches",
                           {{"original", EventBranches::kOriginal},
                            {"proven", EventBranches::kProven}},
                           options.event_branches,
                           "Emission behind events: never, or if proven safe");
}

void AddDeadStores(CLI::App& app, PlanOptions& options) {
  app.add_flag("--dead-stores", options.dead_stores,
               "Drop floats beside an image that nobody can read");
}

void AddRelax(CLI::App& app, PlanOptions& options) {
  CLI::Option* relax = app.add_flag("--relax", options.relax,
                                    "Order only what memory needs in order");
  app.add_option("--relax-width", options.relax_width,
                 "Nodes that may run at once; 0: no limit")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 256))
      ->needs(relax);
}

void AddDisable(CLI::App& app, PlanOptions& options) {
  const auto is_pass = [](const std::string& name) {
    if (FindPass(name) != nullptr) return std::string();
    return "no pass '" + name + "'; there are " + PassNames();
  };
  app.add_option_function<std::vector<std::string>>(
         "--disable",
         [&options](const std::vector<std::string>& names) {
           for (const std::string& name : names) {
             options.*FindPass(name)->enabled = false;
           }
         },
         "Leave out " + PassNames())
      ->type_name("PASS,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(is_pass, ""));
}

}  // namespace reprise
