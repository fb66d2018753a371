#include "replay/chrome_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/replay/launch_case.h"

namespace reprise::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kNorm[] = "_Z12rms_norm_f32ILi256EEvPf";

// A norm, a copy and a matrix kernel, whose numbers an executable gave.
class ATrace : public ::testing::Test {
 protected:
  ATrace() {
    AddKernel(graph_, kNorm, RmsNorm{.form = RmsForm::kMul}, {8, 1, 1});
    graph_.AddCopy({});
    AddKernel(graph_, "matvec", MatVec(), {64, 2, 1});
    records_ = {At(RunOf("matvec", 0x900000013), 14, 5500, 9000),
                At(RunOf(kNorm, 0x900000010), 14, 2000, 4250),
                At(RunOf(NodeKind::kCopy, 0x900000011), 15, 4300, 4301)};
    records_[0].grid = {64, 2, 1};
    records_[1].grid = {8, 1, 1};
  }

  static NodeRecord At(NodeRecord record, std::uint32_t stream,
                       std::uint64_t start, std::uint64_t end) {
    record.stream = stream;
    record.start_ns = start;
    record.end_ns = end;
    return record;
  }

  Json Parsed() const {
    return Json::parse(ChromeTrace(graph_, records_)).at("traceEvents");
  }

  // The trace's events, less those that name streams.
  std::vector<std::string> Events() const {
    std::vector<std::string> events;
    for (const Json& event : Parsed()) {
      if (event.at("ph") != "M") events.push_back(event.dump());
    }
    return events;
  }

  Graph graph_;
  std::vector<NodeRecord> records_;
};

TEST_F(ATrace, HasAnEventARecordInOrderOfTheirStarts) {
  EXPECT_THAT(
      Events(),
      ElementsAre(
          R"({"args":{"grid":[8,1,1],"node":0,"op":"rms_norm mul",)"
          R"("symbol":"_Z12rms_norm_f32ILi256EEvPf"},"cat":"rms_norm mul",)"
          R"("dur":2.25,"name":"rms_norm_f32","ph":"X","pid":0,"tid":14,)"
          R"("ts":0.0})",
          R"({"args":{"node":1},"cat":"memcpy","dur":0.001,)"
          R"("name":"memcpy","ph":"X","pid":0,"tid":15,"ts":2.3})",
          R"({"args":{"grid":[64,2,1],"node":2,"op":"matvec q4_0",)"
          R"("symbol":"matvec"},"cat":"matvec q4_0","dur":3.5,)"
          R"("name":"matvec","ph":"X","pid":0,"tid":14,"ts":3.5})"));
}

TEST_F(ATrace, NamesEveryStreamOnce) {
  std::vector<std::string> names;
  for (const Json& event : Parsed()) {
    if (event.at("ph") == "M") names.push_back(event.at("args").at("name"));
  }
  EXPECT_THAT(names, ElementsAre("stream 14", "stream 15"));
}

TEST_F(ATrace, LeavesOutARecordWithoutTimes) {
  records_[1].start_ns = records_[1].end_ns = 0;
  EXPECT_EQ(Events().size(), 2u);
  EXPECT_NE(Events()[0].find("\"ts\":0.0"), std::string::npos);
}

TEST_F(ATrace, OfNothingIsATraceAllTheSame) {
  records_.clear();
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(ATrace, ReplacesWhatIsNoUtf8) {
  records_[1].symbol = "\xff";
  EXPECT_NE(Events()[0].find("\xef\xbf\xbd"), std::string::npos);
}

TEST_F(ATrace, GivesNodesToTheRecordsOfEveryReplay) {
  records_.push_back(records_[0]);
  records_.push_back(RunOf("warmup", 0));
  EXPECT_THAT(
      NodesOf(graph_, records_),
      ElementsAre(NodeId{2}, NodeId{0}, NodeId{1}, NodeId{2}, NodeId()));
}

TEST_F(ATrace, HasNoNodeWhereOneRecordIsOfAnotherGraph) {
  const std::vector<NodeId> none(3);
  std::vector<NodeRecord> records = records_;
  records[0].grid.x = 65;
  EXPECT_EQ(NodesOf(graph_, records), none);
  records = records_;
  records[1].symbol = "matvec";
  EXPECT_EQ(NodesOf(graph_, records), none);
  records = records_;
  records[2].kind = NodeKind::kFill;
  EXPECT_EQ(NodesOf(graph_, records), none);
  records = records_;
  records[2].graph_node = records[1].graph_node;
  EXPECT_EQ(NodesOf(graph_, records), none);
}

}  // namespace
}  // namespace reprise::testing
