// The window memo without a device: what it launches, what it refuses, and that
// no product ever finds an image of other floats than its source has.
#include "replay/window_memo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/driver/scripted_driver.h"
#include "tests/driver/scripted_state.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

constexpr std::uint64_t kMemory = 0x10'0000;
constexpr std::int64_t kMemoryBytes = 0x1'0000;
constexpr std::int64_t kEnough = 1 << 20;
constexpr std::int64_t kOutputBytes = 64;

template <typename T = float>
T* At(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

std::uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// A chain over everything that came before, so that no byte is lost.
struct Chain {
  std::uint64_t value = 14695981039346656037u;
  void Add(std::uint64_t item) { value = (value ^ item) * 1099511628211u; }
};

class AWindowMemo : public ::testing::Test {
 protected:
  AWindowMemo() {
    driver_.AddAllocation(kMemory, kMemoryBytes);
    driver_.SetBody(quantize_, [this](const auto& bytes) { Quantize(bytes); });
    driver_.SetBody(multiply_, [this](const auto& bytes) { Multiply(bytes); });
    driver_.SetBody(write_, [this](const auto& bytes) { Write(bytes); });
  }

  // A product of 4 rows of 32 floats, the source and the output apart.
  static MemoProduct Usual() {
    return {.source = At(kMemory + 0x1000),
            .rows = 4,
            .columns = 32,
            .row_stride = 32,
            .layout = ImageLayout::kQ8_0Pad40,
            .output = At(kMemory + 0x8000),
            .output_bytes = kOutputBytes};
  }

  // What the kernels of the program do. An image says what its source held and
  // in which layout, and an output what its image said, in every byte.
  void Quantize(const std::vector<std::uint8_t>& bytes) {
    const auto words = WordsOf(bytes);
    ran_ += 'q';
    MemoProduct product;
    product.source = At(words[0]);
    product.rows = static_cast<std::int64_t>(words[1]);
    product.columns = static_cast<std::int64_t>(words[2]);
    product.row_stride = static_cast<std::int64_t>(words[3]);
    product.layout = static_cast<ImageLayout>(words[4]);
    const std::uint64_t said = Contents(product);
    Spread(said, words[5], BytesOf(product));
  }
  void Multiply(const std::vector<std::uint8_t>& bytes) {
    const auto words = WordsOf(bytes);
    ran_ += 'm';
    Chain chain;
    const std::uint8_t* image = driver_.Memory(words[0], words[1]);
    ASSERT_NE(image, nullptr);
    for (std::uint64_t i = 0; i < words[1]; ++i) chain.Add(image[i]);
    Spread(chain.value, words[2], static_cast<std::int64_t>(words[3]));
  }
  void Write(const std::vector<std::uint8_t>& bytes) {
    const auto words = WordsOf(bytes);
    ran_ += 'w';
    Spread(words[2], words[0], static_cast<std::int64_t>(words[1]));
  }

  static std::int64_t BytesOf(const MemoProduct& product) {
    return ImageBytes(product.layout, product.rows, product.columns);
  }
  std::uint64_t Contents(const MemoProduct& product) {
    Chain chain;
    chain.Add(static_cast<std::uint64_t>(product.layout));
    for (std::int64_t row = 0; row < product.rows; ++row) {
      for (std::int64_t column = 0; column < product.columns; ++column) {
        std::uint32_t bits = 0;
        const std::uint8_t* at = driver_.Memory(
            AddressOf(product.source + row * product.row_stride + column), 4);
        if (at == nullptr) throw std::logic_error("a source outside of memory");
        std::memcpy(&bits, at, sizeof bits);
        chain.Add(bits);
      }
    }
    return chain.value;
  }
  void Spread(std::uint64_t said, std::uint64_t address, std::int64_t bytes) {
    std::uint8_t* at = driver_.Memory(address, static_cast<std::size_t>(bytes));
    ASSERT_NE(at, nullptr);
    for (std::int64_t i = 0; i < bytes; ++i) {
      Chain chain;
      chain.Add(said);
      chain.Add(static_cast<std::uint64_t>(i));
      at[i] = static_cast<std::uint8_t>(chain.value >> 32);
    }
  }
  // What the product leaves where nobody shares an image.
  std::vector<std::uint8_t> Expected(const MemoProduct& product) {
    Chain chain;
    const std::uint64_t said = Contents(product);
    for (std::int64_t i = 0; i < BytesOf(product); ++i) {
      Chain byte;
      byte.Add(said);
      byte.Add(static_cast<std::uint64_t>(i));
      chain.Add(static_cast<std::uint8_t>(byte.value >> 32));
    }
    std::vector<std::uint8_t> output;
    for (std::int64_t i = 0; i < product.output_bytes; ++i) {
      Chain byte;
      byte.Add(chain.value);
      byte.Add(static_cast<std::uint64_t>(i));
      output.push_back(static_cast<std::uint8_t>(byte.value >> 32));
    }
    return output;
  }

  static std::vector<std::uint64_t> WordsOf(
      const std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint64_t> words(bytes.size() / 8);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }

  absl::Status Launch(CUfunction function, CUstream stream,
                      std::vector<std::uint64_t> words) {
    std::vector<void*> pointers;
    for (std::uint64_t& word : words) pointers.push_back(&word);
    const CUresult result = cuda_.LaunchKernel(
        function, 1, 1, 1, 1, 1, 1, 0, stream, pointers.data(), nullptr);
    return result == CUDA_SUCCESS ? absl::OkStatus()
                                  : absl::InternalError("a launch failed");
  }
  absl::Status LaunchQuantize(const MemoProduct& product, void* image,
                              CUstream stream) {
    return Launch(
        quantize_, stream,
        {AddressOf(product.source), static_cast<std::uint64_t>(product.rows),
         static_cast<std::uint64_t>(product.columns),
         static_cast<std::uint64_t>(product.row_stride),
         static_cast<std::uint64_t>(product.layout), AddressOf(image)});
  }
  absl::Status LaunchMultiply(const MemoProduct& product, const void* image,
                              CUstream stream) {
    return Launch(
        multiply_, stream,
        {AddressOf(image), static_cast<std::uint64_t>(BytesOf(product)),
         AddressOf(product.output),
         static_cast<std::uint64_t>(product.output_bytes)});
  }

  // Whatever the memo did, an output is right where it says OK.
  absl::Status Product(const MemoProduct& product, CUstream stream) {
    std::vector<std::uint8_t> expected;
    const absl::Status status = memo_->Product(
        stream, product,
        [&](void* image) { return LaunchQuantize(product, image, stream); },
        [&](const void* image) {
          expected = Expected(product);
          return LaunchMultiply(product, image, stream);
        });
    if (status.ok()) {
      const std::uint8_t* output =
          driver_.Memory(AddressOf(product.output), expected.size());
      EXPECT_EQ(std::vector<std::uint8_t>(output, output + expected.size()),
                expected)
          << "an image of other floats";
    }
    return status;
  }
  absl::Status Product(const MemoProduct& product) {
    return Product(product, stream_);
  }
  absl::Status Product() { return Product(Usual()); }

  absl::Status Other(std::uint64_t address, std::int64_t bytes,
                     std::uint64_t seed) {
    return memo_->Other([&] {
      return Launch(write_, stream_,
                    {address, static_cast<std::uint64_t>(bytes), seed});
    });
  }
  absl::Status Other() { return Other(kMemory + 0x4000, 16, 1); }

  // What ran since the last call: q, m and w, in order.
  std::string Ran() { return std::exchange(ran_, ""); }
  int Allocations() { return driver_.calls("MemAlloc"); }
  // The rows of calls but launches since the last call.
  std::string Rows() {
    std::string rows;
    std::string row;
    for (const char c : driver_.rows()) {
      row += c;
      if (c != '\n') continue;
      if (row.rfind("LaunchKernel", 0) != 0 &&
          row.rfind("ThreadExchange", 0) != 0) {
        rows += row;
      }
      row.clear();
    }
    driver_.ClearRows();
    return rows;
  }

  ScriptedDriver driver_;
  Driver cuda_ = driver_.table();
  CUstream stream_ = driver_.NewStream();
  CUstream other_stream_ = driver_.NewStream();
  CUfunction quantize_ = driver_.NewFunction(
      "quantize", {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 8}});
  CUfunction multiply_ =
      driver_.NewFunction("multiply", {{0, 8}, {8, 8}, {16, 8}, {24, 8}});
  CUfunction write_ = driver_.NewFunction("write", {{0, 8}, {8, 8}, {16, 8}});
  std::string ran_;
  std::unique_ptr<WindowMemo> memo_ = std::make_unique<WindowMemo>(cuda_);
};

