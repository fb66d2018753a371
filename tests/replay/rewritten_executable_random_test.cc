// Random loops brought from capture to capture: what then runs is what an
// executable made of the last capture runs, by whatever means it got there.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "replay/rewritten_executable.h"
#include "tests/driver/scripted_state.h"
#include "tests/replay/scripted_loop.h"
#include "tests/support/status_matchers.h"

namespace reprise::testing {
namespace {

// A kernel of the scripted loop: its function by number, its pointers.
struct Launched {
  int function = 0;
  std::vector<std::uint64_t> words;
  int after = -1;  // an earlier node
};
using Capture = std::vector<Launched>;

enum Function { kNorm, kQuantize, kMatvec, kFormedNorm };

// Few places, so that nodes meet; some overlap.
std::uint64_t Floats(std::mt19937& random) {
  return 0x2000 + 0x80 * (random() % 5);
}
std::uint64_t Image(std::mt19937& random) {
  return 0x8000 + 0x400 * (random() % 3);
}
std::uint64_t Output(std::mt19937& random) {
  return random() % 8 == 0 ? Floats(random) : 0xa000 + 0x100 * (random() % 4);
}

std::vector<std::uint64_t> WordsOf(int function, std::mt19937& random) {
  switch (function) {
    case kNorm:
      return {0x1000 + 0x100 * (random() % 2), Floats(random), 0};
    case kFormedNorm:
      return {0x1000, Floats(random), 0, random() % 3};
    case kQuantize:
      return {Floats(random), Image(random)};
    default:
      return {0x6000, Image(random), Output(random)};
  }
}

// Mostly norms whose output is quantized again and again.
Capture RandomCapture(std::mt19937& random) {
  Capture capture;
  std::uint64_t floats = 0x2000;
  for (int n = 0; n < 14; ++n) {
    const bool forks = random() % 8 == 0;
    const int after =
        forks && n > 1 ? static_cast<int>(random() % (n - 1)) : n - 1;
    const int norm = random() % 2 == 0 ? kNorm : kFormedNorm;
    const int function = n == 0              ? norm
                         : random() % 8 == 0 ? norm
                         : n % 2 == 1        ? kQuantize
                                             : kMatvec;
    capture.push_back({function, WordsOf(function, random), after});
    Launched& launched = capture.back();
    if (random() % 4 == 0) continue;
    if (function == norm) floats = launched.words[1];
    if (function == kQuantize) launched.words[0] = floats;
    if (function == kMatvec) launched.words[1] = capture[n - 1].words[1];
  }
  return capture;
}

void ChangeOne(Capture& capture, std::mt19937& random) {
  Launched& launched = capture[random() % capture.size()];
  const std::size_t word = random() % launched.words.size();
  launched.words[word] = WordsOf(launched.function, random)[word];
}

// All pointers into one place, wherever they are, or those to its start alone.
void MoveOne(Capture& capture, std::mt19937& random) {
  const Launched& picked = capture[random() % capture.size()];
  const std::uint64_t place = picked.words[random() % picked.words.size()];
  if (place <= 0xff) return;
  const std::uint64_t mask = random() % 2 == 0 ? ~std::uint64_t{0} : ~0x3ffull;
  const std::uint64_t far = 0x1000000 * (1 + random() % 3);
  for (Launched& launched : capture) {
    for (std::uint64_t& word : launched.words) {
      if ((word & mask) == (place & mask)) word ^= far;
    }
  }
}

Capture Changed(Capture capture, std::mt19937& random) {
  switch (random() % 11) {
    case 8:
    case 9:
    case 10:
      MoveOne(capture, random);
      return capture;
    case 0:
      return capture;
    case 1:
      for (Launched& launched : capture) {
        for (std::uint64_t& word : launched.words) {
          if (word > 0xff) word ^= 0x1000000;
        }
      }
      return capture;
    case 2:
      return RandomCapture(random);
    case 3:
      capture.pop_back();
      return capture;
    case 4:
      for (int i = 0; i < 4; ++i) ChangeOne(capture, random);
      return capture;
    default:
      ChangeOne(capture, random);
      return capture;
  }
}

// Most of them drop dead stores, and some of these know of floats that are read
// outside.
PlanOptions PlanOptionsOf(std::uint32_t seed) {
  PlanOptions options;
  options.dead_stores = seed % 4 != 0;
  if (options.dead_stores) options.outputs.emplace();
  if (seed % 4 == 3) {
    options.outputs->push_back(Packed(0x2100, ElementType::kF32, 16));
  }
  return options;
}

bool Emits(const Plan& plan) {
  return absl::c_any_of(
      plan.images, [](const PlannedImage& image) { return image.emitted; });
}

bool DropsFloats(const Plan& plan) {
  return absl::c_any_of(plan.images, [](const PlannedImage& image) {
    return image.drops_floats;
  });
}

class RandomUpdates : public ::testing::Test {
 protected:
  CUgraph Make(const Capture& capture) {
    const CUgraph graph = loop_.driver.NewGraph();
    std::vector<CUgraphNode> nodes;
    for (const Launched& launched : capture) {
      nodes.push_back(
          loop_.driver.AddKernel(graph, {.func = functions_[launched.function],
                                         .bytes = Words(launched.words)}));
      if (launched.after >= 0) {
        loop_.driver.AddEdge(nodes[launched.after], nodes.back());
      }
    }
    return graph;
  }

