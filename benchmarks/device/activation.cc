#include "benchmarks/device/activation.h"

#include <cstddef>

#include "kernels/glu.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"

namespace reprise {

Activation::Activation(std::int64_t columns, std::int64_t rows)
    : columns_(columns),
      rows_(rows),
      left_(RandomFloats(static_cast<std::size_t>(columns * rows), 1)),
      right_(RandomFloats(static_cast<std::size_t>(columns * rows), 2)),
      floats_(RandomFloats(static_cast<std::size_t>(columns * rows), 3)),
      image_(static_cast<std::size_t>(ImageBytes(columns, rows, 1))) {}

void Activation::Produce(GraphRecorder& recorder,
                         std::string_view symbol) const {
  if (symbol.starts_with("reprise_rms_norm")) {
    RmsNormParams params;
    params.x = left_.As<float>();
    params.output = floats_.As<float>();
    params.image = image_.As<BlockQ8_1>();
    params.mul = right_.As<float>();
    params.add = right_.As<float>();
    params.columns = columns_;
    params.rows = rows_;
    params.x_row_stride = columns_;
    params.add_row_stride = columns_;
    params.epsilon = 1e-6f;
    recorder.Launch(symbol, params);
    return;
  }
  GluParams params;
  params.gate = left_.As<float>();
  params.up = right_.As<float>();
  params.output = floats_.As<float>();
  params.image = image_.As<BlockQ8_1>();
  params.columns = columns_;
  params.rows = rows_;
  params.gate_row_stride = columns_;
  params.up_row_stride = columns_;
  params.alpha = 1.702f;
  params.limit = 7;
  recorder.Launch(symbol, params);
}

void Activation::Quantize(GraphRecorder& recorder) const {
  QuantizeQ8_1Params params;
  params.source = floats_.As<float>();
  params.image = image_.As<BlockQ8_1>();
  params.columns = columns_;
  params.rows = rows_;
  params.planes = 1;
  params.row_stride = columns_;
  recorder.Launch("reprise_quantize_q8_1", params);
}

}  // namespace reprise
