// Loops of real kernels on a GPU: the rewritten loop leaves the bytes of the
// original, whatever it is updated to and whoever else runs.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <future>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "driver/cuda_status.h"
#include "replay/device_executable.h"
#include "tests/kernels/on_device.h"
#include "tests/replay/device_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

const Driver& TheDriver() {
  static const Driver& driver = **LoadDriver();
  return driver;
}

// A loop, its executable and the stream that it runs on.
struct Replayed {
  explicit Replayed(const DeviceLoopShape& shape = {},
                    DeviceOptions options = {}, std::uint32_t seed = 1)
      : loop(seed), executable(Make(shape, std::move(options))) {}

  DeviceExecutable Make(const DeviceLoopShape& shape, DeviceOptions options) {
    // Loads the kernels, which a capture may not.
    loop.Run(shape, stream.get());
    absl::StatusOr<DeviceExecutable> made = DeviceExecutable::Create(
        TheDriver(), loop.Capture(TheDriver(), shape, stream),
        std::move(options));
    if (!made.ok()) throw std::runtime_error(made.status().ToString());
    return *std::move(made);
  }

  UpdateResult Update(const DeviceLoopShape& shape, const DeviceStream& on) {
    absl::StatusOr<UpdateResult> result =
        executable.Update(loop.Capture(TheDriver(), shape, on));
    EXPECT_OK(result);
    return result.ok() ? *result : UpdateResult::kRebuilt;
  }
  UpdateResult Update(const DeviceLoopShape& shape) {
    return Update(shape, stream);
  }

  // Full of 0xFF bytes, no image is right by chance.
  void PoisonArena(const DeviceStream& on) {
    const Allocation& arena = executable.arena();
    if (arena.bytes == 0) return;
    EXPECT_OK(CudaStatus(
        TheDriver(),
        TheDriver().MemsetD8Async(arena.address, 0xFF, arena.bytes, on.get()),
        "poison the arena"));
  }

  std::vector<float> Rewritten(std::uint32_t replay, const DeviceStream& on) {
    loop.Refresh(replay, on);
    PoisonArena(on);
    EXPECT_OK(executable.Launch(on.get()));
    return loop.Outputs(on);
  }
  std::vector<float> Original(std::uint32_t replay) {
    loop.Refresh(replay, stream);
    EXPECT_OK(executable.LaunchOriginal(stream.get()));
    return loop.Outputs(stream);
  }
  // Without a graph.
  std::vector<float> Launched(std::uint32_t replay,
                              const DeviceLoopShape& shape) {
    loop.Refresh(replay, stream);
    loop.Run(shape, stream.get());
    return loop.Outputs(stream);
  }

  // That the executable is that of `shape`.
  void ExpectBytesOf(const DeviceLoopShape& shape, std::uint32_t replay) {
    const std::vector<float> expected = Launched(replay, shape);
    EXPECT_TRUE(SameBytes(Original(replay), expected));
    EXPECT_TRUE(SameBytes(Rewritten(replay, stream), expected));
  }

  DeviceStream stream;
  DeviceLoop loop;
  DeviceExecutable executable;
};

struct Variant {
  const char* name;
  DeviceLoopShape shape;
  EventBranches event_branches;
  std::uint32_t captured;  // nodes
  std::uint32_t running;

  friend std::ostream& operator<<(std::ostream& out, const Variant& v) {
    return out << v.name;
  }
};

constexpr auto kOriginalBranches = EventBranches::kOriginal;
constexpr auto kProvenBranches = EventBranches::kProven;
constexpr auto kProgrammatic = Dependency::kProgrammatic;

const Variant kVariants[] = {
    {"AChain", {}, kOriginalBranches, 11, 7},
    {"AChainOfEightTokens", {.tokens = 8}, kOriginalBranches, 11, 7},
    {"AChainOfProgrammaticEdges",
     {.dependency = kProgrammatic},
     kOriginalBranches,
     11,
     7},
    {"AProgrammaticChainOfFourTokensWithWorkBetween",
     {.tokens = 4, .work = true, .dependency = kProgrammatic},
     kOriginalBranches,
     12,
     8},
    {"AChainWithACopyBetweenReaders",
     {.between = Between::kCopy},
     kOriginalBranches,
     12,
     8},
    {"AChainWithAFillOfTheImageBetweenReaders",
     {.between = Between::kFill},
     kOriginalBranches,
     12,
     8},
    // Nothing is shared across what may do anything.
    {"AChainWithAHostCallBetweenReaders",
     {.between = Between::kHostCall},
     kOriginalBranches,
     12,
     10},
    // One quantizer is kept, before the fork.
    {"AFork", {.fork = true}, kOriginalBranches, 11, 8},
    {"AForkWhoseQuantizerMoves",
     {.fork = true, .work = true},
     kOriginalBranches,
     12,
     9},
    {"AForkOfProgrammaticEdges",
     {.tokens = 2, .fork = true, .work = true, .dependency = kProgrammatic},
     kOriginalBranches,
     12,
     9},
    // The norm emits for all branches.
    {"AForkThatIsProven", {.fork = true}, kProvenBranches, 11, 7},
    {"AProvenForkOfEightTokens",
     {.tokens = 8, .fork = true, .work = true},
     kProvenBranches,
     12,
     8},
};

