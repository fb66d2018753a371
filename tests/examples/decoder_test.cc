#include "examples/decoder/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "planner/planner.h"
#include "replay/host_executable.h"
#include "replay/verify.h"
#include "tests/support/status_matchers.h"

namespace reprise::decoder {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;

constexpr int kReplays = 3;

Options SmallOptions(WeightFormat format = WeightFormat::kQ4_0) {
  const int width = std::max(64, InfoOf(format).block_values);
  Options options;
  options.format = format;
  options.hidden = width;
  options.feed_forward = width;
  options.head_dim = width / options.heads;
  options.vocabulary = 64;
  options.context = 32;
  options.experts = 4;
  return options;
}

absl::StatusOr<Plan> PlanWith(const Decoder& decoder, EventBranches policy) {
  PlanOptions options;
  options.event_branches = policy;
  return MakePlan(decoder.graph, options);
}

absl::StatusOr<Verdict> VerifyPlan(const Decoder& decoder, const Plan& plan,
                                   std::uint32_t order_seed = 0) {
  return Verify(
      decoder.graph, plan, decoder.memory,
      [&](int replay, HostMemory& memory) { Refresh(decoder, replay, memory); },
      {.replays = kReplays, .order_seed = order_seed});
}

std::string Text(const Decoder& decoder, const Verdict& verdict) {
  return verdict.equal() ? "" : ToText(decoder.graph, *verdict.difference);
}

// What a step of the model has, counted by hand.
struct Shape {
  std::uint64_t quantizers;  // one a projection
  std::uint64_t norms;
  std::uint64_t glus;
};

Shape ShapeOf(const Options& options) {
  const auto layers = static_cast<std::uint64_t>(options.layers);
  // Q, K, V, O, gate, up, down; a mixture of experts has a router as well.
  const std::uint64_t projections = options.model == Model::kMoe ? 8 : 7;
  return {layers * projections + 1, layers * 2 + 1, layers};
}

class EveryDecoder
    : public ::testing::TestWithParam<
          std::tuple<Model, int, WeightFormat, int, EventBranches>> {};

TEST_P(EveryDecoder, LeavesTheSameBytesRewritten) {
  const auto& [model, streams, format, tokens, policy] = GetParam();
  Options options = SmallOptions(format);
  options.model = model;
  options.streams = streams;
  options.tokens = tokens;
  const absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = PlanWith(*decoder, policy);
  ASSERT_OK(plan);
  // One stream has one order.
  const std::uint32_t orders = streams == 1 ? 1 : 3;
  for (std::uint32_t order_seed = 0; order_seed < orders; ++order_seed) {
    const absl::StatusOr<Verdict> verdict =
        VerifyPlan(*decoder, *plan, order_seed);
    ASSERT_OK(verdict);
    EXPECT_TRUE(verdict->equal()) << Text(*decoder, *verdict);
    EXPECT_EQ(verdict->original.replays, kReplays + 0u);
    EXPECT_EQ(verdict->original.quantizers,
              kReplays * ShapeOf(options).quantizers);
    EXPECT_EQ(verdict->original.emitting, 0u);
    EXPECT_LT(verdict->rewritten.quantizers, verdict->original.quantizers);
    EXPECT_GT(verdict->rewritten.emitting, 0u);
    EXPECT_GT(verdict->bytes_compared, 30'000u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Decoders, EveryDecoder,
    ::testing::Combine(
        ::testing::Values(Model::kDense, Model::kMoe), ::testing::Values(1, 3),
        ::testing::Values(WeightFormat::kQ4_0, WeightFormat::kQ8_0,
                          WeightFormat::kQ4K),
        ::testing::Values(1, 4, 8),
        ::testing::Values(EventBranches::kOriginal, EventBranches::kProven)),
    [](const auto& p) {
      return absl::StrCat(
          std::get<0>(p.param) == Model::kMoe ? "Moe" : "Dense", "Streams",
          std::get<1>(p.param), InfoOf(std::get<2>(p.param)).name, "Tokens",
          std::get<3>(p.param),
          std::get<4>(p.param) == EventBranches::kProven ? "Proven" : "");
    });

class EveryModel : public ::testing::TestWithParam<Model> {};

// Activations are handed out again and again, so that other nodes come to
// overwrite floats, in whole or in part.
TEST_P(EveryModel, LeavesTheSameBytesWithoutFloatsThatNobodyReads) {
  for (const int streams : {1, 3}) {
    Options options = SmallOptions();
    options.model = GetParam();
    options.layers = 3;
    options.tokens = 4;
    options.streams = streams;
    const absl::StatusOr<Decoder> decoder = Build(options);
    ASSERT_OK(decoder);
    PlanOptions passes = {.event_branches = EventBranches::kProven,
                          .dead_stores = true};
    int dropped[2] = {};
    for (const bool declared : {false, true}) {
      if (declared) passes.outputs = OutputsOf(*decoder);
      const absl::StatusOr<Plan> plan = MakePlan(decoder->graph, passes);
      ASSERT_OK(plan);
      for (const PlannedImage& image : plan->images) {
        dropped[declared] += image.drops_floats;
      }
      const absl::StatusOr<Verdict> verdict = VerifyPlan(*decoder, *plan);
      ASSERT_OK(verdict);
      EXPECT_TRUE(verdict->equal()) << Text(*decoder, *verdict);
    }
    const Shape shape = ShapeOf(options);
    EXPECT_GT(dropped[0], 0);
    EXPECT_EQ(dropped[1] + 0u, shape.norms + shape.glus);
  }
}

TEST_P(EveryModel, OnOneStreamEveryProducerEmitsAndNoQuantizerRepeats) {
  Options options = SmallOptions();
  options.model = GetParam();
  options.layers = 3;
  const absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
  ASSERT_OK(plan);
  const absl::StatusOr<Verdict> verdict = VerifyPlan(*decoder, *plan);
  ASSERT_OK(verdict);
  EXPECT_TRUE(verdict->equal()) << Text(*decoder, *verdict);
  const Shape shape = ShapeOf(options);
  EXPECT_EQ(verdict->rewritten.emitting, kReplays * (shape.norms + shape.glus));
  // Attention has no emitting kernel: O's quantizer stays in each layer.
  EXPECT_EQ(verdict->rewritten.quantizers,
            kReplays * static_cast<std::uint64_t>(options.layers));
  EXPECT_EQ(verdict->original.kernels - verdict->rewritten.kernels,
            verdict->original.quantizers - verdict->rewritten.quantizers);
}

// What happens to the images of Q, K and V of one layer.
struct Branches {
  std::size_t moved = 0;
  std::size_t emitted = 0;
  std::size_t declined = 0;
};

Branches CountBranches(const Graph& graph, const Plan& plan) {
  Branches branches;
  for (const PlannedImage& image : plan.images) {
    std::vector<StreamId> streams;
    for (const ImageReader& reader : image.readers) {
      streams.push_back(graph.node(reader.node).stream);
    }
    std::sort(streams.begin(), streams.end());
    streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
    if (streams.size() != 3) continue;
    branches.moved += image.moved;
    branches.emitted += image.emitted;
  }
  for (const Decline& decline : plan.declines) {
    branches.declined += decline.reason == DeclineReason::kEventBranch;
  }
  return branches;
}

TEST_P(EveryModel, OnThreeStreamsOneQuantizerGoesBeforeTheFork) {
  Options options = SmallOptions();
  options.model = GetParam();
  options.streams = 3;
  const auto layers = static_cast<std::size_t>(options.layers);
  const absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
  ASSERT_OK(plan);
  const Branches branches = CountBranches(decoder->graph, *plan);
  EXPECT_EQ(branches.emitted, 0u);
  EXPECT_EQ(branches.declined, layers);
  const absl::StatusOr<Verdict> verdict = VerifyPlan(*decoder, *plan);
  ASSERT_OK(verdict);
  EXPECT_TRUE(verdict->equal()) << Text(*decoder, *verdict);
  // Of each layer the one before the fork, and O's.
  EXPECT_EQ(verdict->rewritten.quantizers, kReplays * 2 * layers);
  EXPECT_EQ(verdict->rewritten.emitting, kReplays * (2 * layers + 1));
}

TEST_P(EveryModel, OnThreeStreamsTheNormEmitsWhereOrderIsProven) {
  Options options = SmallOptions();
  options.model = GetParam();
  options.streams = 3;
  const auto layers = static_cast<std::size_t>(options.layers);
  const absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = PlanWith(*decoder, EventBranches::kProven);
  ASSERT_OK(plan);
  const Branches branches = CountBranches(decoder->graph, *plan);
  EXPECT_EQ(branches.emitted, layers);
  EXPECT_EQ(branches.declined, 0u);
  const absl::StatusOr<Verdict> verdict = VerifyPlan(*decoder, *plan);
  ASSERT_OK(verdict);
  EXPECT_TRUE(verdict->equal()) << Text(*decoder, *verdict);
  EXPECT_EQ(verdict->rewritten.quantizers, kReplays * layers);
  EXPECT_EQ(verdict->rewritten.emitting, kReplays * (3 * layers + 1));
}

// The logits are what a user sees: they must be numbers, and follow the inputs.
void ExpectNewFiniteLogitsEachReplay(const Options& options) {
  absl::StatusOr<Decoder> decoder = Build(options);
  ASSERT_OK(decoder);
  HostMemory memory = decoder->memory.Clone();
  absl::StatusOr<HostExecutable> executable =
      HostExecutable::Create(decoder->graph, memory);
  ASSERT_OK(executable);
  std::vector<std::vector<std::uint8_t>> seen;
  for (int replay = 0; replay < 4; ++replay) {
    Refresh(*decoder, replay, memory);
    executable->Launch();
    const auto count = static_cast<std::size_t>(options.vocabulary);
    const auto bytes =
        memory.Read(decoder->tensors.logits.address, count * sizeof(float));
    ASSERT_OK(bytes);
    std::vector<float> logits(count);
    std::memcpy(logits.data(), bytes->data(), bytes->size());
    for (float logit : logits) {
      ASSERT_TRUE(logit > -100.0f && logit < 100.0f) << logit;
    }
    EXPECT_GT(*std::max_element(logits.begin(), logits.end()), 0.1f);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), *bytes), 0);
    seen.push_back(*bytes);
  }
}

