// A driver without a device: a table whose calls work on graphs in memory, so
// that what is done with the driver can be read, counted and made to fail.
//
//   ScriptedDriver driver;
//   const CUfunction add = driver.NewFunction("add", {{0, 8}, {8, 8}});
//   const CUgraph graph = driver.NewGraph();                          // g0
//   const CUgraphNode a = driver.AddKernel(graph, {.func = add, ...});
//   driver.FailCall("GraphClone", 1, CUDA_ERROR_OUT_OF_MEMORY);
//   ... code under test, given driver.table() ...
//   EXPECT_EQ(driver.rows(), "GraphClone g0 -> g1\n...");
//   EXPECT_EQ(driver.Leaks(), "");
//
// Names    graphs g0, g1, .. and executables e0, e1, .. as they are made; a
//          node is g0:3 by its place of birth, which its clone keeps; streams
//          s1, s2, .., and s0 for a default stream; events v0, v1, ..
// Rules    as strict as the driver: dead handles, an edge that is there
//          already, edge data that does not match, a clone of a graph with
//          allocation or conditional nodes or with one that the device may
//          update are refused. Removing a node joins nobody.
// Failing  a call that is told to fail does nothing, but a destroy or free and
//          the end of a capture still end what they name, as those of a device
//          in error do.
// Threads  one ScriptedDriver at a time in the process, one caller at a time.
#ifndef REPRISE_TESTS_DRIVER_SCRIPTED_DRIVER_H_
#define REPRISE_TESTS_DRIVER_SCRIPTED_DRIVER_H_

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "driver/driver.h"
#include "graph/node.h"

namespace reprise::testing {

// A kernel node as it is made.
struct ScriptedKernel {
  CUfunction func = nullptr;
  CUkernel kern = nullptr;               // what counts when func is null
  std::vector<std::uint8_t> bytes = {};  // the parameter buffer
  Dim3 grid = {};
  Dim3 block = {};
  std::uint32_t shared_bytes = 0;
  bool as_extra = false;  // launched through `extra`, not `kernelParams`
  bool cooperative = false;
  Dim3 cluster = {0, 0, 0};  // none
  bool device_updatable = false;
};

// What a launch of a function does, at once: to the parameter buffer and
// memory that ScriptedDriver::Memory finds.
using ScriptedBody = std::function<void(const std::vector<std::uint8_t>&)>;

// A parameter buffer of 8-byte words.
std::vector<std::uint8_t> Words(const std::vector<std::uint64_t>& words);

class ScriptedDriver {
 public:
  ScriptedDriver();
  ~ScriptedDriver();
  ScriptedDriver(const ScriptedDriver&) = delete;
  ScriptedDriver& operator=(const ScriptedDriver&) = delete;

  const Driver& table() const;

  // What a test finds there before its first call. Handles live as long as the
  // ScriptedDriver; none of this is counted.
  CUfunction NewFunction(std::string name, std::vector<Parameter> layout);
  // Without one, a launch does nothing. A graph's launch does nothing either.
  void SetBody(CUfunction function, ScriptedBody body);
  CUkernel NewKernel(CUfunction function);
  CUstream NewStream();
  CUgraph NewGraph();
  CUgraphNode AddKernel(CUgraph graph, ScriptedKernel kernel);
  CUgraphNode AddMemcpy(CUgraph graph, const CUDA_MEMCPY3D& copy);
  CUgraphNode AddMemset(CUgraph graph, const CUDA_MEMSET_NODE_PARAMS& fill);
  CUgraphNode AddNode(CUgraph graph, CUgraphNodeType type);
  void AddEdge(CUgraphNode from, CUgraphNode to, CUgraphEdgeData data = {});
  void AddAllocation(CUdeviceptr address, std::size_t bytes);
  // Null when not all of the bytes are in one allocation.
  std::uint8_t* Memory(CUdeviceptr address, std::size_t bytes);

  // The graph that a capture on `stream` fills; null when there is none.
  CUgraph CapturedBy(CUstream stream) const;
  // Breaks the capture: its end returns `result` and no graph.
  void BreakCapture(CUstream stream, CUresult result);

  // Until this is called again with false, no stream or event is done.
  void SetBusy(bool busy);

  // The n-th call from now on, or the n-th of that name ("GraphClone"), fails;
  // n counts from 1. GetErrorName always works and is not counted.
  void FailCall(int n, CUresult result);
  void FailCall(absl::string_view call, int n, CUresult result);

  // Calls so far, those that failed too.
  int calls() const;
  int calls(absl::string_view call) const;

  // One line for each call that changes something, and for each that was told
  // to fail:
  //   GraphClone g0 -> g1
  //   GraphKernelNodeSetParams g1:2 add(0x1000 0x2000)
  //   GraphRemoveDependencies g1: 0->2 ~2->3
  //   GraphDestroyNode g1:2
  //   GraphInstantiateWithParams fails
  std::string rows() const;
  void ClearRows();

  // One line a node, in order: "2: add(0x1000 0x2000) after 0 ~1". '~' marks a
  // programmatic edge; "1:2" gives a port that is not the type's usual one.
  std::string TextOf(CUgraph graph) const;
  std::string TextOf(CUgraphExec exec) const;
  std::string NameOf(CUgraphNode node) const;  // "g0:3"
  std::vector<std::uint8_t> BytesOf(CUgraphNode node) const;

  // What the code under test made and has not given back: "g1 e0 v0
  // 0x7f0000000000 s1 capturing". Empty when there is nothing.
  std::string Leaks() const;

  // The table's functions are plain pointers: their state is here.
  struct State;
  static State& state();

 private:
  std::unique_ptr<State> state_;
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_DRIVER_SCRIPTED_DRIVER_H_
