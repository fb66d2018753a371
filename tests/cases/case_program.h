// A small program for one case: buffers and launches written down one after
// the other, then planned, rewritten, and run beside the original with new
// inputs before each replay. docs/cases.md lists the cases.
#ifndef REPRISE_TESTS_CASES_CASE_PROGRAM_H_
#define REPRISE_TESTS_CASES_CASE_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "capture/recorder.h"
#include "examples/decoder/kernel_calls.h"
#include "graph/graph.h"
#include "planner/planner.h"
#include "replay/host_executable.h"
#include "replay/host_memory.h"
#include "replay/verdict.h"

namespace reprise::testing {

class CaseProgram {
 public:
  // Floats with new random contents before each replay.
  decoder::Rows Input(std::int64_t rows, std::int64_t columns,
                      std::int64_t stride = 0);
  decoder::Rows Buffer(std::int64_t rows, std::int64_t columns,
                       std::int64_t stride = 0);
  // A place for the image of such rows; every byte starts as 0xff.
  decoder::Address ImagePlace(const decoder::Rows& rows);
  // Eight random rows of q4_0 for each expert.
  decoder::Matrix Weights(std::int64_t columns, std::int64_t experts = 1);

  // Launches go to the stream set last, at first the origin.
  void On(StreamId stream) { stream_ = stream; }
  void Launch(const decoder::KernelCall& call);
  void Norm(const decoder::Rows& x, const decoder::Rows& out);
  void Add(const decoder::Rows& a, const decoder::Rows& b,
           const decoder::Rows& out);
  void Quantize(const decoder::Rows& x, decoder::Address image);
  // Reads the image of x with weights of its own; returns the product.
  decoder::Rows Project(const decoder::Rows& x, decoder::Address image);
  // A quantizer with a place of its own, and its reader.
  decoder::Rows QuantizeAndProject(const decoder::Rows& x);

  // A stream that starts behind the current one / is waited for by it.
  StreamId Fork();
  void Join(StreamId stream);

  Recorder& recorder() { return recorder_; }
  HostMemory& memory() { return memory_; }

  // The annotated graph; called once, after the last launch.
  Graph Finish();
  void Refresh(int replay, HostMemory& memory) const;

 private:
  Recorder recorder_;
  HostMemory memory_;
  StreamId stream_ = recorder_.origin();
  std::vector<decoder::Rows> inputs_;
  std::mt19937 random_{7};
};

struct CaseOptions {
  PlanOptions plan = {};
  HostCalls host_calls = {};
  // What else changes between replays.
  std::function<void(int replay, HostMemory& memory)> refresh = {};
};

struct CaseRun {
  Graph graph;
  Plan plan;
  Verdict verdict;

  // Of one replay of the rewritten program.
  std::uint64_t quantizers() const {
    return verdict.rewritten.quantizers / verdict.rewritten.replays;
  }
  std::uint64_t emitting() const {
    return verdict.rewritten.emitting / verdict.rewritten.replays;
  }
  // The plan's declines for that reason.
  int declined(DeclineReason reason) const;
};

// Fails the test unless every byte is the same in each of several replays and
// orders.
CaseRun RunCase(const CaseProgram& program, HostMemory& start, Graph graph,
                const CaseOptions& options = {});
CaseRun RunCase(CaseProgram& program, const CaseOptions& options = {});

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_CASES_CASE_PROGRAM_H_
