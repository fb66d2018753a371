#include "replay/dropped_floats.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/text.h"
#include "replay/schedule.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

// Of node 1, which is dropped.
std::string FloatsOf(absl::string_view text) {
  const absl::StatusOr<Graph> graph = GraphFromText(text);
  if (!graph.ok()) return std::string(graph.status().message());
  const absl::StatusOr<std::vector<NodeId>> order = ScheduleOf(*graph);
  if (!order.ok()) return std::string(order.status().message());
  std::string rows;
  for (const Allocation& stretch : DroppedFloats(*graph, *order, {NodeId{1}})) {
    absl::StrAppend(&rows, absl::Hex(stretch.address), "+", stretch.bytes, " ");
  }
  return rows;
}

constexpr absl::string_view kProducer =
    "1: rms_norm mul | 0x1000:f32:32 -> 0x2000:f32:32\n";

TEST(DroppedFloats, AreWhatTheProducerWrote) {
  EXPECT_EQ(
      FloatsOf(absl::StrCat("chain\n0: other | -> 0x1000:f32:32\n", kProducer,
                            "2: other | 0x2000:f32:32 -> 0x3000:f32:32\n")),
      "2000+128 ");
}

TEST(DroppedFloats, AreAlsoWhereOtherNodesUsedTheirMemoryFirst) {
  EXPECT_EQ(
      FloatsOf(absl::StrCat("chain\n0: other | -> 0x2000:f32:8\n", kProducer)),
      "2000+128 ");
  EXPECT_EQ(
      FloatsOf("0: other | -> 0x2000:f32:8\n"
               "1: rms_norm mul | 0x1000:f32:32 -> 0x2000:f32:32 | after 2\n"
               "2: other | 0x2000:f32:8 -> 0x1000:f32:32 | after 0\n"),
      "2000+128 ");
}

TEST(DroppedFloats, AreNoneWhereAReplayReadsWhatTheLastOneLeft) {
  EXPECT_EQ(
      FloatsOf(absl::StrCat("chain\n0: other | 0x207C:f32:1 -> 0x1000:f32:32\n",
                            kProducer)),
      "");
  EXPECT_EQ(FloatsOf("chain\n0: other | -> 0x1000:f32:32\n"
                     "1: rms_norm mul | 0x2000:f32:32 -> 0x2000:f32:32\n"),
            "");
  // Of 32 bytes that are read, 16 were written, or may have been.
  for (const char* written : {"0x2000:f32:4", "0x2000:f32:8?"}) {
    EXPECT_EQ(
        FloatsOf(absl::StrCat(
            "0: other | -> ", written,
            "\n1: rms_norm mul | 0x1000:f32:32 -> 0x2000:f32:32 | after 2\n"
            "2: other | 0x2000:f32:8 -> 0x1000:f32:32 | after 0\n")),
        "")
        << written;
  }
}

}  // namespace
}  // namespace reprise