class RewrittenLoop : public OnDevice,
                      public ::testing::WithParamInterface<Variant> {};

TEST_P(RewrittenLoop, LeavesTheBytesOfTheOriginalInEveryReplay) {
  const Variant& variant = GetParam();
  DeviceOptions options;
  options.prepare.plan.event_branches = variant.event_branches;
  Replayed replayed(variant.shape, options);
  const Outcome& outcome = replayed.executable.outcome();
  ASSERT_OK(outcome.declined);
  ASSERT_TRUE(outcome.rewritten);
  EXPECT_TRUE(outcome.missing.empty());
  EXPECT_EQ(outcome.captured.nodes, variant.captured);
  EXPECT_EQ(outcome.running.nodes, variant.running);
  EXPECT_GT(replayed.executable.arena().bytes, 0u);
  replayed.ExpectBytesOf(variant.shape, 0);
  const auto replays = static_cast<std::uint32_t>(Thinned(1000));
  for (std::uint32_t replay = 1; replay <= replays; ++replay) {
    ASSERT_TRUE(SameBytes(replayed.Rewritten(replay, replayed.stream),
                          replayed.Original(replay)))
        << "replay " << replay;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RewrittenLoop, ::testing::ValuesIn(kVariants),
                         [](const auto& v) { return v.param.name; });

class UpdatedLoop : public OnDevice {};

TEST_F(UpdatedLoop, IsRewrittenThoughItsKernelsMayTakeLessSharedMemoryNow) {
  const DeviceStream stream;
  DeviceLoop loop(1);
  const DeviceLoopShape shape{.tokens = 4};
  loop.Run(shape, stream.get());
  GraphHandle captured = loop.Capture(TheDriver(), shape, stream);
  const auto limit = [](int bytes) {
    Require(cudaFuncSetAttribute(FindDeviceFunction("reprise_matvec_q4_0"),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 bytes),
            "cudaFuncSetAttribute");
  };
  limit(64);
  absl::StatusOr<DeviceExecutable> executable =
      DeviceExecutable::Create(TheDriver(), std::move(captured));
  limit(128 * 1024);  // for the tests that follow
  ASSERT_OK(executable);
  EXPECT_OK(executable->outcome().declined);
  EXPECT_TRUE(executable->outcome().rewritten);
  EXPECT_OK(executable->Launch(stream.get()));
  stream.Wait();
}

TEST_F(UpdatedLoop, IsLeftAloneByTheSameCapture) {
  Replayed replayed;
  EXPECT_EQ(replayed.Update({}), UpdateResult::kUnchanged);
  replayed.ExpectBytesOf({}, 1);
}

TEST_F(UpdatedLoop, IsPatchedForOtherPointers) {
  Replayed replayed;
  for (const int input : {1, 0, 1}) {
    EXPECT_EQ(replayed.Update({.input = input}), UpdateResult::kPatched);
    replayed.ExpectBytesOf({.input = input}, 1);
  }
}

TEST_F(UpdatedLoop, IsTheSameFromAnotherStreamAndRunsOnIt) {
  Replayed replayed;
  const DeviceStream other;
  const std::vector<float> expected = replayed.Launched(1, {.input = 1});
  EXPECT_EQ(replayed.Update({}, other), UpdateResult::kUnchanged);
  EXPECT_EQ(replayed.Update({.input = 1}, other), UpdateResult::kPatched);
  EXPECT_TRUE(SameBytes(replayed.Rewritten(1, other), expected));
  EXPECT_TRUE(SameBytes(replayed.Rewritten(1, replayed.stream), expected));
}

TEST_F(UpdatedLoop, IsUpdatedAsAWholeForAnotherFill) {
  Replayed replayed({.fill = 1});
  EXPECT_EQ(replayed.Update({.fill = 2}), UpdateResult::kUpdated);
  replayed.ExpectBytesOf({.fill = 2}, 1);
  // And nodes are still found by those of the first capture.
  EXPECT_EQ(replayed.Update({.input = 1, .fill = 2}), UpdateResult::kPatched);
  replayed.ExpectBytesOf({.input = 1, .fill = 2}, 2);
}

TEST_F(UpdatedLoop, IsRebuiltForAnotherTopology) {
  Replayed replayed;
  EXPECT_EQ(replayed.Update({.work = true}), UpdateResult::kRebuilt);
  EXPECT_THAT(replayed.executable.rebuilt_because(),
              HasText("other nodes or edges"));
  replayed.ExpectBytesOf({.work = true}, 1);
  EXPECT_EQ(replayed.Update({.dependency = kProgrammatic}),
            UpdateResult::kRebuilt);
  replayed.ExpectBytesOf({.dependency = kProgrammatic}, 2);
  EXPECT_EQ(replayed.Update({.fork = true, .work = true}),
            UpdateResult::kRebuilt);
  replayed.ExpectBytesOf({.fork = true, .work = true}, 3);
  EXPECT_TRUE(replayed.executable.outcome().rewritten);
}

TEST_F(UpdatedLoop, GetsALargerArenaWhenItNeedsOne) {
  Replayed replayed;
  const std::uint64_t before = replayed.executable.arena().bytes;
  // While a launch may still use the one that goes.
  EXPECT_OK(replayed.executable.Launch(replayed.stream.get()));
  replayed.Update({.tokens = 8});
  const Allocation larger = replayed.executable.arena();
  EXPECT_GT(larger.bytes, before);
  replayed.ExpectBytesOf({.tokens = 8}, 1);
  replayed.Update({.tokens = 1});
  EXPECT_EQ(replayed.executable.arena(), larger);
  replayed.ExpectBytesOf({.tokens = 1}, 2);
}

TEST_F(UpdatedLoop, RunsAsItWasWhereTheDriverTakesNoNodeAway) {
  Replayed replayed({.allocates = true});
  EXPECT_FALSE(replayed.executable.outcome().rewritten);
  EXPECT_THAT(replayed.executable.outcome().declined,
              HasText("allocates memory"));
  replayed.ExpectBytesOf({.allocates = true}, 1);
  EXPECT_EQ(replayed.Update({}), UpdateResult::kRebuilt);
  EXPECT_TRUE(replayed.executable.outcome().rewritten);
  replayed.ExpectBytesOf({}, 2);
}

TEST_F(UpdatedLoop, CanBeUploadedAndMoved) {
  Replayed replayed;
  EXPECT_OK(replayed.executable.Upload(replayed.stream.get()));
  DeviceExecutable moved = std::move(replayed.executable);
  replayed.executable = std::move(moved);
  replayed.ExpectBytesOf({}, 1);
}

// Captures, updates and replays with checks, on a stream of its own.
void ReplayOnAThread(std::uint32_t seed) {
  const DeviceLoopShape shape = {.fork = seed % 2 == 1};
  Replayed replayed(shape, {}, seed);
  const auto replays = static_cast<std::uint32_t>(Thinned(1000));
  for (std::uint32_t replay = 1; replay <= replays; ++replay) {
    DeviceLoopShape next = shape;
    next.input = replay % 2;
    EXPECT_EQ(replayed.Update(next), UpdateResult::kPatched);
    EXPECT_TRUE(SameBytes(replayed.Rewritten(seed + replay, replayed.stream),
                          replayed.Original(seed + replay)))
        << "replay " << replay;
  }
}

TEST_F(UpdatedLoop, DoesNotMeetAnotherOneOnAnotherThreadAndStream) {
  std::future<void> others[] = {
      std::async(std::launch::async, ReplayOnAThread, 10),
      std::async(std::launch::async, ReplayOnAThread, 21),
  };
  for (std::future<void>& other : others) other.get();
}

std::size_t FreeBytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  Require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  Require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

TEST_F(UpdatedLoop, TakesNoMoreMemoryHoweverOftenItIsCapturedAndReplayed) {
  Replayed replayed;
  const auto churn = [&](std::int64_t updates, std::int64_t replays) {
    for (std::int64_t i = 0; i < updates; ++i) {
      // Every tenth is of another topology.
      replayed.Update({.input = static_cast<int>(i % 2), .work = i % 10 == 0});
      for (std::int64_t r = 0; r < replays / updates; ++r) {
        EXPECT_OK(replayed.executable.Launch(replayed.stream.get()));
      }
    }
  };
  churn(Thinned(100), Thinned(1000));
  const std::size_t before = FreeBytes();
  churn(Thinned(1000), Thinned(10000));
  // Under the sanitizers other programs run beside, and take memory too.
  if (!Sanitized()) {
    EXPECT_GE(FreeBytes(), before);
  }
  replayed.Update({});
  replayed.ExpectBytesOf({}, 1);
}

}  // namespace
}  // namespace reprise::testing
