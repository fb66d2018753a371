// `plan --json` on graphs that a real engine captured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/run_command.h"

namespace reprise::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;

Json PlanOf(const std::string& capture,
            const std::vector<std::string>& flags = {}) {
  std::vector<std::string> arguments = {"plan", Capture(capture), "--json"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const CommandResult result = RunCommand(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return Json::parse(result.out);
}

std::vector<std::string> KeysOf(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

struct Decode {
  std::string capture;
  int nodes;
  int before;
  int after;  // without emission
  int emitted;
};

class DecodeCapture : public ::testing::TestWithParam<Decode> {};

TEST_P(DecodeCapture, QuantizesEachActivationOnce) {
  const auto& [capture, nodes, before, after, emitted] = GetParam();
  const Json plan = PlanOf(capture, {"--disable", "emission"});
  EXPECT_EQ(plan["capture"]["nodes"], nodes);
  EXPECT_EQ(plan["capture"]["streams"], 1);
  EXPECT_EQ(plan["capture"]["opaque"], 0);
  EXPECT_EQ(plan["before"]["quantizers"], before);
  EXPECT_EQ(plan["after"]["quantizers"], after);
  EXPECT_EQ(plan["after"]["nodes"], nodes - (before - after));
  EXPECT_EQ(plan["shared"]["quantizers_removed"], before - after);
  EXPECT_GE(plan["shared"]["readers"],
            before - after + plan["shared"]["groups"].get<int>());
}

TEST_P(DecodeCapture, QuantizesInNormsAndGlus) {
  const auto& [capture, nodes, before, after, emitted] = GetParam();
  const Json plan = PlanOf(capture);
  EXPECT_EQ(plan["before"]["quantizers"], before);
  EXPECT_EQ(plan["after"]["quantizers"], emitted);
  EXPECT_EQ(plan["emitted"]["quantizers_removed"], before - emitted);
  EXPECT_EQ(plan["declines"].size(), static_cast<std::size_t>(emitted));
}

TEST_P(DecodeCapture, KeepsEveryQuantizerWithoutSharingOrEmission) {
  const auto& [capture, nodes, before, after, emitted] = GetParam();
  const Json plan =
      PlanOf(capture, {"--disable", "sharing", "--disable", "emission"});
  EXPECT_EQ(plan["after"], plan["before"]);
  EXPECT_EQ(plan["after"]["quantizers"], before);
  EXPECT_EQ(plan["shared"]["groups"], 0);
}

TEST_P(DecodeCapture, KeepsItsNodesWhenRelaxed) {
  const std::string& capture = GetParam().capture;
  const Json plan = PlanOf(capture);
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--relax"},
        {"--relax", "--relax-width", "0"},
        {"--relax", "--disable", "relax"}}) {
    EXPECT_EQ(PlanOf(capture, flags)["after"], plan["after"]);
  }
}

TEST_P(DecodeCapture, HasShorterPathsWhenRelaxed) {
  const auto& [capture, nodes, before, after, emitted] = GetParam();
  const Json strict = PlanOf(capture)["order"];
  EXPECT_EQ(strict["relaxed"], false);
  EXPECT_EQ(strict["longest_path_before"], nodes);
  EXPECT_EQ(strict["longest_path_after"], nodes - (before - emitted));
  const Json relaxed = PlanOf(capture, {"--relax"})["order"];
  EXPECT_EQ(relaxed["relaxed"], true);
  EXPECT_LT(relaxed["longest_path_after"], strict["longest_path_after"]);
  EXPECT_EQ(PlanOf(capture, {"--relax", "--disable", "relax"})["order"],
            strict);
}

INSTANTIATE_TEST_SUITE_P(
    Ggml, DecodeCapture,
    ::testing::Values(Decode{"ggml_qwen7b_q4_0_T1.json", 647, 169, 113, 56},
                      Decode{"ggml_llama1b_q4_k_T1.json", 371, 97, 65, 32},
                      Decode{"ggml_llama1b_q4_0_T1_nopdl.json", 371, 97, 65,
                             32},
                      Decode{"ggml_llama1b_q4_0_T8.json", 451, 113, 65, 16},
                      Decode{"ggml_moe_q4_0_T1.json", 867, 145, 97, 48},
                      Decode{"ggml_moe_q4_0_T4.json.gz", 963, 169, 97, 24}),
    [](const auto& p) {
      return p.param.capture.substr(0, p.param.capture.find('.'));
    });

TEST(PlanJson, CountsFloatsThatAreDropped) {
  const std::string capture = "ggml_llama1b_q4_0_T8.json";
  EXPECT_EQ(PlanOf(capture)["dropped"]["stores"], 0);
  const Json dropped = PlanOf(capture, {"--dead-stores"})["dropped"];
  EXPECT_GT(dropped["stores"], 0);
  EXPECT_GT(dropped["bytes"], 0);
  EXPECT_EQ(PlanOf(capture, {"--dead-stores", "--disable",
                             "dead_stores"})["dropped"]["stores"],
            0);
}

class PrefillCapture : public ::testing::TestWithParam<std::string> {};

TEST_P(PrefillCapture, IsPlanned) {
  const Json plan = PlanOf(GetParam());
  EXPECT_GT(plan["capture"]["nodes"], 600);
  for (const char* when : {"before", "after"}) {
    std::uint64_t launches = 0;
    for (const Json& line : plan["images"]) {
      launches += line[when]["launches"].get<std::uint64_t>();
    }
    EXPECT_EQ(plan[when]["quantizers"], launches);
  }
  EXPECT_LT(plan["after"]["quantizers"], plan["before"]["quantizers"]);
}

INSTANTIATE_TEST_SUITE_P(Ggml, PrefillCapture,
                         ::testing::Values("ggml_llama1b_q4_0_T512.json.gz",
                                           "ggml_moe_q4_k_T512.json.gz"),
                         [](const auto& p) {
                           return p.param.substr(0, p.param.find('.'));
                         });

TEST(PlanJson, HasTheDocumentedKeys) {
  const Json plan = PlanOf("ggml_qwen7b_q4_0_T1.json");
  EXPECT_THAT(KeysOf(plan),
              ElementsAre("capture", "before", "after", "order", "pure",
                          "shared", "emitted", "dropped", "images", "arena",
                          "declines", "plan_us"));
  EXPECT_THAT(KeysOf(plan["capture"]),
              ElementsAre("nodes", "edges", "streams", "opaque"));
  for (const char* when : {"before", "after"}) {
    EXPECT_THAT(KeysOf(plan[when]),
                ElementsAre("nodes", "quantizers", "kernels"));
  }
  EXPECT_THAT(KeysOf(plan["order"]),
              ElementsAre("relaxed", "edges_before", "edges_after",
                          "longest_path_before", "longest_path_after"));
  EXPECT_THAT(KeysOf(plan["pure"]), ElementsAre("removed"));
  EXPECT_THAT(KeysOf(plan["shared"]),
              ElementsAre("groups", "readers", "quantizers_removed"));
  EXPECT_THAT(KeysOf(plan["emitted"]),
              ElementsAre("rms_norm", "glu", "quantizers_removed"));
  EXPECT_THAT(KeysOf(plan["dropped"]), ElementsAre("stores", "bytes"));
  ASSERT_FALSE(plan["images"].empty());
  for (const Json& line : plan["images"]) {
    EXPECT_THAT(KeysOf(line),
                ElementsAre("layout", "columns", "before", "after"));
    for (const char* when : {"before", "after"}) {
      EXPECT_THAT(KeysOf(line[when]), ElementsAre("launches", "bytes"));
    }
  }
  EXPECT_THAT(KeysOf(plan["arena"]),
              ElementsAre("bytes", "sum_of_images", "lower_bound"));
  ASSERT_FALSE(plan["declines"].empty());
  for (const Json& decline : plan["declines"]) {
    EXPECT_THAT(KeysOf(decline),
                ElementsAre("reason", "node", "evidence", "text"));
  }
}

TEST(PlanJson, IsTheSameTwiceButForTheTime) {
  Json first = PlanOf("ggml_moe_q4_0_T4.json.gz");
  Json second = PlanOf("ggml_moe_q4_0_T4.json.gz");
  EXPECT_GE(first["plan_us"], 0);
  first.erase("plan_us");
  second.erase("plan_us");
  EXPECT_EQ(first.dump(), second.dump());
}

TEST(PlanJson, CountsWhatTheCaptureHolds) {
  const Json plan = PlanOf("ggml_qwen7b_q4_0_T1.json");
  EXPECT_EQ(plan["capture"].dump(),
            R"({"nodes":647,"edges":646,"streams":1,"opaque":0})");
  EXPECT_EQ(plan["before"].dump(),
            R"({"nodes":647,"quantizers":169,"kernels":619})");
}

}  // namespace
}  // namespace reprise::testing
