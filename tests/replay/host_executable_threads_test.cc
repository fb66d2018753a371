// Two executables of one rewritten graph on two threads: nothing is shared, so
// neither notices the other.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "examples/decoder/decoder.h"
#include "planner/planner.h"
#include "planner/rewrite.h"
#include "replay/host_executable.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr int kReplays = 20;

// The logits of each replay; replay numbers start at `first`.
std::vector<std::vector<std::uint8_t>> LogitsOf(const decoder::Decoder& decoder,
                                                HostExecutable& executable,
                                                HostMemory& memory, int first) {
  std::vector<std::vector<std::uint8_t>> logits;
  for (int replay = first; replay < first + kReplays; ++replay) {
    decoder::Refresh(decoder, replay, memory);
    executable.Poison(static_cast<std::uint8_t>(replay));
    executable.Launch();
    logits.push_back(
        *memory.Read(decoder.tensors.logits.address,
                     sizeof(float) * decoder.tensors.logits.columns));
  }
  return logits;
}

TEST(TwoExecutables, ReplayAtOnceAsEachDoesAlone) {
  decoder::Options options;
  options.hidden = 64;
  options.feed_forward = 64;
  options.head_dim = 16;
  options.layers = 1;
  const absl::StatusOr<decoder::Decoder> decoder = decoder::Build(options);
  ASSERT_OK(decoder);
  const absl::StatusOr<Plan> plan = MakePlan(decoder->graph);
  ASSERT_OK(plan);
  const Allocation arena{FreeAddress(decoder->graph), plan->arena.bytes};
  ASSERT_GT(arena.bytes, 0u);
  const Graph graph = Rewrite(decoder->graph, *plan, arena.address).graph;

  std::vector<std::vector<std::uint8_t>> alone[2];
  for (int i : {0, 1}) {
    HostMemory memory = decoder->memory.Clone();
    auto original = HostExecutable::Create(decoder->graph, memory);
    ASSERT_OK(original);
    alone[i] = LogitsOf(*decoder, *original, memory, i * kReplays);
  }
  EXPECT_NE(alone[0], alone[1]);

  HostMemory memories[] = {decoder->memory.Clone(), decoder->memory.Clone()};
  auto first = HostExecutable::Create(graph, memories[0], {.arena = arena});
  auto second = HostExecutable::Create(graph, memories[1], {.arena = arena});
  ASSERT_OK(first);
  ASSERT_OK(second);
  std::vector<std::vector<std::uint8_t>> together[2];
  std::thread other([&] {
    together[1] = LogitsOf(*decoder, *second, memories[1], kReplays);
  });
  together[0] = LogitsOf(*decoder, *first, memories[0], 0);
  other.join();
  EXPECT_EQ(together[0], alone[0]);
  EXPECT_EQ(together[1], alone[1]);
}

}  // namespace
}  // namespace reprise
