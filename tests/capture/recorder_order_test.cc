// Random programs against a slow model of what streams and events mean: for
// each stream and event the whole set of nodes that are finished by then.
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "capture/recorder.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

constexpr int kStreams = 4;
constexpr int kEvents = 5;
constexpr int kMaxNodes = 64;
using NodeSet = std::bitset<kMaxNodes>;

class Model {
 public:
  bool TakesPart(int s) const { return takes_part_[s]; }
  bool IsRecorded(int e) const { return recorded_[e]; }

  void Launch(int s) {
    before_.push_back(done_[s]);
    done_[s].set(before_.size() - 1);
  }
  void Record(int e, int s) {
    recorded_[e] = true;
    event_[e] = done_[s];
  }
  void Wait(int s, int e) {
    takes_part_[s] = true;
    done_[s] |= event_[e];
  }

  // By node: what must be finished before it.
  const std::vector<NodeSet>& before() const { return before_; }
  bool IsJoined() const { return done_[0].count() == before_.size(); }

 private:
  std::array<bool, kStreams> takes_part_ = {true};
  std::array<bool, kEvents> recorded_ = {};
  std::array<NodeSet, kStreams> done_;
  std::array<NodeSet, kEvents> event_;
  std::vector<NodeSet> before_;
};

// One program on both sides, from calls that are all allowed.
class Pair {
 public:
  explicit Pair(std::uint32_t seed) : random_(seed) {
    streams_ = {recorder_.origin()};
    while (streams_.size() < kStreams) {
      streams_.push_back(recorder_.NewStream());
    }
    while (events_.size() < kEvents) events_.push_back(recorder_.NewEvent());
  }

  void RunRandomCalls(int count) {
    for (int i = 0; i < count; ++i) {
      const int s = static_cast<int>(random_() % kStreams);
      const int e = static_cast<int>(random_() % kEvents);
      switch (random_() % 3) {
        case 0:
          if (model_.TakesPart(s)) Launch(s);
          break;
        case 1:
          if (model_.TakesPart(s)) Record(e, s);
          break;
        default:
          if (model_.IsRecorded(e)) Wait(s, e);
      }
    }
    Launch(0);
  }

  void JoinAll() {
    for (int s = 1; s < kStreams; ++s) {
      if (!model_.TakesPart(s)) continue;
      Record(0, s);
      Wait(0, 0);
    }
  }

  const Model& model() const { return model_; }
  absl::StatusOr<Graph> Finish() { return std::move(recorder_).Finish(); }

 private:
  void Launch(int s) {
    model_.Launch(s);
    EXPECT_OK(recorder_.Launch(streams_[s], KernelLaunch()));
  }
  void Record(int e, int s) {
    model_.Record(e, s);
    EXPECT_OK(recorder_.RecordEvent(events_[e], streams_[s]));
  }
  void Wait(int s, int e) {
    model_.Wait(s, e);
    EXPECT_OK(recorder_.WaitEvent(streams_[s], events_[e]));
  }

  std::mt19937 random_;
  Model model_;
  Recorder recorder_;
  std::vector<StreamId> streams_;
  std::vector<EventId> events_;
};

// What the edges order before each node; they come by rising target.
std::vector<NodeSet> Ancestors(const Graph& graph) {
  std::vector<NodeSet> before(graph.num_nodes());
  for (const Edge& edge : graph.edges()) {
    before[edge.to.value] |= before[edge.from.value];
    before[edge.to.value].set(edge.from.value);
  }
  return before;
}

TEST(RecorderOrder, IsTheOrderThatStreamsAndEventsMean) {
  int orders = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Pair pair(seed);
    pair.RunRandomCalls(static_cast<int>(seed % 60));
    pair.JoinAll();
    const auto graph = pair.Finish();
    ASSERT_OK(graph);
    ASSERT_EQ(Ancestors(*graph), pair.model().before());
    for (const NodeSet& set : pair.model().before()) {
      orders += static_cast<int>(set.count());
    }
  }
  EXPECT_GT(orders, 10'000);  // the programs are not all trivial
}

TEST(RecorderOrder, RefusesExactlyTheProgramsThatAreNotJoined) {
  int refused = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Pair pair(seed);
    pair.RunRandomCalls(static_cast<int>(seed % 60));
    const bool joined = pair.Finish().ok();
    ASSERT_EQ(joined, pair.model().IsJoined());
    refused += joined ? 0 : 1;
  }
  EXPECT_GT(refused, 200);
  EXPECT_LT(refused, 1800);
}

TEST(RecorderOrder, NeedsNoTwoEdgesFromOneStreamIntoANode) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Pair pair(seed);
    pair.RunRandomCalls(60);
    pair.JoinAll();
    const auto graph = pair.Finish();
    ASSERT_OK(graph);
    std::vector<std::bitset<kStreams>> sources(graph->num_nodes());
    std::uint32_t newest = 0;
    for (const Edge& edge : graph->edges()) {
      const std::uint32_t stream = graph->node(edge.from).stream.value;
      ASSERT_FALSE(sources[edge.to.value].test(stream));
      sources[edge.to.value].set(stream);
      ASSERT_LT(edge.from, edge.to);
      ASSERT_GE(edge.to.value, newest);
      newest = edge.to.value;
    }
  }
}

}  // namespace
}  // namespace reprise
