#include "tests/victims/engine/model.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/victims/engine/device.h"
#include "tests/victims/engine/digest.h"

namespace victims {
namespace {

constexpr int kMatrices = 4;  // of a layer
constexpr int kImages = 3;
constexpr int kRowBlocks = kColumns / kBlockValues;
constexpr int kMatrixBlocks = kColumns * kRowBlocks;
constexpr unsigned kThreads = 256;

// A linear congruential generator's upper bits.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  std::uint32_t Byte() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 24;
  }
  float Float() { return static_cast<float>(Byte()) / 256 + 0.5f; }

 private:
  std::uint32_t state_;
};

template <typename T>
void Upload(const Memory<T>& memory, const std::vector<T>& values) {
  Write(memory.data(), values.data(), values.size() * sizeof(T));
}

}  // namespace

Model::Model(std::uint32_t seed)
    : rows_(kRows * kColumns),
      norms_(kLayers * kColumns),
      matrices_(kLayers * kMatrices * kMatrixBlocks),
      images_(kImages * kRowBlocks) {
  Random random(seed);
  std::vector<float> x(kColumns);
  for (float& value : x) value = random.Float();
  Upload(rows_, x);
  std::vector<float> norms(kLayers * kColumns);
  for (float& value : norms) value = random.Float();
  Upload(norms_, norms);
  std::vector<WeightBlock> matrices(kLayers * kMatrices * kMatrixBlocks);
  for (WeightBlock& block : matrices) {
    block.scale = static_cast<std::uint16_t>(0x1400 + random.Byte());
    for (std::int8_t& quant : block.quants) {
      quant = static_cast<std::int8_t>(random.Byte() - 128);
    }
  }
  Upload(matrices_, matrices);
}

KernelCall Model::Quantize(Row source, int image) const {
  return MakeCall(Kernel::kQuantize, kColumns / kThreads, kThreads, row(source),
                  images_.data() + image * kRowBlocks, kColumns);
}

KernelCall Model::Project(int layer, int matrix, int image, Row output) const {
  return MakeCall(
      Kernel::kProject, kColumns / (kThreads / 32), kThreads,
      matrices_.data() + (layer * kMatrices + matrix) * kMatrixBlocks,
      images_.data() + image * kRowBlocks, row(output), kColumns);
}

std::vector<KernelCall> Model::Layer(int layer) const {
  const auto each = [this](Kernel kernel, auto... values) {
    return MakeCall(kernel, kColumns / kThreads, kThreads, values..., kColumns);
  };
  return {
      MakeCall(Kernel::kNorm, 1, kThreads, row(kX),
               norms_.data() + layer * kColumns, row(kN), kColumns),
      Quantize(kN, 0),
      Project(layer, 0, 0, kQ),
      Quantize(kN, 1),
      Project(layer, 1, 1, kK),
      Quantize(kN, 2),
      Project(layer, 2, 2, kV),
      each(Kernel::kGlu, row(kQ), row(kK), row(kA)),
      Quantize(kA, 0),
      Project(layer, 3, 0, kO),
      each(Kernel::kAdd, row(kX), row(kO)),
      each(Kernel::kAdd, row(kX), row(kV)),
  };
}

std::vector<KernelCall> Model::Step() const {
  std::vector<KernelCall> calls;
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::vector<KernelCall> more = Layer(layer);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

std::uint64_t Model::Digest() const {
  victims::Digest digest;
  digest.Add(rows_);
  digest.Add(norms_);
  digest.Add(matrices_);
  return digest.value();
}

}  // namespace victims
