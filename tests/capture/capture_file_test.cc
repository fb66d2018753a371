#include "capture/capture_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "capture/gzip.h"
#include "capture/json_document.h"
#include "tests/capture/every_kind.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;
using ::reprise::testing::kEveryKind;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!IsGzip(bytes)) return bytes;
  return UnpackGzip(bytes, kMaxCaptureBytes).value_or("");
}

std::string FromNodes(const std::string& capture) {
  return capture.substr(capture.find("\"nodes\":"));
}

// Keeps the order of its keys.
Json Source(const std::string& capture) {
  const std::size_t begin = capture.find("\"source\":") + 9;
  const std::size_t end = capture.find(",\n\"nodes\":");
  return ParseJson(capture.substr(begin, end - begin)).value_or(Json());
}

// A file of this test alone, gone with it.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& suffix)
      : path_(::testing::TempDir() + "reprise_capture_file_test_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name() +
              suffix) {}
  ~ScratchFile() { std::remove(path_.c_str()); }

  const std::string& path() const { return path_; }
  void Write(absl::string_view bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

struct Real {
  const char* file;
  std::size_t nodes, edges;
  std::ptrdiff_t programmatic;
};

constexpr Real kReal[] = {
    {"ggml_qwen7b_q4_0_T1.json", 647, 646, 562},
    {"ggml_llama1b_q4_k_T1.json", 371, 370, 322},
    {"ggml_llama1b_q4_0_T1_nopdl.json", 371, 370, 0},
    {"ggml_llama1b_q4_0_T8.json", 451, 450, 402},
    {"ggml_llama1b_q4_0_T512.json.gz", 627, 626, 176},
    {"ggml_moe_q4_0_T1.json", 867, 866, 746},
    {"ggml_moe_q4_0_T4.json.gz", 963, 962, 818},
    {"ggml_moe_q4_k_T512.json.gz", 1275, 1274, 480},
};

class RealCapture : public ::testing::TestWithParam<Real> {
 protected:
  std::string path() const {
    return std::string(REPRISE_TEST_DATA "/captures/") + GetParam().file;
  }
};

TEST_P(RealCapture, IsReadWholeAndWrittenBackUnchanged) {
  const auto graph = ReadCapture(path());
  ASSERT_OK(graph);
  EXPECT_EQ(graph->num_nodes(), GetParam().nodes);
  EXPECT_EQ(graph->edges().size(), GetParam().edges);
  EXPECT_EQ(std::count_if(graph->edges().begin(), graph->edges().end(),
                          [](const Edge& edge) {
                            return edge.type == EdgeType::kProgrammatic;
                          }),
            GetParam().programmatic);

  // The same text, but for blanks in the line of the source.
  const std::string text = ReadText(path());
  const std::string written = FormatCapture(*graph);
  EXPECT_TRUE(FromNodes(text) == FromNodes(written));
  EXPECT_EQ(Source(text), Source(written));
  EXPECT_TRUE(Source(text).contains("engine"));

  const auto again = ParseCapture(written);
  ASSERT_OK(again);
  EXPECT_TRUE(FormatCapture(*again) == written);
}

INSTANTIATE_TEST_SUITE_P(Files, RealCapture, ::testing::ValuesIn(kReal),
                         [](const auto& p) {
                           std::string name = p.param.file;
                           return name.substr(0, name.find('.'));
                         });

TEST(ParseCapture, CarriesEveryNodeTypeAndEveryOptionalKey) {
  const auto graph = ParseCapture(kEveryKind);
  ASSERT_OK(graph);
  EXPECT_EQ(FormatCapture(*graph), kEveryKind);
}

TEST(ParseCapture, PutsEveryValueInItsField) {
  const auto graph = ParseCapture(kEveryKind);
  ASSERT_OK(graph);
  EXPECT_EQ(graph->node(NodeId{0}).stream, StreamId{3});
  EXPECT_FALSE(graph->node(NodeId{1}).stream.valid());
  EXPECT_EQ(graph->node(NodeId{8}).event, EventId{0});
  EXPECT_FALSE(graph->node(NodeId{7}).event.valid());
  EXPECT_EQ(graph->launch(NodeId{0}),
            (KernelLaunch{.symbol = "_Z4pluspf\"q\"",
                          .grid = {7, 2, 1},
                          .block = {256, 1, 4},
                          .shared_bytes = 1024,
                          .parameters = {{0, 4}, {8, 8}},
                          .bytes = {0, 0xff, 0x10, 0xa0, 0, 0, 0, 0, 0x01, 0x23,
                                    0x45, 0x67, 0x89, 0xab, 0xcd, 0xef},
                          .programmatic_serialization = true,
                          .cooperative = true,
                          .cluster = Dim3{2, 1, 1}}));
  EXPECT_EQ(graph->copy(NodeId{2}), (Copy{.source = 0x7f0000001000,
                                          .target = 0,
                                          .width_bytes = 64,
                                          .height = 3,
                                          .depth = 2,
                                          .source_pitch = 128,
                                          .target_pitch = 64,
                                          .source_kind = MemoryKind::kDevice,
                                          .target_kind = MemoryKind::kHost}));
  EXPECT_EQ(graph->fill(NodeId{3}), (Fill{.target = 0xffffffffffffffff,
                                          .width = 16,
                                          .height = 2,
                                          .pitch = 32,
                                          .element_bytes = 4,
                                          .value = 0xffffffff}));
  EXPECT_EQ(graph->edges()[0],
            (Edge{NodeId{0}, NodeId{1}, EdgeType::kProgrammatic, 1, 0}));
  EXPECT_EQ(graph->allocations()[0], (Allocation{0x7f0000000000, 8192}));
}

TEST(ParseCapture, RefusesACaptureCutAtAnyByte) {
  const absl::string_view whole = kEveryKind;
  ASSERT_OK(ParseCapture(whole.substr(0, whole.size() - 1)));  // the newline
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_THAT(ParseCapture(whole.substr(0, size)), HasText("line "))
        << "cut to " << size;
  }
}