TEST_F(AWindowMemo, QuantizesOnceForProductsThatFollowEachOther) {
  ASSERT_OK(memo_->Run(kEnough, [&] {
    EXPECT_OK(Other());
    for (int i = 0; i < 3; ++i) EXPECT_OK(Product());
    EXPECT_OK(Other());
  }));
  EXPECT_EQ(Ran(), "wqmmmw");
  EXPECT_EQ(
      memo_->counts(),
      (WindowMemoCounts{
          .runs = 1, .hits = 2, .misses = 1, .others = 2, .allocations = 1}));
}

TEST_F(AWindowMemo, TakesCallablesThatReturnNothing) {
  int calls = 0;
  ASSERT_OK(memo_->Run(kEnough, [&] {
    EXPECT_OK(memo_->Other([&] { ++calls; }));
    EXPECT_OK(memo_->Product(
        stream_, Usual(), [&](void*) { ++calls; },
        [&](const void*) { ++calls; }));
  }));
  EXPECT_EQ(calls, 3);
}

TEST_F(AWindowMemo, HoldsOneImageAndTellsViewsAndLayoutsApart) {
  std::vector<MemoProduct> others(5, Usual());
  others[0].source += 32;
  others[1].rows = 3;
  others[2].columns = 31;
  others[3].row_stride = 33;
  others[4].layout = ImageLayout::kQ8_0Pad40Tiles;
  for (const MemoProduct& other : others) {
    ASSERT_OK(memo_->Run(kEnough, [&] {
      for (const MemoProduct& product : {Usual(), other, other, Usual()}) {
        EXPECT_OK(Product(product));
      }
    }));
    EXPECT_EQ(Ran(), "qmqmmqm");
  }
}

