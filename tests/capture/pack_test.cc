#include "capture/pack.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "capture/signature.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

// One small kernel, and the parts that the tests replace.
constexpr char kPack[] = R"({"pack": "p", "version": 1, TABLES
  "signatures": [{"name": "k", "symbol": "SYMBOL",
    "parameters": [PARAMETERS],
    "op": OP, "waits": true, EXTRA
    "effects": [EFFECTS]}]})";

struct Parts {
  std::string tables = R"("types": {"f": 4}, "formats": {"2": "q4_0"},)";
  std::string symbol = "k_(?P<t0>f|2)$";
  std::string parameters = R"("0 pointer x", "8 pointer y", "16 i32 n")";
  std::string op = R"("rms_norm plain")";
  std::string extra = "";
  std::string effects =
      R"({"parameter": "x", "access": "read", "length": "n*4"})";
};

std::string PackOf(const Parts& parts) {
  return absl::StrReplaceAll(kPack, {{"TABLES", parts.tables},
                                     {"SYMBOL", parts.symbol},
                                     {"PARAMETERS", parts.parameters},
                                     {"OP", parts.op},
                                     {"EXTRA", parts.extra},
                                     {"EFFECTS", parts.effects}});
}

std::string MessageOf(const std::string& json) {
  const auto pack = Pack::Parse(json);
  EXPECT_THAT(pack, testing::HasCode(absl::StatusCode::kInvalidArgument))
      << json;
  return std::string(pack.status().message());
}

TEST(Pack, ReadsASmallPack) {
  const auto pack = Pack::Parse(PackOf({}));
  ASSERT_OK(pack);
  EXPECT_EQ(pack->name(), "p");
  ASSERT_EQ(pack->signatures().size(), 1u);
  EXPECT_EQ(pack->signatures()[0].name, "k");
  EXPECT_TRUE(pack->signatures()[0].waits);
}

TEST(Pack, RecognisesOnlyItsSymbolAndLayout) {
  const auto pack = Pack::Parse(PackOf({}));
  ASSERT_OK(pack);
  KernelLaunch launch;
  launch.symbol = "k_f";
  launch.parameters = {{0, 8}, {8, 8}, {16, 4}};
  launch.bytes.resize(20);
  EXPECT_EQ(pack->Find(launch), &pack->signatures()[0]);
  for (const char* other : {"k_", "k_ff", "xk_f", ""}) {
    KernelLaunch renamed = launch;
    renamed.symbol = other;
    EXPECT_EQ(pack->Find(renamed), nullptr) << other;
  }
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    KernelLaunch resized = launch;
    resized.parameters[i].size *= 2;
    EXPECT_EQ(pack->Find(resized), nullptr) << i;
  }
  KernelLaunch longer = launch;
  longer.parameters.push_back({20, 4});
  longer.bytes.resize(24);
  EXPECT_EQ(pack->Find(longer), nullptr);
  KernelLaunch cut = launch;
  cut.bytes.resize(19);
  EXPECT_EQ(pack->Find(cut), nullptr);
}

struct WrongPack {
  const char* name;
  std::string json;
  const char* message;
};