TEST(ParseCapture, IgnoresKeysThatItDoesNotKnow) {
  std::string text = kEveryKind;
  text.insert(1, R"("later":{"version":[2]},)");
  text.insert(text.find(R"("id":0)"), R"("priority":-1,)");
  text.insert(text.find(R"("offset":0)"), R"("name":"x",)");
  text.insert(text.find(R"("from":0)"), R"("weight":0.5,)");
  const auto graph = ParseCapture(text);
  ASSERT_OK(graph);
  EXPECT_EQ(FormatCapture(*graph), kEveryKind);
}

TEST(FormatCapture, WritesASourceThatIsNoJsonAsAString) {
  Graph graph;
  graph.set_source("my \"own\" program\n\xff");
  const std::string text = FormatCapture(graph);
  const auto again = ParseCapture(text);
  ASSERT_OK(again);
  EXPECT_EQ(again->source(), "\"my \\\"own\\\" program\\n\xef\xbf\xbd\"");
  EXPECT_EQ(FormatCapture(*again), text);
}

TEST(FormatCapture, WritesAGraphOfNothing) {
  const std::string text = FormatCapture(Graph());
  const auto again = ParseCapture(text);
  ASSERT_OK(again);
  EXPECT_EQ(again->num_nodes(), 0u);
  EXPECT_EQ(FormatCapture(*again), text);
}

TEST(WriteCapture, PacksWhatEndsInGzAndOnlyThat) {
  const auto graph = ParseCapture(kEveryKind);
  ASSERT_OK(graph);
  for (const char* suffix : {".json", ".json.gz"}) {
    const ScratchFile file(suffix);
    ASSERT_OK(WriteCapture(*graph, file.path()));
    EXPECT_EQ(ReadText(file.path()), kEveryKind);
    const auto again = ReadCapture(file.path());
    ASSERT_OK(again);
    EXPECT_EQ(FormatCapture(*again), kEveryKind);
  }
  const ScratchFile plain(".json"), packed(".json.gz");
  ASSERT_OK(WriteCapture(*graph, plain.path()));
  ASSERT_OK(WriteCapture(*graph, packed.path()));
  EXPECT_LT(std::filesystem::file_size(packed.path()),
            std::filesystem::file_size(plain.path()) / 2);
}

TEST(WriteCapture, SaysWhereItCannotWrite) {
  const auto status = WriteCapture(Graph(), "/no/such/folder/x.json");
  EXPECT_THAT(status, HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(status, HasText("/no/such/folder/x.json"));
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_THAT(WriteCapture(Graph(), "/dev/full"), HasText("/dev/full"));
  }
}

TEST(ReadCapture, NamesTheFileThatIsNotThere) {
  const auto graph = ReadCapture("no_such_capture.json");
  EXPECT_THAT(graph, HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(graph, HasText("no_such_capture.json: No such file"));
}

TEST(ReadCapture, RefusesAFolder) {
  EXPECT_THAT(ReadCapture(::testing::TempDir()), HasText("directory"));
}

TEST(ReadCapture, NamesTheFileAndThePlaceOfAnError) {
  const ScratchFile file(".json");
  file.Write("{");
  EXPECT_THAT(ReadCapture(file.path()), HasText(file.path() + ": line 1, col"));
}

TEST(ReadCapture, KnowsGzipByItsBytesAndNotByItsName) {
  const ScratchFile file(".json");
  const auto packed = PackGzip(kEveryKind);
  ASSERT_OK(packed);
  file.Write(*packed);
  EXPECT_OK(ReadCapture(file.path()));
}

TEST(ReadCapture, HoldsItsLimitPackedAndUnpacked) {
  const std::size_t size = std::string(kEveryKind).size();
  const ScratchFile plain(".json"), packed(".json.gz");
  const auto bytes = PackGzip(kEveryKind);
  ASSERT_OK(bytes);
  plain.Write(kEveryKind);
  packed.Write(*bytes);
  for (const std::string& path : {plain.path(), packed.path()}) {
    EXPECT_OK(ReadCapture(path, size));
    const auto refused = ReadCapture(path, size - 1);
    EXPECT_THAT(refused, HasCode(absl::StatusCode::kResourceExhausted));
    EXPECT_THAT(refused, HasText(path));
  }
}

TEST(ReadCapture, ReportsAPackedFileCutShort) {
  const ScratchFile file(".json.gz");
  const auto packed = PackGzip(kEveryKind);
  ASSERT_OK(packed);
  file.Write(packed->substr(0, packed->size() - 9));
  EXPECT_THAT(ReadCapture(file.path()),
              HasCode(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace reprise