TEST_F(AWindowMemo, SharesWhateverTheProductsWriteElsewhere) {
  MemoProduct second = Usual();
  second.output = At(AddressOf(second.output) + 0x100);
  second.output_bytes = 8;
  second.slack = 128;
  ASSERT_OK(memo_->Run(kEnough, [&] {
    EXPECT_OK(Product());
    EXPECT_OK(Product(second));
  }));
  EXPECT_EQ(Ran(), "qmm");
}

TEST_F(AWindowMemo, ForgetsItsImageAtAnyOtherNode) {
  ASSERT_OK(memo_->Run(kEnough, [&] {
    EXPECT_OK(Product());
    EXPECT_OK(memo_->Other([] {}));  // what it does is not looked at
    EXPECT_OK(Product());
  }));
  EXPECT_EQ(Ran(), "qmqm");
}

// A writer of the source is another node, and so there is nothing to compare.
TEST_F(AWindowMemo, QuantizesNewContentsAtTheSamePointer) {
  const MemoProduct product = Usual();
  ASSERT_OK(memo_->Run(kEnough, [&] {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      EXPECT_OK(Other(AddressOf(product.source), 4 * 32 * 4, seed));
      EXPECT_OK(Product(product));
      EXPECT_OK(Product(product));
    }
  }));
  EXPECT_EQ(Ran(), "wqmmwqmmwqmm");
}

