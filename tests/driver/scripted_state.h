// What a ScriptedDriver's handles stand for.
#ifndef REPRISE_TESTS_DRIVER_SCRIPTED_STATE_H_
#define REPRISE_TESTS_DRIVER_SCRIPTED_STATE_H_

#include <cuda.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "driver/driver.h"
#include "tests/driver/scripted_driver.h"

namespace reprise::testing {

struct ScriptedFunction {
  std::string name;
  std::vector<Parameter> layout;
  int most_shared_bytes = 48 * 1024;
  ScriptedBody body = nullptr;
};

struct ScriptedGraph;

struct ScriptedNode {
  ScriptedGraph* graph = nullptr;
  std::uint32_t index = 0;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  bool alive = true;
  ScriptedKernel kernel;
  CUDA_MEMCPY3D copy = {};
  CUDA_MEMSET_NODE_PARAMS fill = {};
  // What kernelParams and extra of a query point to.
  std::vector<void*> pointers;
  std::size_t buffer_size = 0;
};

struct ScriptedEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  CUgraphEdgeData data = {};
};

// Indices of nodes never move: a node that was removed is dead in its place.
struct ScriptedGraph {
  int number = 0;
  bool alive = true;
  bool given = false;  // made by the test, which leaves it to the driver
  const ScriptedGraph* original = nullptr;  // of a clone
  std::deque<ScriptedNode> nodes;
  std::vector<ScriptedEdge> edges;
};

struct ScriptedExec {
  int number = 0;
  bool alive = true;
  ScriptedGraph* source = nullptr;
  ScriptedGraph content;  // the copy that a launch runs
};

struct ScriptedStream {
  int number = 0;
  bool alive = true;
  bool given = false;
  ScriptedGraph* captured = nullptr;
  CUresult broken = CUDA_SUCCESS;
};

struct ScriptedEvent {
  int number = 0;
  bool alive = true;
  bool recorded = false;
};

struct ScriptedFailure {
  std::string call;  // empty: of any name
  int left = 0;
  CUresult result = CUDA_SUCCESS;
};

struct ScriptedMemory {
  std::vector<std::uint8_t> bytes;
  bool given = false;
};

struct ScriptedDriver::State {
  State();

  Driver table;
  std::deque<ScriptedFunction> functions;
  std::deque<CUfunction> kernels;
  std::deque<ScriptedGraph> graphs;
  std::deque<ScriptedExec> execs;
  std::deque<ScriptedStream> streams;
  std::deque<ScriptedEvent> events;
  std::map<CUdeviceptr, ScriptedMemory> memory;
  CUdeviceptr next_address = 0x7f00'0000'0000;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  // The thread's stack, the current one last; a program starts with one.
  std::vector<CUcontext> contexts = {reinterpret_cast<CUcontext>(0x1)};

  bool busy = false;  // what was launched has not ended

  std::vector<ScriptedFailure> failures;
  std::map<std::string, int, std::less<>> counts;
  int total = 0;
  std::string rows;

  // Counts the call and says whether it has to fail.
  CUresult Enter(const char* call);
  void Row(absl::string_view row);

  ScriptedStream& AddStream();
  ScriptedGraph& AddGraph();
  ScriptedGraph& AddCopy(const ScriptedGraph& original);
  // Null when not all of the bytes are in one allocation.
  std::uint8_t* Find(CUdeviceptr address, std::size_t bytes);
};

// A copy in place: same indices, other addresses.
void CopyContent(const ScriptedGraph& from, ScriptedGraph& to);
ScriptedNode& AppendNode(ScriptedGraph& graph, CUgraphNodeType type);

std::string TextOf(const ScriptedKernel& kernel);
std::string TextOf(const ScriptedEdge& edge);
std::string TextOf(const ScriptedGraph& graph);
std::string TextOf(const ScriptedNode& node);  // "g0:3"
std::string TextOf(CUstream stream);

// A handle is the address of what it stands for.
template <typename Thing, typename Handle>
Thing* From(Handle handle) {
  return reinterpret_cast<Thing*>(handle);
}
inline CUgraph ToHandle(ScriptedGraph& graph) {
  return reinterpret_cast<CUgraph>(&graph);
}
inline CUgraphNode ToHandle(ScriptedNode& node) {
  return reinterpret_cast<CUgraphNode>(&node);
}
inline CUgraphExec ToHandle(ScriptedExec& exec) {
  return reinterpret_cast<CUgraphExec>(&exec);
}

const ScriptedFunction& FunctionOf(const ScriptedKernel& kernel);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_DRIVER_SCRIPTED_STATE_H_