TEST_P(EveryModel, GivesNewFiniteLogitsEachReplay) {
  Options options = SmallOptions();
  options.model = GetParam();
  ExpectNewFiniteLogitsEachReplay(options);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel,
                         ::testing::Values(Model::kDense, Model::kMoe),
                         [](const auto& p) {
                           return p.param == Model::kMoe ? "Moe" : "Dense";
                         });

class EveryFormat : public ::testing::TestWithParam<WeightFormatInfo> {};

TEST_P(EveryFormat, GivesNewFiniteLogitsEachReplay) {
  ExpectNewFiniteLogitsEachReplay(SmallOptions(GetParam().format));
}

TEST_P(EveryFormat, LeavesTheSameBytesRewritten) {
  for (Model model : {Model::kDense, Model::kMoe}) {
    Options options = SmallOptions(GetParam().format);
    options.model = model;
    const absl::StatusOr<Decoder> decoder = Build(options);
    ASSERT_OK(decoder);
    const absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
    ASSERT_OK(plan);
    const absl::StatusOr<Verdict> verdict = VerifyPlan(*decoder, *plan);
    ASSERT_OK(verdict);
    EXPECT_TRUE(verdict->equal()) << Text(*decoder, *verdict);
    EXPECT_GT(verdict->rewritten.emitting, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         ::testing::ValuesIn(WeightFormats().begin(),
                                             WeightFormats().end()),
                         [](const auto& p) {
                           return std::string(p.param.name);
                         });

TEST(Decoder, ReusesActivationBuffersAndScratch) {
  const absl::StatusOr<Decoder> decoder = Build(SmallOptions());
  ASSERT_OK(decoder);
  std::vector<std::uint64_t> images;
  std::vector<std::uint64_t> outputs;
  for (std::uint32_t n = 0; n < decoder->graph.num_nodes(); ++n) {
    for (const Access& access : decoder->graph.accesses(NodeId{n})) {
      if (!access.writes()) continue;
      auto& seen = access.role == Role::kImage ? images : outputs;
      seen.push_back(access.view.address);
    }
  }
  const auto distinct = [](std::vector<std::uint64_t> v) {
    std::sort(v.begin(), v.end());
    return static_cast<std::size_t>(std::unique(v.begin(), v.end()) -
                                    v.begin());
  };
  EXPECT_EQ(distinct(images), 1u);
  EXPECT_LT(distinct(outputs), outputs.size() / 2);
}

TEST(Decoder, IsTheSameForTheSameOptions) {
  const absl::StatusOr<Decoder> a = Build(SmallOptions());
  const absl::StatusOr<Decoder> b = Build(SmallOptions());
  ASSERT_OK(a);
  ASSERT_OK(b);
  ASSERT_EQ(a->graph.num_nodes(), b->graph.num_nodes());
  for (std::uint32_t n = 0; n < a->graph.num_nodes(); ++n) {
    EXPECT_EQ(a->graph.launch(NodeId{n}), b->graph.launch(NodeId{n}));
  }
  ASSERT_EQ(a->memory.stretches().size(), b->memory.stretches().size());
  for (std::size_t i = 0; i < a->memory.stretches().size(); ++i) {
    EXPECT_EQ(a->memory.stretches()[i].bytes, b->memory.stretches()[i].bytes);
  }
}

// The launch with every pointer of an access moved.
KernelLaunch Moved(const Graph& graph, NodeId node, std::uint64_t by) {
  KernelLaunch launch = graph.launch(node);
  std::set<std::uint32_t> parameters;
  for (const Access& access : graph.accesses(node)) {
    if (access.parameter == Access::kNoParameter) continue;
    parameters.insert(access.parameter);
  }
  for (std::uint32_t offset : parameters) {
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, &launch.bytes[offset], sizeof pointer);
    pointer += by;
    std::memcpy(&launch.bytes[offset], &pointer, sizeof pointer);
  }
  return launch;
}

TEST_P(EveryModel, IsTheSameProgramAtAnotherAddress) {
  Options options = SmallOptions();
  options.model = GetParam();
  options.streams = 3;
  constexpr Address kThere = 0x7f00'0000'1000;
  const std::uint64_t by = kThere - HostMemory::kFirstAddress;
  const absl::StatusOr<Decoder> here = Build(options);
  const absl::StatusOr<Decoder> there = Build(options, kThere);
  ASSERT_OK(here);
  ASSERT_OK(there);
  EXPECT_EQ(there->memory.stretches()[0].allocation.address, kThere);
  ASSERT_EQ(here->graph.num_nodes(), there->graph.num_nodes());
  for (std::uint32_t n = 0; n < here->graph.num_nodes(); ++n) {
    const NodeId node{n};
    EXPECT_EQ(Moved(here->graph, node, by), there->graph.launch(node))
        << Named(here->graph, node);
    const auto accesses = here->graph.accesses(node);
    ASSERT_EQ(accesses.size(), there->graph.accesses(node).size());
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      Access moved = accesses[a];
      moved.view.address += by;
      EXPECT_EQ(moved, there->graph.accesses(node)[a]);
    }
  }
  EXPECT_TRUE(absl::c_equal(here->graph.edges(), there->graph.edges()));
  EXPECT_EQ(here->tensors.logits.address + by, there->tensors.logits.address);
}

