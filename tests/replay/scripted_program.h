// A graph that is data made real in a ScriptedDriver, so that what is emitted
// into it can be read.
//
// Every kernel takes a pointer to each view that it touches, in the order of
// its accesses; a producer with an emitting kernel takes one to its image more.
// Its symbol is its op's first word.
#ifndef REPRISE_TESTS_REPLAY_SCRIPTED_PROGRAM_H_
#define REPRISE_TESTS_REPLAY_SCRIPTED_PROGRAM_H_

#include <cuda.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "capture/import_graph.h"
#include "graph/graph.h"
#include "planner/rewrite.h"
#include "replay/graph_emitter.h"
#include "tests/driver/scripted_driver.h"

namespace reprise::testing {

class ScriptedProgram {
 public:
  ScriptedProgram(ScriptedDriver& driver, const Graph& graph);

  CUgraph graph() const { return graph_; }
  // The graph, with launches.
  const ImportedGraph& imported() const { return imported_; }

  // Knows the emitting kernels of the graph, but none called "missing".
  FunctionLookup functions() const;

 private:
  void AddKernel(const Graph& graph, NodeId id);
  CUfunction Function(const std::string& symbol, std::size_t pointers);

  ScriptedDriver& driver_;
  ImportedGraph imported_;
  CUgraph graph_;
  std::map<std::pair<std::string, std::size_t>, CUfunction> functions_;
  std::map<std::string, CUfunction, std::less<>> emitting_;
};

// What ScriptedDriver::TextOf has to say of a graph that was rewritten so.
std::string TextOf(const Rewritten& rewritten);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_SCRIPTED_PROGRAM_H_