// The original could do so: it multiplies from its scratch.
TEST_F(AWindowMemo, ForgetsItsImageAfterAProductThatWritesOnTheSource) {
  const std::uint64_t source = AddressOf(Usual().source);
  const std::int64_t bytes = 4 * 32 * 4;
  struct Case {
    std::uint64_t output;
    std::int64_t output_bytes;
    std::string ran;
  };
  for (const Case& c :
       {Case{source, bytes, "qmqm"}, Case{source + bytes - 1, 8, "qmqm"},
        Case{source - 8, 9, "qmqm"}, Case{source - 64, bytes + 128, "qmqm"},
        Case{source + bytes, 8, "qmm"}, Case{source - 8, 8, "qmm"}}) {
    MemoProduct writer = Usual();
    writer.output = At(c.output);
    writer.output_bytes = c.output_bytes;
    ASSERT_OK(memo_->Run(kEnough, [&] {
      EXPECT_OK(Product(writer));
      EXPECT_OK(Product());
    }));
    EXPECT_EQ(Ran(), c.ran) << c.output - source << " " << c.output_bytes;
  }
}

TEST_F(AWindowMemo, ForgetsItsImageAtTheEndOfARun) {
  for (int run = 0; run < 3; ++run) {
    ASSERT_OK(memo_->Run(kEnough, [&] { EXPECT_OK(Product()); }));
  }
  EXPECT_EQ(Ran(), "qmqmqm");
  EXPECT_EQ(memo_->counts().hits, 0u);
  EXPECT_EQ(Allocations(), 1);
}

TEST_F(AWindowMemo, ForgetsItsImageOnAnotherStreamAndPutsThatBehind) {
  ASSERT_OK(memo_->Run(kEnough, [&] {
    EXPECT_OK(Product(Usual(), stream_));
    Rows();
    EXPECT_OK(Product(Usual(), other_stream_));
    EXPECT_EQ(Rows(), "EventRecord v0 s1\nStreamWaitEvent s2 v0\n");
    EXPECT_OK(Product(Usual(), other_stream_));
    EXPECT_EQ(Rows(), "");
    EXPECT_OK(Product(Usual(), stream_));
    EXPECT_EQ(Rows(), "EventRecord v0 s2\nStreamWaitEvent s1 v0\n");
  }));
  EXPECT_EQ(Ran(), "qmqmmqm");
  EXPECT_EQ(Rows(), "EventRecord v0 s1\n");
}

// A stream of the same name may be another one by now.
TEST_F(AWindowMemo, PutsEveryRunBehindTheLastAndWaitsForNothing) {
  ASSERT_OK(memo_->Run(kEnough, [&] { EXPECT_OK(Product()); }));
  EXPECT_EQ(Rows(),
            "EventCreate v0\nMemAlloc 1048576 -> 0x7f0000000000\n"
            "EventRecord v0 s1\n");
  ASSERT_OK(memo_->Run(kEnough, [&] { EXPECT_OK(Product()); }));
  EXPECT_EQ(Rows(), "StreamWaitEvent s1 v0\nEventRecord v0 s1\n");
  ASSERT_OK(memo_->Run(kEnough, [&] { EXPECT_OK(Other()); }));
  EXPECT_EQ(Rows(), "");
}

TEST_F(AWindowMemo, GrowsBeforeTheStepAndOnceTheLastRunsLaunchesEnded) {
  const std::int64_t little = BytesOf(Usual());
  ASSERT_OK(memo_->Run(little, [&] { EXPECT_OK(Product()); }));
  Rows();
  ASSERT_OK(memo_->Run(2 * little, [&] {
    EXPECT_EQ(Rows(), absl::StrCat("EventSynchronize v0\n"
                                   "MemFree 0x7f0000000000\n"
                                   "MemAlloc ",
                                   2 * little, " -> 0x7f0000200000\n"));
    EXPECT_OK(Product());
    EXPECT_OK(Product());
  }));
  EXPECT_EQ(Ran(), "qmqmm");
  // Never shrinks.
  ASSERT_OK(memo_->Run(0, [&] { EXPECT_OK(Product()); }));
  EXPECT_EQ(memo_->counts().allocations, 2u);
}

