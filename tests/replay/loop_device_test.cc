// The front door on a GPU: a wrapped loop leaves the bytes of the loop itself,
// and a rewrite that does not is found out.
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <vector>

#include "replay/emitting_functions.h"
#include "replay/loop.h"
#include "tests/kernels/on_device.h"
#include "tests/replay/device_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

using LoopOnDevice = OnDevice;

LoopOptions Verifying() {
  LoopOptions options;
  options.verify = VerifyMode::kEveryN;
  options.verify_every = 1;
  return options;
}

// What the loop leaves when nobody captures it.
std::vector<float> Eager(DeviceLoop& loop, const DeviceLoopShape& shape,
                         std::uint32_t replay, const DeviceStream& stream) {
  loop.Refresh(replay, stream);
  loop.Run(shape, stream.get());
  return loop.Outputs(stream);
}

std::vector<float> Wrapped(Loop& wrapper, DeviceLoop& loop,
                           const DeviceLoopShape& shape, std::uint32_t replay,
                           const DeviceStream& stream) {
  loop.Refresh(replay, stream);
  EXPECT_OK(wrapper.Run(stream.get(), [&] { loop.Run(shape, stream.get()); }));
  return loop.Outputs(stream);
}

void ExpectTheBytesOfTheLoopItself(const DeviceLoopShape& shape,
                                   LoopOptions options) {
  const DeviceStream stream;
  DeviceLoop loop(1);
  Loop wrapper("loop", std::move(options));
  for (std::uint32_t replay = 0; replay < Thinned(100); ++replay) {
    const std::vector<float> expected = Eager(loop, shape, replay, stream);
    ASSERT_TRUE(
        SameBytes(Wrapped(wrapper, loop, shape, replay, stream), expected))
        << "replay " << replay;
  }
  EXPECT_OK(wrapper.status());
  ASSERT_NE(wrapper.outcome(), nullptr);
  EXPECT_TRUE(wrapper.outcome()->rewritten);
}

TEST_F(LoopOnDevice, LeavesTheBytesOfTheLoopItself) {
  ExpectTheBytesOfTheLoopItself({}, {});
  ExpectTheBytesOfTheLoopItself({.tokens = 4}, {});
  ExpectTheBytesOfTheLoopItself({.fork = true, .work = true}, {});
  ExpectTheBytesOfTheLoopItself({.dependency = Dependency::kProgrammatic}, {});
}

TEST_F(LoopOnDevice, LeavesThemWhileItVerifies) {
  ExpectTheBytesOfTheLoopItself({}, Verifying());
  ExpectTheBytesOfTheLoopItself({.fork = true}, Verifying());
}

TEST_F(LoopOnDevice, CountsWhatItVerified) {
  const DeviceStream stream;
  DeviceLoop loop(1);
  LoopOptions options = Verifying();
  options.verify_every = 4;
  Loop wrapper("loop", options);
  loop.Run({}, stream.get());  // loads the kernels
  for (std::uint32_t replay = 0; replay < 9; ++replay) {
    Wrapped(wrapper, loop, {}, replay, stream);
  }
  EXPECT_EQ(wrapper.counts(),
            (LoopCounts{.runs = 9, .captures = 1, .verified = 3}));
}

TEST_F(LoopOnDevice, FindsARewriteThatLeavesOtherBytesAndKeepsTheOriginal) {
  const DeviceStream stream;
  DeviceLoop loop(1);
  // In the place of a norm that emits, one that forgets to multiply.
  EmittingFunctions functions(**LoadDriver());
  LoopOptions options = Verifying();
  options.executable.prepare.functions = [&](absl::string_view symbol,
                                             std::uint32_t shared_bytes) {
    return functions.Find(symbol == "reprise_rms_norm_mul_emit"
                              ? "reprise_rms_norm_emit"
                              : symbol,
                          shared_bytes);
  };
  Loop wrapper("broken", options);
  loop.Run({}, stream.get());
  for (std::uint32_t replay = 0; replay < 5; ++replay) {
    const std::vector<float> expected = Eager(loop, {}, replay, stream);
    EXPECT_TRUE(SameBytes(Wrapped(wrapper, loop, {}, replay, stream), expected))
        << "replay " << replay;
  }
  EXPECT_THAT(wrapper.status(), HasText("reprise_rms_norm_mul) left 0x"));
  ASSERT_TRUE(wrapper.difference().has_value());
  EXPECT_EQ(wrapper.difference()->replay, 0);
  EXPECT_EQ(
      wrapper.counts(),
      (LoopCounts{.runs = 5, .captures = 1, .original = 4, .verified = 1}));
}

TEST_F(LoopOnDevice, FollowsPointersAndShapesOnceItIsTold) {
  const DeviceStream stream;
  DeviceLoop loop(1);
  Loop wrapper("loop", Verifying());
  loop.Run({.fork = true}, stream.get());
  std::uint32_t replay = 0;
  for (const DeviceLoopShape& shape :
       {DeviceLoopShape{}, DeviceLoopShape{.input = 1},
        DeviceLoopShape{.tokens = 3}, DeviceLoopShape{.fork = true},
        DeviceLoopShape{}}) {
    const std::vector<float> expected = Eager(loop, shape, ++replay, stream);
    wrapper.Recapture();
    EXPECT_TRUE(
        SameBytes(Wrapped(wrapper, loop, shape, replay, stream), expected))
        << "shape " << replay;
    EXPECT_OK(wrapper.status());
  }
  EXPECT_EQ(wrapper.counts().captures, 5u);
  EXPECT_GE(wrapper.counts().patched, 1u);
}

TEST_F(LoopOnDevice, RunsAStepThatCannotBeCapturedAsItIs) {
  const DeviceStream stream;
  DeviceLoop loop(1);
  Loop wrapper("synchronizes");
  for (std::uint32_t replay = 0; replay < 3; ++replay) {
    const std::vector<float> expected = Eager(loop, {}, replay, stream);
    loop.Refresh(replay, stream);
    EXPECT_OK(wrapper.Run(stream.get(), [&] {
      // Not allowed in a capture, which it breaks.
      if (cudaStreamSynchronize(stream.get()) != cudaSuccess) {
        cudaGetLastError();
        return;
      }
      loop.Run({}, stream.get());
    }));
    EXPECT_TRUE(SameBytes(loop.Outputs(stream), expected));
  }
  EXPECT_THAT(wrapper.status(), HasText("'synchronizes' runs uncaptured"));
  EXPECT_EQ(wrapper.counts(), (LoopCounts{.runs = 3, .eager = 3}));
}

TEST_F(LoopOnDevice, RunsBesideAnotherOfAnotherThread) {
  const auto run = [](std::uint32_t seed) {
    const DeviceStream stream;
    DeviceLoop loop(seed);
    Loop wrapper("loop", Verifying());
    loop.Run({}, stream.get());
    int right = 0;
    for (std::uint32_t replay = 0; replay < 50; ++replay) {
      const std::vector<float> expected = Eager(loop, {}, replay, stream);
      right += SameBytes(Wrapped(wrapper, loop, {}, replay, stream), expected)
                   ? 1
                   : 0;
    }
    return right;
  };
  std::future<int> other = std::async(std::launch::async, run, 1);
  EXPECT_EQ(run(2), 50);
  EXPECT_EQ(other.get(), 50);
}

}  // namespace
}  // namespace reprise::testing
