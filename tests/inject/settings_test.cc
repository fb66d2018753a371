#include "inject/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/status/status.h"

namespace reprise {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<Settings> Parse(const std::map<std::string, std::string>& set) {
  return ParseSettings([&set](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  });
}

absl::StatusOr<Settings> ThereAndBack(const Settings& settings) {
  std::map<std::string, std::string> environment;
  for (const Variable& variable : ToEnvironment(settings)) {
    environment[variable.name] = variable.value;
  }
  return Parse(environment);
}

TEST(Settings, AreTheDefaultsInAnEmptyEnvironment) {
  const auto settings = Parse({});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(*settings, Settings());
  EXPECT_THAT(ToEnvironment(Settings()), IsEmpty());
}

TEST(Settings, ComeOutOfTheEnvironmentAsTheyWentIn) {
  Settings settings;
  settings.disabled = true;
  settings.dry_run = true;
  settings.lint = true;
  settings.plan.sharing = false;
  settings.plan.storage = false;
  settings.plan.event_branches = EventBranches::kProven;
  settings.plan.dead_stores = true;
  settings.plan.relax = true;
  settings.plan.relax_width = 7;
  settings.packs = {"a.json", "b c.json"};
  settings.verify_launches = 12;
  settings.report = ReportFormat::kJson;
  settings.report_file = "report.json";
  settings.capture_directory = "captures";
  const auto back = ThereAndBack(settings);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, settings);
}

TEST(Settings, TakeZeroAndNothingForNo) {
  const auto settings = Parse({{"REPRISE_DISABLE", "0"},
                               {"REPRISE_DRY_RUN", ""},
                               {"REPRISE_RELAX", "0"}});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(*settings, Settings());
}

TEST(Settings, NameTheVariableThatCannotBeRead) {
  const std::map<std::string, std::string> bad = {
      {"REPRISE_VERIFY", "often"},
      {"REPRISE_RELAX_WIDTH", "-1"},
      {"REPRISE_REPORT", "xml"},
      {"REPRISE_EVENT_BRANCHES", "some"},
      {"REPRISE_DISABLE_PASSES", "sharing,everything"},
  };
  for (const auto& [name, value] : bad) {
    const auto settings = Parse({{name, value}});
    EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(settings.status().message()), HasSubstr(name));
  }
}

}  // namespace
}  // namespace reprise