// Planes come back at the address that the last ones had, and are full of
// something else.
TEST_F(AWindowMemo, ForgetsItsImageWhenItsPlanesMoveToTheSameAddress) {
  static Driver given;
  static CUdeviceptr place = 0;
  given = driver_.table();
  cuda_.MemAlloc = [](CUdeviceptr* address, std::size_t bytes) {
    if (place != 0) ScriptedDriver::state().next_address = place;
    const CUresult result = given.MemAlloc(address, bytes);
    place = *address;
    return result;
  };
  const std::int64_t little = BytesOf(Usual());
  for (std::int64_t times = 1; times <= 3; ++times) {
    ASSERT_OK(memo_->Run(times * little, [&] {
      EXPECT_OK(Product());
      EXPECT_OK(Product());
    }));
  }
  EXPECT_EQ(Ran(), "qmmqmmqmm");
  EXPECT_EQ(memo_->counts().allocations, 3u);
}

TEST_F(AWindowMemo, DoesNotGrowBetweenAHitAndItsUse) {
  bool called = false;
  const absl::Status ran = memo_->Run(BytesOf(Usual()), [&] {
    EXPECT_OK(Product());
    const absl::Status used = memo_->Product(
        stream_, Usual(), [](void*) { FAIL() << "quantized again"; },
        [&](const void* image) {
          const absl::Status grown =
              memo_->Run(kEnough, [&] { called = true; });
          EXPECT_THAT(grown, HasCode(absl::StatusCode::kFailedPrecondition));
          EXPECT_OK(LaunchMultiply(Usual(), image, stream_));
        });
    EXPECT_THAT(used, HasText("a run within a run"));
  });
  EXPECT_THAT(ran, HasText("a run within a run"));
  EXPECT_FALSE(called);
  EXPECT_EQ(Ran(), "qmm");
  EXPECT_EQ(Allocations(), 1);
}

