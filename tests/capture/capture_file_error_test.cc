// What a capture must not be, and the one line that says so.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "capture/capture_file.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;

// A capture that is right; each row below puts one thing of it wrong.
constexpr char kRight[] = R"({"format":"cuda-graph-capture","version":1,
"nodes":[
{"id":0,"type":"kernel","symbol":"f","grid":[1,2,3],"block":[4,5,6],
 "shared_bytes":0,
 "params":[{"offset":0,"bytes":"0011"},{"offset":4,"bytes":"22334455"}]},
{"id":1,"type":"memcpy","src":"0x10","dst":"0x20","width_bytes":1,"height":1,
 "depth":1,"src_pitch":0,"dst_pitch":0,"src_memory":2,"dst_memory":2},
{"id":2,"type":"memset","dst":"0x30","width":1,"height":1,"pitch":0,
 "element_bytes":1,"value":9},
{"id":3,"type":"event_wait","event":7,"stream":0}],
"edges":[
{"from":0,"to":1,"from_port":1,"to_port":0,"type":"programmatic"},
{"from":1,"to":2,"from_port":0,"to_port":0,"type":"full"}],
"allocations":[{"address":"0x10","bytes":64}]})";

struct Case {
  const char* name;
  const char* old;  // text of kRight, once there
  std::string now;  // what stands there instead
  std::string message;
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

const Case kCases[] = {
    {"FormatMissing", R"("format":"cuda-graph-capture",)", "",
     "missing key 'format'"},
    {"FormatOther", R"("cuda-graph-capture")", R"("gguf")",
     "format: expected 'cuda-graph-capture'"},
    {"VersionOther", R"("version":1)", R"("version":2)",
     "version: expected 1, the only version there is"},
    {"NodesMissing", R"("nodes")", R"("knots")", "missing key 'nodes'"},
    {"EdgesMissing", R"("edges")", R"("wedges")", "missing key 'edges'"},
    {"EdgesNoArray", R"("edges":[)", R"("edges":7,"was":[)",
     "edges: expected an array"},
    {"AllocationsMissing", R"("allocations")", R"("heaps")",
     "missing key 'allocations'"},

    {"NodeNoObject", R"("nodes":[)", R"("nodes":[[],)",
     "nodes[0]: expected an object"},
    {"IdMissing", R"("id":1,)", "", "nodes[1]: missing key 'id'"},
    {"IdNotDense", R"("id":1,)", R"("id":2,)",
     "nodes[1].id: expected 1: ids count up from 0"},
    {"IdTwice", R"("id":1,)", R"("id":0,)",
     "nodes[1].id: expected 1: ids count up from 0"},
    {"TypeMissing", R"("type":"memcpy",)", "", "nodes[1]: missing key 'type'"},
    {"TypeUnknown", R"("memcpy")", R"("mem\ncpy")",
     R"(nodes[1].type: unknown node type 'mem\ncpy')"},
    {"TypeNoString", R"("type":"memcpy")", R"("type":3)",
     "nodes[1].type: expected a string"},
    {"StreamNegative", R"("stream":0)", R"("stream":-1)",
     "nodes[3].stream: expected an integer from 0 to 4294967294"},
    {"StreamTooLarge", R"("stream":0)", R"("stream":4294967295)",
     "nodes[3].stream: expected an integer from 0 to 4294967294"},
    {"EventFraction", R"("event":7)", R"("event":7.0)",
     "nodes[3].event: expected an integer from 0 to 4294967294"},

    {"SymbolMissing", R"("symbol":"f",)", "", "nodes[0]: missing key 'symbol'"},
    {"GridOfTwo", "[1,2,3]", "[1,2]", "nodes[0].grid: expected three integers"},
    {"GridNoArray", "[1,2,3]", "1", "nodes[0].grid: expected an array"},
    {"GridZero", "[1,2,3]", "[1,0,3]",
     "nodes[0].grid[1]: expected an integer from 1 to 4294967295"},
    {"BlockTooLarge", "[4,5,6]", "[4,5,4294967296]",
     "nodes[0].block[2]: expected an integer from 1 to 4294967295"},
    {"SharedHuge", R"("shared_bytes":0)",
     R"("shared_bytes":99999999999999999999999)",
     "nodes[0].shared_bytes: expected an integer from 0 to 4294967295"},
    {"SharedText", R"("shared_bytes":0)", R"("shared_bytes":"0")",
     "nodes[0].shared_bytes: expected an integer from 0 to 4294967295"},
    {"ClusterOfOne", R"("symbol":"f")", R"("symbol":"f","cluster":[1])",
     "nodes[0].cluster: expected three integers"},
    {"FlagNoBool", R"("symbol":"f")", R"("symbol":"f","cooperative":1)",
     "nodes[0].cooperative: expected true or false"},

    {"ParamsMissing", R"("params")", R"("parms")",
     "nodes[0]: missing key 'params'"},
    {"OffsetMissing", R"("offset":4,)", "",
     "nodes[0].params[1]: missing key 'offset'"},
    {"OffsetOverlaps", R"("offset":4)", R"("offset":1)",
     "nodes[0].params[1].offset: the parameter before ends at 2"},
    {"OffsetDescends", R"("offset":0)", R"("offset":8)",
     "nodes[0].params[1].offset: the parameter before ends at 10"},
    {"OffsetAbsurd", R"("offset":4)", R"("offset":65536)",
     "nodes[0].params[1].offset: expected an integer from 0 to 65535"},
    {"BytesAbsurd", R"("offset":4)", R"("offset":65533)",
     "nodes[0].params[1].bytes: ends beyond 65536 bytes of parameters"},
    {"BytesNoHex", "22334455", "2233x455",
     "nodes[0].params[1].bytes: not a hex digit"},
    {"BytesOdd", "22334455", "2233445",
     "nodes[0].params[1].bytes: odd number of hex digits"},
    {"BytesEmpty", "22334455", "", "nodes[0].params[1].bytes: no hex digits"},
    {"BytesNumber", R"("22334455")", "22334455",
     "nodes[0].params[1].bytes: expected a string"},

    {"SourceMissing", R"("src":"0x10",)", "", "nodes[1]: missing key 'src'"},
    {"AddressNumber", R"("dst":"0x20")", R"("dst":32)",
     "nodes[1].dst: expected a string"},
    {"AddressEmpty", R"("dst":"0x20")", R"("dst":"0x")",
     "nodes[1].dst: expected a 64-bit address in hex"},
    {"AddressNoHex", R"("dst":"0x20")", R"("dst":"0x2g")",
     "nodes[1].dst: expected a 64-bit address in hex"},
    {"AddressTooLong", R"("dst":"0x20")", R"("dst":"0x12345678123456780")",
     "nodes[1].dst: expected a 64-bit address in hex"},
    {"DepthNegative", R"("depth":1)", R"("depth":-1)",
     "nodes[1].depth: expected an integer from 0 to 18446744073709551615"},
    {"MemoryKindUnknown", R"("src_memory":2)", R"("src_memory":5)",
     "nodes[1].src_memory: expected an integer from 0 to 4"},
    {"ElementOfThree", R"("element_bytes":1)", R"("element_bytes":3)",
     "nodes[2].element_bytes: expected 1, 2 or 4"},
    {"ValueTooLarge", R"("value":9)", R"("value":4294967296)",
     "nodes[2].value: expected an integer from 0 to 4294967295"},
    {"PitchMissing", R"("pitch":0,)", "", "nodes[2]: missing key 'pitch'"},

    {"EdgeFromMissing", R"("from":0,)", "", "edges[0]: missing key 'from'"},
    {"EdgeOutOfRange", R"("to":2)", R"("to":4)",
     "edges[1].to: no node 4 among 4"},
    {"EdgeNegative", R"("to":2)", R"("to":-2)",
     "edges[1].to: expected an integer from 0 to 4294967295"},
    {"EdgeToItself", R"("to":2)", R"("to":1)",
     "edges[1]: from node 1 to itself"},
    {"EdgeTwice", R"("from":1,"to":2)", R"("from":0,"to":1)",
     "edges[1]: joins the same nodes as edges[0]"},
    {"EdgeCycle", R"("from":1,"to":2)", R"("from":1,"to":0)",
     "edges: node 0 is on a cycle of edges"},
    {"EdgeTypeUnknown", R"("full")", R"("half")",
     "edges[1].type: unknown edge type 'half'"},
    {"EdgeTypeMissing", R"(,"type":"full")", "",
     "edges[1]: missing key 'type'"},
    {"PortTooLarge", R"("from_port":1)", R"("from_port":256)",
     "edges[0].from_port: expected an integer from 0 to 255"},
    {"PortMissing", R"("from_port":1,)", "",
     "edges[0]: missing key 'from_port'"},

    {"AllocationBytesMissing", R"(,"bytes":64)", "",
     "allocations[0]: missing key 'bytes'"},
    {"AllocationWraps", R"("bytes":64)", R"("bytes":18446744073709551600)",
     "allocations[0]: ends beyond the 64-bit address space"},

    {"NoJson", R"({"format")", R"([}"format")",
     "line 1, column 2: syntax error while parsing value - unexpected '}'; "
     "expected '[', '{', or a literal"},
    {"NoUtf8", R"("symbol":"f")", "\"symbol\":\"\xff\"",
     "line 3, column 35: syntax error while parsing value - invalid string: "
     "ill-formed UTF-8 byte"},
    {"MoreAfterTheEnd", R"("bytes":64}]})", R"("bytes":64}]} {)",
     "line 14, column 48: syntax error while parsing value - unexpected '{'; "
     "expected end of input"},
    {"NumberOverflows", R"("value":9)", R"("value":1e999)",
     "line 9, column 32: number overflow parsing '1e999'"},
    {"NestedTooDeep", R"("format")",
     absl::StrCat("\"x\":\n", std::string(100, '['), std::string(100, ']'),
                  ",\"format\""),
     "line 2, column 32: nested deeper than 32"},
};

class WrongCapture : public ::testing::TestWithParam<Case> {};

TEST_P(WrongCapture, IsRefusedInOneLineThatNamesThePlace) {
  const Case& row = GetParam();
  const std::string right = kRight;
  const std::size_t at = right.find(row.old);
  ASSERT_NE(at, right.npos);
  std::string wrong = right;
  wrong.replace(at, std::string(row.old).size(), row.now);
  const auto graph = ParseCapture(wrong);
  EXPECT_THAT(graph, HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(graph.status().message(), row.message);
}

INSTANTIATE_TEST_SUITE_P(Rows, WrongCapture, ::testing::ValuesIn(kCases),
                         [](const auto& p) {
                           return std::string(p.param.name);
                         });

TEST(ParseCapture, AcceptsTheCaptureThatTheRowsPutWrong) {
  EXPECT_OK(ParseCapture(kRight));
}

TEST(ParseCapture, RefusesNothingAtAll) {
  EXPECT_EQ(ParseCapture("").status().message(),
            "line 1, column 1: syntax error while parsing value - unexpected "
            "end of input; expected '[', '{', or a literal");
}

TEST(ParseCapture, RefusesAnObjectWithVeryManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 257; ++i) absl::StrAppend(&text, "\"", i, "\":0,");
  EXPECT_THAT(ParseCapture(text),
              testing::HasText("more than 256 keys in one object"));
}

}  // namespace
}  // namespace reprise
