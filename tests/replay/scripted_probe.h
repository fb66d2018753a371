// A norm, its quantizer and a kernel that is to replace both, which compute in
// a ScriptedDriver's memory: what an EmissionProbe can try without a device.
#ifndef REPRISE_TESTS_REPLAY_SCRIPTED_PROBE_H_
#define REPRISE_TESTS_REPLAY_SCRIPTED_PROBE_H_

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "capture/import_graph.h"
#include "capture/pack.h"
#include "replay/prepare_graph.h"
#include "tests/driver/scripted_driver.h"

namespace reprise::testing {

// What the replacement does besides, or otherwise.
enum class Fault {
  kNone,
  kOutput,   // another last bit in element 3
  kImage,    // another byte 2, in the first block
  kPadding,  // leaves the last zero block alone
  kGuard,    // writes one byte behind the image
  kInput,    // writes its input
  kIdle,     // does nothing
};

// norm(x factor y scale) -> quantize(y image) -> matvec(w image out), of 64
// floats.
class ScriptedProbe {
 public:
  explicit ScriptedProbe(Fault fault = Fault::kNone);

  CUgraph Graph(std::uint32_t scale = 2, bool in_place = false);
  // Imported and annotated.
  ImportedGraph Import(CUgraph graph);
  PrepareOptions options();

  ScriptedDriver driver;
  const Driver& cuda = driver.table();
  CUfunction replacement;
  bool quantizes = true;  // false: the quantizer does nothing

 private:
  void Normalize(const std::vector<std::uint8_t>& bytes);
  void Quantize(std::uint64_t source, std::uint64_t image);
  void Replace(const std::vector<std::uint8_t>& bytes, Fault fault);

  std::vector<Pack> packs_;
  CUfunction norm_, quantize_, matvec_;
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_SCRIPTED_PROBE_H_
