#include "benchmarks/components.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "graph/weight_format.h"
#include "kernels/emission.h"
#include "kernels/matvec.h"
#include "kernels/routed_matvec.h"

namespace reprise {
namespace {

constexpr std::size_t kTokenBytes = 200'000'000;
constexpr std::size_t kMostRepetitions = 64;

std::int64_t RowBlocks(const Component& component) {
  return component.columns / InfoOf(WeightFormat::kQ4_0).block_values;
}

// `slots` different experts for each token, as a router chooses them.
std::vector<std::int32_t> RandomIds(const Component& component,
                                    std::int32_t tokens) {
  std::mt19937 rng(1);
  std::vector<std::int32_t> experts(
      static_cast<std::size_t>(component.experts));
  std::iota(experts.begin(), experts.end(), 0);
  const auto slots = static_cast<std::size_t>(component.slots);
  std::vector<std::int32_t> ids;
  for (std::int32_t token = 0; token < tokens; ++token) {
    for (std::size_t slot = 0; slot < slots; ++slot) {
      std::swap(experts[slot], experts[slot + rng() % (experts.size() - slot)]);
      ids.push_back(experts[slot]);
    }
  }
  return ids;
}

}  // namespace

std::vector<Component> Components() {
  const std::string norm = "reprise_rms_norm_mul";
  const std::string swiglu = "reprise_glu_swiglu";
  const std::vector<std::int64_t> qkv = {4096, 1024, 1024};  // grouped queries
  return {
      {"qkv_d4096", "", 4096, qkv},
      {"norm_qkv_d4096", norm, 4096, qkv},
      {"two_small_k2560_n512", "", 2560, {512, 512}},
      {"swiglu_down_k8192_n2048", swiglu, 8192, {2048}},
      {"seven_readers_k2048_n256", "", 2048, std::vector<std::int64_t>(7, 256)},
      {"routed2_k2048_n768_8of64", "", 2048, {768, 768}, 64, 8},
      {"routed_act2_k512_n512_8of32", swiglu, 512, {512, 512}, 32, 8, true},
  };
}

ComponentRig::ComponentRig(const Component& component, std::int32_t tokens)
    : component_(component),
      tokens_(tokens),
      activation_(component.columns,
                  tokens * (component.row_a_slot ? component.slots : 1)) {
  std::size_t token_bytes = 0;
  for (std::size_t reader = 0; reader < component_.readers.size(); ++reader) {
    token_bytes +=
        static_cast<std::size_t>(component_.slots) * MatrixBytes(reader);
    outputs_.emplace_back(sizeof(float) *
                          static_cast<std::size_t>(tokens * component_.slots *
                                                   component_.readers[reader]));
  }
  repetitions_ = std::min(kTokenBytes / token_bytes + 1, kMostRepetitions);
  if (component_.experts > 0) {
    ids_ = RandomIds(component_, tokens);
    device_ids_ = Uploaded(std::as_bytes(std::span(ids_)));
  }
}

std::size_t ComponentRig::MatrixBytes(std::size_t reader) const {
  return static_cast<std::size_t>(component_.readers[reader] *
                                  RowBlocks(component_) *
                                  InfoOf(WeightFormat::kQ4_0).block_bytes);
}

std::size_t ComponentRig::WeightBytes(std::size_t reader) const {
  const std::int32_t matrices = std::max(component_.experts, 1);
  return static_cast<std::size_t>(matrices) * MatrixBytes(reader);
}

std::size_t ComponentRig::RepetitionBytes() const {
  std::size_t bytes = 0;
  for (std::size_t reader = 0; reader < component_.readers.size(); ++reader) {
    bytes += WeightBytes(reader);
  }
  return bytes;
}

double ComponentRig::read_bytes() const {
  const std::set<std::int32_t> used(ids_.begin(), ids_.end());
  const double share = component_.experts == 0
                           ? 1.0
                           : static_cast<double>(used.size()) /
                                 static_cast<double>(component_.experts);
  return share * static_cast<double>(RepetitionBytes());
}

std::size_t ComponentRig::pool_bytes() const {
  return WeightPool::Bytes(repetitions_, RepetitionBytes());
}

void ComponentRig::RecordActivation(GraphRecorder& recorder, bool image) const {
  if (component_.producer.empty()) {
    if (image) activation_.Quantize(recorder);
    return;
  }
  std::string symbol = component_.producer;
  if (image) symbol += kEmitSuffix;
  activation_.Produce(recorder, symbol);
}

void ComponentRig::RecordReader(GraphRecorder& recorder, std::size_t reader,
                                const std::byte* weights,
                                std::size_t branch) const {
  const std::int64_t rows = component_.readers[reader];
  if (component_.experts == 0) {
    MatVecParams params;
    params.weights = weights;
    params.image = activation_.image();
    params.output = outputs_[reader].As<float>();
    params.columns = component_.columns;
    params.rows = rows;
    params.weight_row_stride = RowBlocks(component_);
    params.image_row_stride = ImageRowBlocks(component_.columns);
    params.output_row_stride = rows;
    params.tokens = tokens_;
    recorder.Launch("reprise_matvec_q4_0", params, branch);
    return;
  }
  RoutedMatVecParams params;
  params.weights = weights;
  params.image = activation_.image();
  params.ids = device_ids_.As<std::int32_t>();
  params.output = outputs_[reader].As<float>();
  params.columns = component_.columns;
  params.rows = rows;
  params.weight_row_stride = RowBlocks(component_);
  params.expert_stride = rows * RowBlocks(component_);
  params.image_row_stride = ImageRowBlocks(component_.columns);
  params.ids_stride = component_.slots;
  params.experts = component_.experts;
  params.slots = component_.slots;
  params.tokens = tokens_;
  params.image_rows = component_.row_a_slot ? component_.slots : 1;
  recorder.Launch("reprise_routed_matvec_q4_0", params, branch);
}

GraphExec ComponentRig::Record(Arm arm, const WeightPool& pool) const {
  const bool shared = arm != Arm::kUnshared;
  const bool fork = arm == Arm::kFork;
  GraphRecorder recorder(fork ? component_.readers.size() : 1);
  for (std::size_t repetition = 0; repetition < repetitions_; ++repetition) {
    const std::byte* weights = pool.Weights(repetition, RepetitionBytes());
    RecordActivation(recorder, /*image=*/shared);
    if (fork) recorder.Fork();
    for (std::size_t reader = 0; reader < component_.readers.size(); ++reader) {
      if (!shared) activation_.Quantize(recorder);
      RecordReader(recorder, reader, weights, fork ? reader : 0);
      weights += WeightBytes(reader);
    }
    if (fork) recorder.Join();
  }
  return recorder.Finish();
}

}  // namespace reprise
