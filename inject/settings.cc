#include "inject/settings.h"

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "planner/pass_names.h"

namespace reprise {
namespace {

constexpr char kDisable[] = "REPRISE_DISABLE";
constexpr char kDryRun[] = "REPRISE_DRY_RUN";
constexpr char kLint[] = "REPRISE_LINT";
constexpr char kDisablePasses[] = "REPRISE_DISABLE_PASSES";
constexpr char kEventBranches[] = "REPRISE_EVENT_BRANCHES";
constexpr char kDeadStores[] = "REPRISE_DEAD_STORES";
constexpr char kRelax[] = "REPRISE_RELAX";
constexpr char kRelaxWidth[] = "REPRISE_RELAX_WIDTH";
constexpr char kPacks[] = "REPRISE_PACKS";
constexpr char kVerify[] = "REPRISE_VERIFY";
constexpr char kReport[] = "REPRISE_REPORT";
constexpr char kReportFile[] = "REPRISE_REPORT_FILE";
constexpr char kCapture[] = "REPRISE_CAPTURE";

absl::string_view NameOf(ReportFormat format) {
  switch (format) {
    case ReportFormat::kNone:
      return "none";
    case ReportFormat::kText:
      return "text";
    case ReportFormat::kJson:
      return "json";
  }
  return "";
}

absl::Status Refuse(const char* name, absl::string_view value,
                    absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, "=", value, ": it is ", wanted));
}

// Reads one variable after the other; after the first error, none.
class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  absl::Status status() const { return status_; }

  // Empty where the variable is not set.
  std::string Text(const char* name) const {
    const char* value = environment_(name);
    return value == nullptr ? "" : value;
  }

  void Flag(const char* name, bool& flag) const {
    const std::string value = Text(name);
    if (!value.empty()) flag = value != "0";
  }

  template <typename Number>
  void Count(const char* name, Number& number) {
    const std::string value = Text(name);
    if (value.empty() || absl::SimpleAtoi(value, &number)) return;
    status_.Update(Refuse(name, value, "a number"));
  }

  template <typename Value>
  void Choice(const char* name,
              absl::Span<const std::pair<absl::string_view, Value>> choices,
              Value& chosen) {
    const std::string value = Text(name);
    if (value.empty()) return;
    std::vector<absl::string_view> words;
    for (const auto& [word, meaning] : choices) {
      if (word == value) {
        chosen = meaning;
        return;
      }
      words.push_back(word);
    }
    status_.Update(Refuse(name, value, absl::StrJoin(words, " or ")));
  }

  std::vector<std::string> List(const char* name, char separator) const {
    return absl::StrSplit(Text(name), separator, absl::SkipEmpty());
  }

  void Fail(const absl::Status& status) { status_.Update(status); }

 private:
  const Environment& environment_;
  absl::Status status_;
};

}  // namespace

std::vector<Variable> ToEnvironment(const Settings& settings) {
  const Settings defaults;
  std::vector<Variable> variables;
  const auto add = [&variables](const char* name, std::string value) {
    variables.push_back({name, std::move(value)});
  };
  if (settings.disabled) add(kDisable, "1");
  if (settings.dry_run) add(kDryRun, "1");
  if (settings.lint) add(kLint, "1");
  std::vector<absl::string_view> disabled;
  for (const NamedPass& pass : NamedPasses()) {
    if (defaults.plan.*pass.enabled && !(settings.plan.*pass.enabled)) {
      disabled.push_back(pass.name);
    }
  }
  if (!disabled.empty()) add(kDisablePasses, absl::StrJoin(disabled, ","));
  if (settings.plan.event_branches == EventBranches::kProven) {
    add(kEventBranches, "proven");
  }
  if (settings.plan.dead_stores) add(kDeadStores, "1");
  if (settings.plan.relax != defaults.plan.relax) add(kRelax, "1");
  if (settings.plan.relax_width != defaults.plan.relax_width) {
    add(kRelaxWidth, absl::StrCat(settings.plan.relax_width));
  }
  if (!settings.packs.empty()) add(kPacks, absl::StrJoin(settings.packs, ":"));
  if (settings.verify_launches != 0) {
    add(kVerify, absl::StrCat(settings.verify_launches));
  }
  if (settings.report != defaults.report) {
    add(kReport, std::string(NameOf(settings.report)));
  }
  if (!settings.report_file.empty()) add(kReportFile, settings.report_file);
  if (!settings.capture_directory.empty()) {
    add(kCapture, settings.capture_directory);
  }
  return variables;
}

absl::StatusOr<Settings> ParseSettings(const Environment& environment) {
  Reader reader(environment);
  Settings settings;
  reader.Flag(kDisable, settings.disabled);
  reader.Flag(kDryRun, settings.dry_run);
  reader.Flag(kLint, settings.lint);
  reader.Flag(kDeadStores, settings.plan.dead_stores);
  reader.Flag(kRelax, settings.plan.relax);
  reader.Count(kRelaxWidth, settings.plan.relax_width);
  reader.Count(kVerify, settings.verify_launches);
  for (const std::string& name : reader.List(kDisablePasses, ',')) {
    if (const NamedPass* pass = FindPass(name)) {
      settings.plan.*pass->enabled = false;
    } else {
      reader.Fail(
          Refuse(kDisablePasses, name, absl::StrCat("some of ", PassNames())));
    }
  }
  reader.Choice<EventBranches>(kEventBranches,
                               {{"original", EventBranches::kOriginal},
                                {"proven", EventBranches::kProven}},
                               settings.plan.event_branches);
  reader.Choice<ReportFormat>(
      kReport,
      {{NameOf(ReportFormat::kNone), ReportFormat::kNone},
       {NameOf(ReportFormat::kText), ReportFormat::kText},
       {NameOf(ReportFormat::kJson), ReportFormat::kJson}},
      settings.report);
  settings.packs = reader.List(kPacks, ':');
  settings.report_file = reader.Text(kReportFile);
  settings.capture_directory = reader.Text(kCapture);
  if (!reader.status().ok()) return reader.status();
  return settings;
}

}  // namespace reprise