TEST(Pack, NamesThePlaceOfWhatIsWrong) {
  const auto effect = [](const char* text) {
    return PackOf({.effects = text});
  };
  const auto parameters = [](const char* text) {
    return PackOf({.parameters = text, .effects = ""});
  };
  const WrongPack rows[] = {
      {"no json", "{",
       "pack: line 1, column 1: syntax error while parsing object key - "
       "unexpected end of input; expected string literal"},
      {"number too large", "[1e999]",
       "pack: line 1, column 6: number overflow parsing '1e999'"},
      {"no object", "[]", "pack: no key 'pack'"},
      {"key twice", R"({"pack": "p", "pack": "q"})",
       "pack: key 'pack' twice in one object"},
      {"version", R"({"pack": "p", "version": 2, "signatures": []})",
       "p: version is not 1"},
      {"unknown key",
       R"({"pack": "p", "version": 1, "signatures": [], "x": 0})",
       "p: unknown key 'x'"},
      {"bad format", PackOf({.tables = R"("formats": {"2": "q9"},)"}),
       "p: formats.2: no format 'q9'"},
      {"bad regex", PackOf({.symbol = "k("}),
       "p: signatures[0] k: symbol: missing ): ^(?:k()"},
      {"unnamed group", PackOf({.symbol = "k(f)"}),
       "p: signatures[0] k: symbol: group 1 is not named t0 to t15"},
      {"type", parameters(R"("0 double x")"),
       "p: signatures[0] k: parameters[0]: no type 'double'"},
      {"words", parameters(R"("pointer x")"),
       "p: signatures[0] k: parameters[0]: not 'OFFSET TYPE NAME'"},
      {"overlap", parameters(R"("0 pointer x", "4 i32 n")"),
       "p: signatures[0] k: parameters[1]: overlaps what stands before it"},
      {"order", parameters(R"("8 pointer x", "0 i32 n")"),
       "p: signatures[0] k: parameters[1]: overlaps what stands before it"},
      {"too far", parameters(R"("32764 pointer x")"),
       "p: signatures[0] k: parameters[0]: ends past byte 32764"},
      {"name twice", parameters(R"("0 pointer x", "8 i32 x")"),
       "p: signatures[0] k: parameters[1]: name 'x' twice"},
      {"field past struct",
       parameters(
           R"({"struct": "s", "offset": 0, "bytes": 8, "fields": ["4 i64 n"]})"),
       "p: signatures[0] k: parameters[0].fields[0]: ends past byte 8"},
      {"defined name taken", PackOf({.extra = R"("define": [["n", "1"]],)"}),
       "p: signatures[0] k: define[0]: name 'n' is taken"},
      {"defined by itself", PackOf({.extra = R"("define": [["m", "m"]],)"}),
       "p: signatures[0] k: define[0][1]: unknown name 'm'"},
      {"no op", PackOf({.op = R"("rms_norm big")"}),
       "p: signatures[0] k: op: no op 'rms_norm big'"},
      {"no such pointer",
       effect(R"({"parameter": "n", "access": "read", "length": "1"})"),
       "p: signatures[0] k: effects[0].parameter: no pointer 'n'"},
      {"access", effect(R"({"parameter": "x", "access": "rw", "length": "1"})"),
       "p: signatures[0] k: effects[0].access: neither read nor write"},
      {"no length", effect(R"({"parameter": "x", "access": "read"})"),
       "p: signatures[0] k: effects[0]: no key 'length'"},
      {"unknown name",
       effect(R"({"parameter": "x", "access": "read", "length": "m"})"),
       "p: signatures[0] k: effects[0].length: unknown name 'm'"},
      {"unknown argument",
       effect(R"x({"parameter": "x", "access": "read", "length": "qk(t1)"})x"),
       "p: signatures[0] k: effects[0].length: unknown name 'qk(t1)'"},
      {"row", effect(R"({"parameter": "x", "access": "read", "length": "1",
                         "rows": [["1"]]})"),
       "p: signatures[0] k: effects[0].rows[0]: not a count and a stride"},
      {"role", effect(R"({"parameter": "x", "access": "read", "length": "1",
                          "role": "weights"})"),
       "p: signatures[0] k: effects[0].role: the op reads no weights"},
      {"role and access",
       effect(R"({"parameter": "x", "access": "write", "length": "1",
                  "role": "source"})"),
       "p: signatures[0] k: effects[0].role: the op writes no source"},
      {"element", effect(R"({"parameter": "x", "access": "read",
                             "length": "1", "element": "f8"})"),
       "p: signatures[0] k: effects[0].element: no element type 'f8'"},
      {"gather by no pointer",
       effect(R"({"parameter": "x", "access": "read", "length": "1",
                  "gather": {"by": "n", "stride": "4"}})"),
       "p: signatures[0] k: effects[0].gather.by: no pointer 'n'"},
      {"emitting by no pointer", PackOf({.extra = R"("emitting": {"symbol": "e",
                           "image_parameter": "n"},)"}),
       "p: signatures[0] k: emitting.image_parameter: no pointer 'n'"},
      {"emitting twice", PackOf({.extra = R"("emitting": {"symbol": "e",
                           "image_parameter": "y", "append_image": true},)"}),
       "p: signatures[0] k: emitting: wants one of image_parameter and "
       "append_image"},
      {"emitting nowhere", PackOf({.extra = R"("emitting": {"symbol": "e"},)"}),
       "p: signatures[0] k: emitting: wants one of image_parameter and "
       "append_image"},
      {"emitting in no layout", PackOf({.extra = R"("emitting": {"symbol": "e",
                           "append_image": true, "layout": "d8"},)"}),
       "p: signatures[0] k: emitting.layout: no layout 'd8'"},
      {"emitting without floats in two ways",
       PackOf({.extra = R"("emitting": {"symbol": "e", "append_image": true,
                  "null_output": true, "without_output": "f"},)"}),
       "p: signatures[0] k: emitting: wants one of null_output and "
       "without_output"},
      {"emitting unless", PackOf({.extra = R"("emitting": [{"symbol": "e",
                           "append_image": true, "when": "m"}],)"}),
       "p: signatures[0] k: emitting[0].when: unknown name 'm'"},
      {"emitting reader",
       PackOf({.op = R"("matvec $t0")", .extra = R"("emitting": {"symbol": "e",
                           "image_parameter": "y"},)"}),
       "p: signatures[0] k: emitting: the op is no producer's"},
  };
  for (const WrongPack& row : rows) {
    EXPECT_EQ(MessageOf(row.json), row.message) << row.name;
  }
}

TEST(Pack, RefusesASignatureThatCouldNeverBeFound) {
  const std::string one =
      R"({"name": "a", "symbol": "k", "parameters": [], "effects": []})";
  EXPECT_EQ(MessageOf(R"({"pack": "p", "version": 1, "signatures": [)" + one +
                      "," + one + "]}"),
            "p: signatures[1]: same symbol and parameters as a");
}

TEST(Pack, BoundsItsNesting) {
  const std::string deep =
      R"({"pack": )" + std::string(1000, '[') + std::string(1000, ']') + "}";
  EXPECT_EQ(MessageOf(deep), "pack: nested too deep");
}

TEST(BuiltInPacks, AreOursAndGgmls) {
  ASSERT_EQ(BuiltInPacks().size(), 2u);
  EXPECT_EQ(BuiltInPacks()[0].name(), "reprise");
  EXPECT_EQ(BuiltInPacks()[1].name(), "ggml-cuda");
}

}  // namespace
}  // namespace reprise
