#include "inject/run_report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace reprise {
namespace {

ProgramCounts SomeCounts() {
  ProgramCounts counts;
  counts.graphs = 4;
  counts.rewritten = 2;
  counts.nothing_to_do = 1;
  counts.declined_graphs = {{"node 3 (mem_alloc): owns memory", 1}};
  counts.nodes_before = 650;
  counts.nodes_after = 553;
  counts.quantizers_before = 169;
  counts.quantizers_after = 57;
  counts.opaque_nodes = 2;
  counts.declines = {{"not_a_producer", 56}};
  counts.unused_kernels = {{"probe_mismatch: byte 2 of the image", 32}};
  counts.most_arena_bytes = 4608;
  counts.unchanged = 1;
  counts.patched = 2;
  counts.updated = 3;
  counts.rebuilt = 4;
  counts.fallbacks = {{"launched into a capture", 5}};
  counts.rewritten_launches = 100;
  counts.original_launches = 6;
  counts.verified_launches = 8;
  counts.differing_launches = 1;
  counts.seconds = 0.0125;
  return counts;
}

TEST(RunReport, SaysAllThatHappened) {
  EXPECT_EQ(TextReport(SomeCounts(), false),
            "reprise: 4 graphs: 2 rewritten, 1 with nothing to do\n"
            "reprise: left alone       1  node 3 (mem_alloc): owns memory\n"
            "reprise: nodes 650 -> 553, quantizers 169 -> 57, "
            "2 opaque nodes, 4608 bytes of images\n"
            "reprise: kept            56  not_a_producer\n"
            "reprise: not used        32  probe_mismatch: byte 2 of the image\n"
            "reprise: launches 100 rewritten, 6 as they were\n"
            "reprise: updates 1 unchanged, 2 patched, 3 updated, 4 rebuilt\n"
            "reprise: fell back        5  launched into a capture\n"
            "reprise: verified 8 launches, 1 differed\n"
            "reprise: 12.5 ms spent here\n");
}

TEST(RunReport, OfADryRunSaysWhatWouldHappen) {
  ProgramCounts counts;
  counts.graphs = 1;
  counts.rewritten = 1;
  EXPECT_EQ(TextReport(counts, true),
            "reprise: 1 graphs: 1 would be rewritten, 0 with nothing to do\n"
            "reprise: nodes 0 -> 0, quantizers 0 -> 0, 0 opaque nodes, "
            "0 bytes of images\n"
            "reprise: 0.0 ms spent here\n");
}

TEST(RunReport, SaysThatThereWasNoGraph) {
  EXPECT_EQ(TextReport(ProgramCounts(), false),
            "reprise: the program instantiated no CUDA graph\n");
}

TEST(RunReport, OfALintNamesEveryFinding) {
  ProgramCounts counts;
  counts.graphs = 3;
  counts.linted = 1;
  counts.findings = {{"node 2 (f) wrote 8 bytes", 1}};
  counts.declined_graphs = {{"node 0 (host_call) cannot be run alone", 1}};
  counts.fallbacks = {{"compare bytes: out of memory", 1}};
  EXPECT_EQ(LintReport(counts),
            "reprise: 1 of 3 graphs run node by node, 1 findings\n"
            "reprise: found: node 2 (f) wrote 8 bytes\n"
            "reprise: not run          1  node 0 (host_call) cannot be run "
            "alone\n"
            "reprise: stopped          1  compare bytes: out of memory\n");
}

TEST(RunReport, HasTheSameInJson) {
  EXPECT_EQ(
      JsonReport(SomeCounts(), false),
      "{\"dry_run\":false,"
      "\"graphs\":{\"seen\":4,\"rewritten\":2,\"nothing_to_do\":1,"
      "\"declined\":{\"node 3 (mem_alloc): owns memory\":1}},"
      "\"nodes\":{\"before\":650,\"after\":553,\"opaque\":2},"
      "\"quantizers\":{\"before\":169,\"after\":57},"
      "\"declines\":{\"not_a_producer\":56},"
      "\"unused_kernels\":{\"probe_mismatch: byte 2 of the image\":32},"
      "\"arena_bytes\":4608,"
      "\"updates\":{\"unchanged\":1,\"patched\":2,\"updated\":3,\"rebuilt\":4},"
      "\"launches\":{\"rewritten\":100,\"original\":6},"
      "\"fallbacks\":{\"launched into a capture\":5},"
      "\"verified\":{\"launches\":8,\"differing\":1},"
      "\"lint\":{\"graphs\":0,\"findings\":{}},"
      "\"ms_in_reprise\":12.5}\n");
}

TEST(RunReport, IsAppendedToTheFileThatIsNamed) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("run_report_test." + std::to_string(getpid())))
                               .string();
  Settings settings;
  settings.report_file = path;
  EXPECT_TRUE(WriteReport(ProgramCounts(), settings).ok());
  settings.report = ReportFormat::kNone;
  EXPECT_TRUE(WriteReport(ProgramCounts(), settings).ok());
  settings.report = ReportFormat::kText;
  EXPECT_TRUE(WriteReport(ProgramCounts(), settings).ok());
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string line = TextReport(ProgramCounts(), false);
  EXPECT_EQ(text.str(), line + line);
  std::remove(path.c_str());
}

TEST(RunReport, SaysWhichFileCannotBeWritten) {
  Settings settings;
  settings.report_file = "/no/such/folder/report";
  const absl::Status written = WriteReport(ProgramCounts(), settings);
  EXPECT_EQ(written.message().substr(0, 5), "write");
}

}  // namespace
}  // namespace reprise