  RewrittenExecutable Fresh(const Capture& capture) {
    return RewrittenExecutable::Create(loop_.cuda, Make(capture), Options());
  }
  // Whoever decides on an outcome in which a kernel emits looks that up.
  DeviceOptions Options() {
    DeviceOptions options = loop_.options();
    options.prepare.plan = plan_;
    options.prepare.functions = [this, find = options.prepare.functions](
                                    absl::string_view symbol,
                                    std::uint32_t shared_bytes) {
      ++lookups_;
      return find(symbol, shared_bytes);
    };
    return options;
  }

  // What its launch runs, the nodes counted from 0 and the arena at 0.
  std::string Runs(RewrittenExecutable& executable) {
    loop_.driver.ClearRows();
    EXPECT_OK(executable.Launch(loop_.stream));
    const std::vector<std::string> row =
        absl::StrSplit(loop_.driver.rows(), ' ');
    std::size_t number = 0;
    EXPECT_TRUE(absl::SimpleAtoi(row[1].substr(1), &number));
    const ScriptedGraph& content =
        ScriptedDriver::state().execs[number].content;
    std::map<std::uint32_t, int> place;
    std::string text;
    for (const ScriptedNode& node : content.nodes) {
      if (!node.alive) continue;
      const int at = static_cast<int>(place.size());
      place[node.index] = at;
      absl::StrAppend(&text, FunctionOf(node.kernel).name, " of ",
                      reinterpret_cast<std::uintptr_t>(node.kernel.func));
      for (std::size_t i = 0; i + 8 <= node.kernel.bytes.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, node.kernel.bytes.data() + i, 8);
        const Allocation& arena = executable.arena();
        const bool image = word >= arena.address && word < arena.end();
        absl::StrAppend(&text, image ? " arena+" : " ",
                        image ? word - arena.address : word);
      }
      text += '\n';
    }
    for (const ScriptedEdge& edge : content.edges) {
      absl::StrAppend(&text, place.at(edge.from), "->", place.at(edge.to),
                      "\n");
    }
    return text;
  }

  void ExpectAsFresh(RewrittenExecutable& executable, const Capture& capture) {
    RewrittenExecutable fresh = Fresh(capture);
    ASSERT_EQ(executable.runs(), fresh.runs());
    ASSERT_EQ(executable.outcome().rewritten, fresh.outcome().rewritten);
    ASSERT_EQ(ToText(executable.outcome().plan), ToText(fresh.outcome().plan));
    ASSERT_EQ(executable.outcome().running, fresh.outcome().running);
    if (fresh.runs()) {
      ASSERT_EQ(Runs(executable), Runs(fresh));
    }
  }

