#include "tests/inject/fake_libcuda/host_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/half.h"
#include "tests/inject/fake_libcuda/fake_driver.h"
#include "tests/victims/engine/blocks.h"

namespace reprise::testing {
namespace {

using victims::ImageBlock;
using victims::kBlockValues;
using victims::WeightBlock;

template <typename T>
T Value(const ScriptedKernel& launch, std::size_t offset) {
  T value;
  std::memcpy(&value, launch.bytes.data() + offset, sizeof value);
  return value;
}

// `count` values where the parameter points to.
template <typename T>
T* Pointer(const ScriptedKernel& launch, std::size_t offset, int count) {
  std::uint8_t* memory = ScriptedDriver::state().Find(
      Value<CUdeviceptr>(launch, offset), count * sizeof(T));
  if (memory == nullptr) std::abort();  // as a device faults
  return reinterpret_cast<T*>(memory);
}

void Norm(const ScriptedKernel& launch) {
  const int columns = Value<int>(launch, 24);
  const float* x = Pointer<float>(launch, 0, columns);
  const float* weight = Pointer<float>(launch, 8, columns);
  float* y = Pointer<float>(launch, 16, columns);
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += x[i] * x[i];
  const float scale = 1 / std::sqrt(sum / columns + 1e-5f);
  for (int i = 0; i < columns; ++i) y[i] = x[i] * scale * weight[i];
}

void Quantize(const ScriptedKernel& launch) {
  const int columns = Value<int>(launch, 16);
  const float* x = Pointer<float>(launch, 0, columns);
  ImageBlock* image = Pointer<ImageBlock>(launch, 8, columns / kBlockValues);
  for (int b = 0; b < columns / kBlockValues; ++b) {
    const float* values = x + b * kBlockValues;
    float most = 0;
    float sum = 0;
    for (int i = 0; i < kBlockValues; ++i) {
      most = std::max(most, std::abs(values[i]));
      sum += values[i];
    }
    const float scale = most / 127;
    image[b].scale = FloatToHalf(scale);
    image[b].sum = FloatToHalf(sum);
    for (int i = 0; i < kBlockValues; ++i) {
      image[b].quants[i] = static_cast<std::int8_t>(
          scale == 0 ? 0 : std::nearbyint(values[i] / scale));
    }
  }
}

void Project(const ScriptedKernel& launch) {
  const int columns = Value<int>(launch, 24);
  const int blocks = columns / kBlockValues;
  const int rows = static_cast<int>(launch.grid.x * launch.block.x / 32);
  const auto* weights = Pointer<WeightBlock>(launch, 0, rows * blocks);
  const auto* image = Pointer<ImageBlock>(launch, 8, blocks);
  float* out = Pointer<float>(launch, 16, rows);
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int b = 0; b < blocks; ++b) {
      const WeightBlock& weight = weights[row * blocks + b];
      int dot = 0;
      for (int i = 0; i < kBlockValues; ++i) {
        dot += weight.quants[i] * image[b].quants[i];
      }
      sum += HalfToFloat(weight.scale) * HalfToFloat(image[b].scale) *
             static_cast<float>(dot);
    }
    out[row] = sum;
  }
}

void Glu(const ScriptedKernel& launch) {
  const int columns = Value<int>(launch, 24);
  const float* gate = Pointer<float>(launch, 0, columns);
  const float* up = Pointer<float>(launch, 8, columns);
  float* y = Pointer<float>(launch, 16, columns);
  for (int i = 0; i < columns; ++i) {
    y[i] = gate[i] / (1 + std::abs(gate[i])) * up[i];
  }
}

void Add(const ScriptedKernel& launch) {
  const int columns = Value<int>(launch, 16);
  float* x = Pointer<float>(launch, 0, columns);
  const float* y = Pointer<float>(launch, 8, columns);
  for (int i = 0; i < columns; ++i) x[i] += y[i];
}

}  // namespace

const HostKernel* FindHostKernel(absl::string_view name) {
  static const auto& kernels = *new std::vector<HostKernel>{
      {"victim_norm", {{0, 8}, {8, 8}, {16, 8}, {24, 4}}, Norm},
      {"victim_quantize", {{0, 8}, {8, 8}, {16, 4}}, Quantize},
      {"victim_project", {{0, 8}, {8, 8}, {16, 8}, {24, 4}}, Project},
      {"victim_glu", {{0, 8}, {8, 8}, {16, 8}, {24, 4}}, Glu},
      {"victim_add", {{0, 8}, {8, 8}, {16, 4}}, Add},
  };
  for (const HostKernel& kernel : kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

}  // namespace reprise::testing