TEST_F(AWindowMemo, LaunchesNothingWhereMemoryRunsOut) {
  const auto run = [&](std::int64_t bytes) {
    return memo_->Run(bytes, [&] { EXPECT_OK(Product()); });
  };
  driver_.FailCall("MemAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(run(kEnough), HasCode(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(Ran(), "");
  EXPECT_EQ(driver_.calls("LaunchKernel"), 0);
  EXPECT_EQ(memo_->counts(), WindowMemoCounts{});
  ASSERT_OK(run(BytesOf(Usual())));
  EXPECT_EQ(Ran(), "qm");
  // Nor where it runs out as the planes grow; and it can go on with less.
  driver_.FailCall("MemAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(run(kEnough), HasCode(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(Ran(), "");
  ASSERT_OK(run(BytesOf(Usual())));
  EXPECT_EQ(Ran(), "qm");
}

TEST_F(AWindowMemo, RefusesAnImageThatIsLongerThanItsRunWasTold) {
  const std::int64_t bytes = BytesOf(Usual());
  MemoProduct slack = Usual();
  slack.slack = 1;
  for (const auto& [told, product] :
       {std::pair(bytes - 1, Usual()), std::pair(bytes, slack)}) {
    WindowMemo memo(cuda_);
    const absl::Status ran = memo.Run(told, [&] {
      return memo.Product(
          stream_, product, [](void*) { FAIL(); }, [](const void*) { FAIL(); });
    });
    EXPECT_THAT(ran, HasCode(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(ran, HasText("layout q8_0_pad40"));
  }
}

TEST_F(AWindowMemo, RefusesWhatIsNoProductOfAView) {
  std::vector<MemoProduct> wrong(12, Usual());
  wrong[0].source = nullptr;
  wrong[1].rows = 0;
  wrong[2].columns = 0;
  wrong[3].row_stride = 31;
  wrong[4].slack = -1;
  wrong[5].output = nullptr;
  wrong[6].output_bytes = 0;
  wrong[7].rows = INT64_MAX;
  wrong[8].columns = wrong[8].row_stride = INT64_MAX;
  wrong[9].row_stride = INT64_MAX;
  wrong[10].slack = INT64_MAX;
  wrong[11].rows = -1;
  for (const MemoProduct& product : wrong) {
    EXPECT_THAT(memo_->Run(kEnough, [&] { return Product(product); }),
                HasCode(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_EQ(Ran(), "");
  EXPECT_THAT(memo_->Run(-1, [] {}),
              HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(AWindowMemo, RefusesNodesOutsideOfARun) {
  EXPECT_THAT(Product(), HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(Other(), HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Ran(), "");
}

// Within `multiply`, a product would write the image that is about to be read.
TEST_F(AWindowMemo, RefusesNodesWithinOthersAndTellsTheRun) {
  const absl::Status in_product = memo_->Run(kEnough, [&] {
    memo_
        ->Product(
            stream_, Usual(), [](void*) {},
            [&](const void*) {
              EXPECT_THAT(Other(),
                          HasCode(absl::StatusCode::kFailedPrecondition));
            })
        .IgnoreError();
  });
  EXPECT_THAT(in_product, HasText("within another node"));
  const absl::Status in_other = memo_->Run(kEnough, [&] {
    memo_->Other([&] { Product().IgnoreError(); }).IgnoreError();
  });
  EXPECT_THAT(in_other, HasText("within another node"));
  EXPECT_EQ(Ran(), "");
}

TEST_F(AWindowMemo, LaunchesNothingAfterAnErrorAndTheRunReturnsIt) {
  const absl::Status failed = absl::AbortedError("no");
  for (int node = 0; node < 3; ++node) {
    const absl::Status ran = memo_->Run(kEnough, [&] {
      memo_->Other([&] { return node == 0 ? failed : absl::OkStatus(); })
          .IgnoreError();
      memo_
          ->Product(
              stream_, Usual(),
              [&](void* image) {
                return node == 1 ? failed
                                 : LaunchQuantize(Usual(), image, stream_);
              },
              [&](const void*) { return failed; })
          .IgnoreError();
      EXPECT_EQ(Product(), failed);
      EXPECT_EQ(Other(), failed);
    });
    EXPECT_EQ(ran, failed);
    EXPECT_EQ(Ran(), node == 2 ? "q" : "");
    ASSERT_OK(memo_->Run(kEnough, [&] { return Product(); }));
    EXPECT_EQ(Ran(), "qm");
  }
}

TEST_F(AWindowMemo, ReturnsWhatTheStepReturns) {
  const absl::Status failed = absl::AbortedError("no");
  EXPECT_EQ(memo_->Run(kEnough, [&] { return failed; }), failed);
  ASSERT_OK(memo_->Run(kEnough, [&] { return Product(); }));
}

TEST_F(AWindowMemo, LetsAnExceptionThroughAndForgetsItsImage) {
  const auto run = [&](int place) {
    return memo_->Run(kEnough, [&]() -> absl::Status {
      EXPECT_OK(Product());
      try {
        memo_
            ->Product(
                stream_, Usual(), [](void*) {},
                [](const void*) { throw std::runtime_error("out"); })
            .IgnoreError();
      } catch (const std::runtime_error&) {
        if (place == 0) throw;
      }
      return Product();
    });
  };
  EXPECT_THROW(run(0).IgnoreError(), std::runtime_error);
  EXPECT_EQ(Ran(), "qm");
  ASSERT_OK(run(1));
  EXPECT_EQ(Ran(), "qmqm");
}

TEST_F(AWindowMemo, BelongsToTheContextOfItsFirstRun) {
  const CUcontext other = reinterpret_cast<CUcontext>(0x2);
  ASSERT_OK(memo_->Run(kEnough, [&] { return Product(); }));
  Ran();
  EXPECT_THAT(memo_->Run(kEnough,
                         [&] {
                           EXPECT_OK(Product());
                           cuda_.CtxPushCurrent(other);
                           return Product();
                         }),
              HasText("another context current"));
  EXPECT_EQ(Ran(), "qm");
  EXPECT_THAT(memo_->Run(kEnough, [] { FAIL(); }),
              HasText("another context current"));
  cuda_.CtxPopCurrent(nullptr);
  ASSERT_OK(memo_->Run(kEnough, [&] { return Product(); }));
  WindowMemo none(cuda_);
  cuda_.CtxPushCurrent(nullptr);
  EXPECT_THAT(none.Run(kEnough, [] { FAIL(); }),
              HasCode(absl::StatusCode::kFailedPrecondition));
  cuda_.CtxPopCurrent(nullptr);
}

TEST_F(AWindowMemo, RefusesAStreamThatIsCaptured) {
  ASSERT_EQ(
      cuda_.StreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      CUDA_SUCCESS);
  EXPECT_THAT(memo_->Run(kEnough, [&] { return Product(); }),
              HasText("replay/loop.h"));
  EXPECT_EQ(driver_.calls("LaunchKernel"), 0);
  // Nor is an event recorded where the capture began after a product.
  EXPECT_THAT(memo_->Run(kEnough,
                         [&] {
                           EXPECT_OK(Product(Usual(), other_stream_));
                           EXPECT_OK(memo_->Other([&] {
                             EXPECT_EQ(cuda_.StreamBeginCapture(
                                           other_stream_,
                                           CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                                       CUDA_SUCCESS);
                           }));
                           return Product(Usual(), driver_.NewStream());
                         }),
              HasText("replay/loop.h"));
  EXPECT_EQ(driver_.calls("EventRecord"), 0);
  CUgraph graph = nullptr;
  for (const CUstream stream : {stream_, other_stream_}) {
    ASSERT_EQ(cuda_.StreamEndCapture(stream, &graph), CUDA_SUCCESS);
  }
}

TEST_F(AWindowMemo, WaitsForItsLaunchesBeforeItGoes) {
  ASSERT_OK(memo_->Run(kEnough, [&] { return Product(); }));
  Rows();
  memo_.reset();
  EXPECT_EQ(Rows(),
            "EventSynchronize v0\nEventDestroy v0\n"
            "MemFree 0x7f0000000000\n");
  EXPECT_EQ(driver_.Leaks(), "");
}

// Planes that a launch may still write are nobody's.
TEST_F(AWindowMemo, LeavesItsPlanesAloneWhereItCannotWaitForThem) {
  driver_.FailCall("EventRecord", 1, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(memo_->Run(kEnough, [&] { return Product(); }),
              HasText("mark the end of a window memo's run"));
  ASSERT_OK(memo_->Run(kEnough, [&] { return Product(); }));
  EXPECT_EQ(memo_->counts().allocations, 2u);
  driver_.FailCall("EventSynchronize", 1, CUDA_ERROR_LAUNCH_FAILED);
  memo_.reset();
  EXPECT_EQ(driver_.Leaks(), "0x7f0000000000 0x7f0000200000");
}

TEST_F(AWindowMemo, IsRightAfterAnyCallThatFails) {
  const auto runs = [&] {
    for (std::int64_t times = 1; times <= 2; ++times) {
      const absl::Status ran = memo_->Run(times * kEnough, [&] {
        for (const CUstream stream : {stream_, other_stream_}) {
          for (int i = 0; i < 2; ++i) {
            const absl::Status status = Product(Usual(), stream);
            if (!status.ok()) return status;
          }
        }
        return Other();
      });
      if (!ran.ok()) return ran;
    }
    return absl::OkStatus();
  };
  ASSERT_OK(runs());
  int failed = 0;
  for (int call = 1;; ++call) {
    memo_ = std::make_unique<WindowMemo>(cuda_);
    const int before = driver_.calls();
    driver_.FailCall(call, CUDA_ERROR_LAUNCH_FAILED);
    const absl::Status ran = runs();
    if (driver_.calls() - before < call) break;
    failed += ran.ok() ? 0 : 1;
    EXPECT_OK(runs()) << "after call " << call;
    EXPECT_EQ(driver_.calls("MemAlloc") > 0, true);
  }
  EXPECT_GT(failed, 20);
}

// The product in front of the last, if it left an image of this one.
struct Event {
  std::optional<MemoProduct> product;  // none: another node
  CUstream stream = nullptr;
};

bool MayHit(const std::vector<Event>& run, const Event& now) {
  if (run.empty() || !run.back().product) return false;
  const MemoProduct& a = *run.back().product;
  const MemoProduct& b = *now.product;
  for (std::int64_t i = 0;
       i < ((a.rows - 1) * a.row_stride + a.columns) * std::int64_t{4}; ++i) {
    const std::uint64_t byte =
        AddressOf(a.source) + static_cast<std::uint64_t>(i);
    if (byte >= AddressOf(a.output) &&
        byte <
            AddressOf(a.output) + static_cast<std::uint64_t>(a.output_bytes)) {
      return false;
    }
  }
  return run.back().stream == now.stream && a.source == b.source &&
         a.rows == b.rows && a.columns == b.columns &&
         a.row_stride == b.row_stride && a.layout == b.layout;
}

TEST_F(AWindowMemo, HitsWhereItMayInRandomRunsAndNowhereElse) {
  std::mt19937 bits(71);
  const auto below = [&](std::uint32_t count) {
    return static_cast<std::int64_t>(bits() % count);
  };
  constexpr ImageLayout kLayouts[] = {ImageLayout::kQ8_1,
                                      ImageLayout::kQ8_0Pad40,
                                      ImageLayout::kQ8_0Pad40Tiles};
  WindowMemoCounts expected;
  for (int run = 0; run < 300; ++run) {
    const std::int64_t bytes = (1 + below(4)) * 16384;
    std::vector<Event> events;
    MemoProduct last = Usual();
    ASSERT_OK(memo_->Run(bytes, [&] {
      const std::int64_t nodes = below(30);
      for (std::int64_t node = 0; node < nodes; ++node) {
        if (below(5) == 0) {
          events.push_back({});
          ++expected.others;
          EXPECT_OK(Other(kMemory + static_cast<std::uint64_t>(below(512) * 4),
                          below(256), bits()));
          continue;
        }
        MemoProduct product = last;
        switch (below(16)) {
          case 0:
            product.source =
                At(kMemory + static_cast<std::uint64_t>(below(64) * 16));
            break;
          case 1:
            product.rows = 1 + below(3);
            break;
          case 2:
            product.columns = 1 + below(40);
            product.row_stride = product.columns + below(3);
            break;
          case 3:
            product.layout = kLayouts[below(3)];
            break;
        }
        product.output =
            At(kMemory + static_cast<std::uint64_t>(below(2048) * 4));
        product.output_bytes = 4 + below(128);
        Event event{product, below(8) == 0 ? other_stream_ : stream_};
        ++(MayHit(events, event) ? expected.hits : expected.misses);
        EXPECT_OK(Product(product, event.stream));
        events.push_back(event);
        last = product;
      }
    }));
    ++expected.runs;
    expected.allocations = memo_->counts().allocations;
    ASSERT_EQ(memo_->counts(), expected) << "run " << run;
  }
  EXPECT_GT(expected.hits, 500u);
  EXPECT_GT(expected.misses, 500u);
}

}  // namespace
}  // namespace reprise::testing
