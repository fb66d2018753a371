// A small loop captured in a ScriptedDriver, which a DeviceExecutable then
// takes: a norm, and matrix products that each quantize its output.
//
// The kernels are those of a pack of its own (LoopPacks), so that a row shows
// every pointer: norm(x y image), quantize(source image), matvec(w image out).
#ifndef REPRISE_TESTS_REPLAY_SCRIPTED_LOOP_H_
#define REPRISE_TESTS_REPLAY_SCRIPTED_LOOP_H_

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "driver/graph_handle.h"
#include "replay/device_executable.h"
#include "tests/driver/scripted_driver.h"

namespace reprise::testing {

const std::vector<Pack>& LoopPacks();
// Of formed_norm(x y image form unused), which no ScriptedLoop captures: it has
// one emitting kernel where its form is 0, and another where that is 1. Of the
// first there is a twin that stores no floats.
std::vector<Parameter> FormedNormLayout();

// What one capture has otherwise than the next.
struct LoopShape {
  std::uint64_t input = 0x1000;  // what the norm reads
  int products = 2;
  // A second norm of its own and a product of that, which needs another image.
  bool second_norm = false;
  // Addresses of a fill's target and a copy's source at the end; 0: none.
  std::uint64_t fill = 0;
  std::uint64_t copy = 0;
  bool copy_of_host_memory = false;
  CUgraphNodeType last = CU_GRAPH_NODE_TYPE_KERNEL;  // another: one more node
  bool device_updatable = false;                     // the last product
  std::uint32_t shared_bytes = 0;                    // of a product
  bool new_functions = false;  // of the same names, as a reloaded module has
};

class ScriptedLoop {
 public:
  ScriptedLoop();

  GraphHandle Capture(const LoopShape& shape = {});
  // Launches the loop on a stream that is capturing.
  void Record(const LoopShape& shape, CUstream on);
  DeviceOptions options();
  absl::StatusOr<DeviceExecutable> Create(const LoopShape& shape = {});

  // All rows since the last call but those of the capture mode.
  std::string Rows();
  // Launches, and tells what ran: one line a node, addresses of the arena as
  // "arena+640".
  std::string Launch(DeviceExecutable& executable);
  std::string LaunchOriginal(DeviceExecutable& executable);

  ScriptedDriver driver;
  const Driver& cuda = driver.table();
  CUstream stream = driver.NewStream();
  bool emitting_kernels = true;

 private:
  struct Functions {
    CUfunction norm, quantize, matvec;
  };
  Functions NewFunctions();
  std::string LaunchedText();

  CUstream capturing_ = driver.NewStream();
  CUfunction norm_emit_, formed_norm_emit_, formed_norm_emit_only_;
  CUfunction other_norm_emit_;
  Functions functions_, reloaded_;
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_SCRIPTED_LOOP_H_
