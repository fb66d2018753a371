#include "replay/written_ranges.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/text.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using testing::HasCode;
using testing::HasText;

std::string RangesOf(absl::string_view text) {
  const absl::StatusOr<Graph> graph = GraphFromText(text);
  if (!graph.ok()) return std::string(graph.status().message());
  const auto ranges = WrittenRanges(*graph);
  if (!ranges.ok()) return std::string(ranges.status().message());
  std::string rows;
  for (const Allocation& range : *ranges) {
    absl::StrAppend(&rows, absl::Hex(range.address), "+", range.bytes, " ");
  }
  return rows;
}

TEST(WrittenRanges, AreWhatNodesWriteInTheOrderOfAddresses) {
  EXPECT_EQ(RangesOf("0: other | 0x9000:f32:4 -> 0x5000:f32:4\n"
                     "1: memset | -> 0x1000:byte:8 | after 0\n"),
            "1000+8 5000+16 ");
}

TEST(WrittenRanges, JoinWhatTouchesOrOverlaps) {
  EXPECT_EQ(RangesOf("chain\n"
                     "0: memset | -> 0x1000:byte:16\n"
                     "1: memset | -> 0x1010:byte:16\n"
                     "2: memset | -> 0x1008:byte:8\n"
                     "3: memset | -> 0x1021:byte:1\n"),
            "1000+32 1021+1 ");
}

TEST(WrittenRanges, CountTheHolesBetweenRowsAndTheBoundOfASubset) {
  EXPECT_EQ(RangesOf("chain\n"
                     "0: other | -> 0x1000:f32:4x2/4,64\n"
                     "1: other | -> 0x2000:f32:4?\n"),
            "1000+80 2000+16 ");
}

TEST(WrittenRanges, AreNoneWhereAReplayCannotBeTakenBack) {
  for (const char* kind : {"host", "event_wait", "event_record", "child_graph",
                           "mem_alloc", "mem_free", "conditional"}) {
    const absl::StatusOr<Graph> graph = GraphFromText(absl::StrCat(
        "0: memset | -> 0x1000:byte:8\n1: ", kind, " | | after 0\n"));
    ASSERT_OK(graph) << kind;
    EXPECT_THAT(WrittenRanges(*graph).status(),
                HasCode(absl::StatusCode::kUnimplemented));
    EXPECT_THAT(WrittenRanges(*graph).status(), HasText("node 1"));
  }
}

TEST(WrittenRanges, AreNoneWhereANodeMayWriteAnywhere) {
  const Graph graph = *GraphFromText("0: opaque | |\n");
  EXPECT_THAT(WrittenRanges(graph).status(), HasText("node 0"));
}

TEST(WrittenRanges, CoverWhatRandomGraphsWriteAndNothingElse) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string text = "chain\n";
    std::set<std::uint64_t> bytes;
    for (int node = 0; node < 12; ++node) {
      const std::uint64_t address = 0x1000 + random() % 256;
      const std::uint64_t size = 1 + random() % 24;
      absl::StrAppend(&text, node, ": memset | -> 0x", absl::Hex(address),
                      ":byte:", size, "\n");
      for (std::uint64_t i = 0; i < size; ++i) bytes.insert(address + i);
    }
    const auto ranges = WrittenRanges(*GraphFromText(text));
    ASSERT_OK(ranges);
    std::uint64_t covered = 0;
    std::uint64_t end = 0;
    for (const Allocation& range : *ranges) {
      EXPECT_GT(range.address, end) << text;
      end = range.end();
      covered += range.bytes;
      for (std::uint64_t at = range.address; at < end; ++at) {
        EXPECT_EQ(bytes.count(at), 1u) << text;
      }
    }
    EXPECT_EQ(covered, bytes.size()) << text;
  }
}

}  // namespace
}  // namespace reprise
