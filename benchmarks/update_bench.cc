// What it costs to follow a capture that was taken again, without the driver's
// part: to give the changed launches their meaning, and to see that the plan
// stands or plan anew. Of ggml-cuda's captures in tests/data. No GPU.
//
//   build/benchmarks/update_bench --benchmark_format=json > results.json
//
// Every pointer of every launch moves by the same distance, to and fro; copies
// do nothing here, for one that moves is not followed at all.
// ns_per_node is the time by the nodes of the graph. "annotate_unknown" is of
// an annotator that never saw such launches, symbols included.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "capture/annotate.h"
#include "capture/capture_file.h"
#include "capture/pack.h"
#include "planner/planner.h"
#include "planner/standing_plan.h"

namespace reprise {
namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 40;

constexpr const char* kCaptures[] = {"ggml_qwen7b_q4_0_T1.json",
                                     "ggml_llama1b_q4_0_T8.json",
                                     "ggml_moe_q4_0_T1.json"};

bool PointsIntoMemory(std::uint64_t word, const Graph& graph) {
  for (const Allocation& a : graph.allocations()) {
    if (word >= a.address && word < a.end()) return true;
  }
  return false;
}

// By node: where in its parameter buffer there are pointers.
using Pointers = std::vector<std::vector<std::size_t>>;

Pointers FindPointers(const Graph& graph) {
  Pointers pointers(graph.num_nodes());
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    if (graph.node(NodeId{n}).launch == Node::kNoIndex) continue;
    const std::vector<std::uint8_t>& bytes = graph.launch(NodeId{n}).bytes;
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (PointsIntoMemory(word, graph)) pointers[n].push_back(at);
    }
  }
  return pointers;
}

class Update {
 public:
  explicit Update(const std::string& file)
      : graph_(*ReadCapture(std::string(REPRISE_CAPTURES "/") + file)),
        annotator_(BuiltInPacks()),
        pointers_(FindPointers(graph_)) {
    // Memory far away, so that gathered rows are bounded there too.
    const std::vector<Allocation> here(graph_.allocations().begin(),
                                       graph_.allocations().end());
    for (const Allocation& a : here) {
      graph_.AddAllocation({a.address + kFar, a.bytes});
    }
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      Node& node = graph_.mutable_node(NodeId{n});
      if (node.kind == NodeKind::kCopy) node.kind = NodeKind::kEmpty;
    }
    annotator_.Annotate(graph_);
    for (std::uint32_t n = 0; n < graph_.num_nodes(); ++n) {
      if (!pointers_[n].empty()) changed_.push_back(NodeId{n});
    }
  }

  void Move() {
    const std::uint64_t by = away_ ? std::uint64_t{0} - kFar : kFar;
    away_ = !away_;
    for (const NodeId id : changed_) {
      for (const std::size_t at : pointers_[id.value]) {
        std::uint64_t word = 0;
        std::uint8_t* byte = graph_.mutable_launch(id).bytes.data() + at;
        std::memcpy(&word, byte, sizeof word);
        word += by;
        std::memcpy(byte, &word, sizeof word);
      }
    }
  }

  void Annotate() { annotator_.Annotate(graph_, changed_); }
  // As if the annotator had never seen such launches.
  void AnnotateFromNothing() {
    Annotator annotator(BuiltInPacks());
    annotator.Annotate(graph_, changed_);
  }

  Graph& graph() { return graph_; }
  const std::vector<NodeId>& changed() const { return changed_; }

 private:
  Graph graph_;
  Annotator annotator_;
  Pointers pointers_;
  std::vector<NodeId> changed_;
  bool away_ = false;
};

// Times `work` after each move.
template <typename Work>
void MeasureWith(Update& update, benchmark::State& state, Work work) {
  for (auto _ : state) {
    update.Move();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    state.SetIterationTime(took.count());
  }
  const auto nodes = static_cast<double>(update.graph().num_nodes());
  state.counters["nodes"] = nodes;
  state.counters["changed"] = static_cast<double>(update.changed().size());
  state.counters["ns_per_node"] = benchmark::Counter(
      nodes * 1e-9, benchmark::Counter::kIsIterationInvariantRate |
                        benchmark::Counter::kInvert);
}

void AnnotateAll(benchmark::State& state) {
  Update update(kCaptures[state.range(0)]);
  MeasureWith(update, state, [&] { update.Annotate(); });
}

void FollowAll(benchmark::State& state) {
  Update update(kCaptures[state.range(0)]);
  StandingPlan standing(update.graph());
  MeasureWith(update, state, [&] {
    update.Annotate();
    if (!standing.Follow(update.changed(), update.graph())) {
      state.SkipWithError("the plan does not stand");
    }
  });
}

void PlanAll(benchmark::State& state) {
  Update update(kCaptures[state.range(0)]);
  MeasureWith(update, state, [&] {
    update.Annotate();
    benchmark::DoNotOptimize(MakePlan(update.graph()));
  });
}

void AnnotateAnew(benchmark::State& state) {
  Update update(kCaptures[state.range(0)]);
  MeasureWith(update, state, [&] { update.AnnotateFromNothing(); });
}

void MakeStanding(benchmark::State& state) {
  Update update(kCaptures[state.range(0)]);
  MeasureWith(update, state,
              [&] { benchmark::DoNotOptimize(StandingPlan(update.graph())); });
}

void Register(benchmark::internal::Benchmark* row) {
  row->ArgName("capture")->DenseRange(0, std::size(kCaptures) - 1);
  row->UseManualTime()->Unit(benchmark::kMicrosecond);
}

BENCHMARK(AnnotateAll)->Name("Update/annotate")->Apply(Register);
BENCHMARK(AnnotateAnew)->Name("Update/annotate_unknown")->Apply(Register);
BENCHMARK(FollowAll)->Name("Update/annotate_and_follow")->Apply(Register);
BENCHMARK(PlanAll)->Name("Update/annotate_and_plan")->Apply(Register);
BENCHMARK(MakeStanding)->Name("Update/make_standing")->Apply(Register);

}  // namespace
}  // namespace reprise