// A large model: the same program, its weights a few rows over and over.
TEST_P(EveryModel, LiesTheSameWhereItsRowsRepeat) {
  Options options = SmallOptions();
  options.model = GetParam();
  options.vocabulary = 72;  // no whole number of times 16
  const absl::StatusOr<Decoder> whole = Build(options);
  options.distinct_rows = 16;
  const absl::StatusOr<Decoder> tiled = Build(options);
  ASSERT_OK(whole);
  ASSERT_OK(tiled);
  for (std::uint32_t n = 0; n < whole->graph.num_nodes(); ++n) {
    EXPECT_EQ(whole->graph.launch(NodeId{n}), tiled->graph.launch(NodeId{n}));
  }
  ASSERT_EQ(whole->memory.stretches().size(), tiled->memory.stretches().size());
  for (std::size_t i = 0; i < whole->memory.stretches().size(); ++i) {
    EXPECT_EQ(whole->memory.stretches()[i].allocation,
              tiled->memory.stretches()[i].allocation);
  }
  // The embedding, the head, and each layer's Q, K, V, O, gate, up and down. A
  // router has no more rows than may differ.
  EXPECT_EQ(tiled->tensors.tiles.size(), 2u + 7u * options.layers);
  for (const Tile& tile : tiled->tensors.tiles) {
    EXPECT_GT(tile.target.bytes, tile.bytes.size());
    EXPECT_EQ(tile.target.bytes % tile.bytes.size(), 0u);
    EXPECT_THAT(tiled->memory.Read(tile.target.address, 1),
                HasCode(absl::StatusCode::kFailedPrecondition));
  }
  EXPECT_THAT(VerifyPlan(*tiled, Plan()), HasText("is reserved"));
}

TEST(Options, NamesTheOneThatCannotBe) {
  struct Case {
    const char* name;
    Options options;
  };
  Options q4_k = SmallOptions(WeightFormat::kQ4K);
  q4_k.hidden = 128;
  Options tokens = SmallOptions();
  tokens.tokens = 65536;
  Options slots = SmallOptions();
  slots.model = Model::kMoe;
  slots.tokens = 32768;
  Options context = SmallOptions();
  context.tokens = 33;
  Options streams = SmallOptions();
  streams.streams = 2;
  Options heads = SmallOptions();
  heads.kv_heads = 3;
  Options experts = SmallOptions();
  experts.experts_used = 5;
  for (const Case& c : {Case{"hidden: 128", q4_k},
                        Case{"tokens: 65536 is not in 1..65535", tokens},
                        Case{"tokens: 32768 is not in 1..32767", slots},
                        Case{"context: 32 is not in 33..", context},
                        Case{"streams: 2", streams}, Case{"heads: 4", heads},
                        Case{"experts_used: 5", experts}}) {
    const absl::StatusOr<Decoder> decoder = Build(c.options);
    EXPECT_THAT(decoder, HasCode(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(decoder, HasText(c.name));
  }
}

}  // namespace
}  // namespace reprise::decoder