  // Gives a node of the graph that `capture` is another pointer in both.
  void SetOne(RewrittenExecutable& executable, CUgraph graph, Capture& capture,
              std::mt19937& random) {
    const std::size_t n = random() % capture.size();
    Launched& launched = capture[n];
    const std::size_t word = random() % launched.words.size();
    launched.words[word] = WordsOf(launched.function, random)[word];
    const CUfunction function = functions_[launched.function];
    std::vector<std::uint8_t> bytes = Words(launched.words);
    std::vector<void*> pointers;
    for (const Parameter& p : From<ScriptedFunction>(function)->layout) {
      pointers.push_back(bytes.data() + p.offset);
    }
    CUDA_KERNEL_NODE_PARAMS params = {};
    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = pointers.data();
    executable.SetKernelParams(ToHandle(From<ScriptedGraph>(graph)->nodes[n]),
                               params);
  }

  ScriptedLoop loop_;
  PlanOptions plan_;
  int lookups_ = 0;
  std::vector<CUfunction> functions_ = {
      loop_.driver.NewFunction("norm", {{0, 8}, {8, 8}, {16, 8}}),
      loop_.driver.NewFunction("quantize", {{0, 8}, {8, 8}}),
      loop_.driver.NewFunction("matvec", {{0, 8}, {8, 8}, {16, 8}}),
      loop_.driver.NewFunction("formed_norm", FormedNormLayout())};
};

TEST_F(RandomUpdates, RunWhatAnExecutableOfTheLastCaptureRuns) {
  std::map<UpdateResult, int> results;
  int with_the_same_plan = 0;
  int without_a_plan = 0;
  int dropping_without_a_plan = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    plan_ = PlanOptionsOf(seed);
    Capture capture = RandomCapture(random);
    RewrittenExecutable executable = Fresh(capture);
    for (int i = 0; i < 12; ++i) {
      const std::string plan = ToText(executable.outcome().plan);
      capture = Changed(capture, random);
      const int lookups = lookups_;
      const UpdateResult result = executable.Update(Make(capture));
      const Plan& now = executable.outcome().plan;
      const bool followed =
          result == UpdateResult::kPatched && lookups == lookups_ && Emits(now);
      without_a_plan += followed;
      dropping_without_a_plan += followed && DropsFloats(now);
      ASSERT_NO_FATAL_FAILURE(ExpectAsFresh(executable, capture));
      ++results[result];
      with_the_same_plan += result == UpdateResult::kPatched &&
                            plan == ToText(executable.outcome().plan);
    }
  }
  EXPECT_GT(results[UpdateResult::kUnchanged], 50);
  EXPECT_GT(results[UpdateResult::kPatched], 200);
  EXPECT_GT(results[UpdateResult::kRebuilt], 100);
  EXPECT_GT(with_the_same_plan, 100);
  EXPECT_GT(without_a_plan, 50);
  EXPECT_GT(dropping_without_a_plan, 0);
  EXPECT_LT(with_the_same_plan, results[UpdateResult::kPatched] - 5);
  EXPECT_EQ(loop_.driver.Leaks(), "");
}

TEST_F(RandomUpdates, OfSomeNodesRunThemOrNothing) {
  int followed = 0;
  int dropped = 0;
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    plan_ = PlanOptionsOf(seed);
    Capture capture = RandomCapture(random);
    const CUgraph graph = Make(capture);
    RewrittenExecutable executable =
        RewrittenExecutable::Create(loop_.cuda, graph, Options());
    for (int i = 0; i < 6 && executable.runs(); ++i) {
      const int nodes = 1 + static_cast<int>(random() % 3);
      for (int n = 0; n < nodes; ++n)
        SetOne(executable, graph, capture, random);
      if (random() % 4 == 0) {
        // What was set and what comes with an update are one.
        capture = Changed(capture, random);
        executable.Update(Make(capture));
        ASSERT_NO_FATAL_FAILURE(ExpectAsFresh(executable, capture));
        break;
      }
      executable.Settle();
      if (executable.runs()) {
        ASSERT_NO_FATAL_FAILURE(ExpectAsFresh(executable, capture));
        ++followed;
        continue;
      }
      ++dropped;
      EXPECT_THAT(executable.outcome().declined,
                  HasText("to what no patch of the rewritten graph"));
      EXPECT_EQ(executable.arena().bytes, 0u);
      // And it comes back.
      executable.Update(Make(capture));
      ASSERT_NO_FATAL_FAILURE(ExpectAsFresh(executable, capture));
      break;
    }
  }
  EXPECT_GT(followed, 300);
  EXPECT_GT(dropped, 50);
}

}  // namespace
}  // namespace reprise::testing
