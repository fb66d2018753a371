// The component graphs that the peer engine has figures for: an activation and
// its readers, as parts of a decode step have them, all weights q4_0.
//
// The peer's file gives names alone; Components() is how they are read here.
#ifndef REPRISE_BENCHMARKS_COMPONENTS_H_
#define REPRISE_BENCHMARKS_COMPONENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/device/activation.h"
#include "benchmarks/device/device_memory.h"
#include "benchmarks/device/graph_recorder.h"

namespace reprise {

struct Component {
  std::string name;                   // the peer's, without the tokens
  std::string producer;               // its plain symbol; empty: none
  std::int64_t columns = 0;           // of the activation
  std::vector<std::int64_t> readers;  // output rows of each
  // With experts the readers are routed products, `slots` experts a token, and
  // either a token's slots share a row of the activation or each has its own.
  std::int32_t experts = 0;
  std::int32_t slots = 1;
  bool row_a_slot = false;
};

std::vector<Component> Components();

// How a component is recorded.
enum class Arm {
  kChain,     // one image; the readers follow each other
  kFork,      // one image; the readers run beside each other
  kUnshared,  // as engines record it: a quantizer in front of each reader
};

// A component of so many tokens on the device.
class ComponentRig {
 public:
  ComponentRig(const Component& component, std::int32_t tokens);

  // So many that a token's weights make more than 200 MB, but at most 64. Each
  // has weights of its own.
  std::size_t repetitions() const { return repetitions_; }
  // Of the weights that one repetition reads, each expert counted once.
  double read_bytes() const;
  std::size_t pool_bytes() const;

  // The graph of all repetitions.
  GraphExec Record(Arm arm, const WeightPool& pool) const;

 private:
  std::size_t MatrixBytes(std::size_t reader) const;
  std::size_t WeightBytes(std::size_t reader) const;
  std::size_t RepetitionBytes() const;
  void RecordActivation(GraphRecorder& recorder, bool image) const;
  void RecordReader(GraphRecorder& recorder, std::size_t reader,
                    const std::byte* weights, std::size_t branch) const;

  Component component_;
  std::int32_t tokens_;
  std::size_t repetitions_;
  std::vector<std::int32_t> ids_;
  DeviceMemory device_ids_;
  Activation activation_;
  std::vector<DeviceMemory> outputs_;
};

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_COMPONENTS_H_
