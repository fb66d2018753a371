// A CUDA driver for machines without one: libcuda.so.1 over the graphs in
// memory of a ScriptedDriver, so that a whole program, with or without Reprise
// in front of it, runs in CI.
//
//   LD_LIBRARY_PATH=.../fake_libcuda victims_driver decode
//
// It knows the victims' kernels and runs them on the host, at once, whatever
// the stream. What it takes from a program, and what not, is in
// program_calls.cc.
//
// Log      the file that FAKE_LIBCUDA_LOG names gets a row for each graph call
//          that reaches the driver by an exported name, as programs call it:
//          "cuGraphLaunch_ptsz exec 0". The calls of Reprise's own go by the
//          table of driver/driver.h, and have no row but "Reprise launches".
// Threads  any; one mutex for all.
#ifndef REPRISE_TESTS_INJECT_FAKE_LIBCUDA_FAKE_DRIVER_H_
#define REPRISE_TESTS_INJECT_FAKE_LIBCUDA_FAKE_DRIVER_H_

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/driver/scripted_driver.h"
#include "tests/driver/scripted_state.h"

namespace reprise::testing {

// What the next node of a capture comes after.
struct Frontier {
  ScriptedGraph* graph = nullptr;
  std::vector<CUgraphNode> nodes;
};

struct FakeDriver {
  std::mutex mutex;
  ScriptedDriver scripted;
  std::map<CUstream, std::vector<CUgraphNode>> frontiers;  // while capturing
  std::map<CUevent, Frontier> captured_events;
  std::map<std::string, CUfunction> functions;
  std::set<std::pair<CUgraphExec, std::uint32_t>> disabled;  // node's index
  std::map<const void*, int> numbers;                        // of a row's names
  std::map<std::string, int> next_number;                    // by kind
};

// The process's own; lives as long as it.
FakeDriver& Fake();
inline const Driver& Table() { return Fake().scripted.table(); }

// Held by every call while it works.
[[nodiscard]] inline std::unique_lock<std::mutex> Lock() {
  return std::unique_lock<std::mutex>(Fake().mutex);
}

// The stream's handle as the ScriptedDriver knows it.
CUstream Known(CUstream stream);
bool IsCapturing(CUstream stream);
// The next node of the stream's capture, by such edges.
ScriptedNode& AppendToCapture(CUstream stream, CUgraphNodeType type,
                              const CUgraphEdgeData& edge = {});

// "exec 0": things are numbered as rows first name them.
std::string NameOf(CUgraph graph);
std::string NameOf(CUgraphExec exec);
void LogRow(absl::string_view row);

// Runs what the executable holds.
void RunExec(CUgraphExec exec);

// A program's call on graphs by its name without suffix; null for another.
void* FindProgramCall(absl::string_view name, int version, bool per_thread);

// A call of driver/driver.h's table, as Reprise makes it; null for another.
void* FindTableCall(absl::string_view name);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_INJECT_FAKE_LIBCUDA_FAKE_DRIVER_H_
