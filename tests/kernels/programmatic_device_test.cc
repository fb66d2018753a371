// A long chain in which every kernel reads what the one before it wrote, and
// writes over what the one before that read: a kernel that ran ahead of its
// wait on a programmatic edge would leave other bytes.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/add.h"
#include "kernels/glu.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

class Graph {
 public:
  // `record` launches on the stream that it is given.
  template <typename Record>
  Graph(const DeviceStream& stream, Record record) {
    Require(
        cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
    record();
    cudaGraph_t graph = nullptr;
    Require(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    Require(cudaGraphDestroy(graph), "cudaGraphDestroy");
    Require(status, "cudaGraphInstantiate");
  }
  ~Graph() { EXPECT_EQ(cudaGraphExecDestroy(graph_), cudaSuccess); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void Launch(const DeviceStream& stream) const {
    Require(cudaGraphLaunch(graph_, stream.get()), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

// The state is a row that begins as `start`. A link makes its norm and two
// images of that, by the norm's emitting form and by the quantizer, and then
// the next state.
class Chain {
 public:
  explicit Chain(std::int64_t columns)
      : columns_(columns),
        row_blocks_(ImageRowBlocks(columns)),
        links_(Thinned(200)),
        start_(RandomFloats(61).Row(static_cast<std::size_t>(columns))),
        weights_(RandomFloats(62).Row(static_cast<std::size_t>(columns), 2)),
        zeros_(std::vector<float>(static_cast<std::size_t>(columns))),
        state_(columns),
        normal_(columns),
        emitted_(links_ * row_blocks_),
        quantized_(links_ * row_blocks_) {}

  void Record(Dependency dependency, const DeviceStream& stream) {
    Launch("reprise_add",
           AddParams{start_.data(), zeros_.data(), state_.data(), columns_},
           Dependency::kFull, stream.get());
    for (std::int64_t link = 0; link < links_; ++link) {
      Launch("reprise_rms_norm_mul_emit",
             RmsNormParams{.x = state_.data(),
                           .output = normal_.data(),
                           .image = emitted_.data() + link * row_blocks_,
                           .mul = weights_.data(),
                           .columns = columns_,
                           .rows = 1,
                           .x_row_stride = columns_,
                           .epsilon = 1e-5f},
             dependency, stream.get());
      Launch("reprise_quantize_q8_1",
             QuantizeQ8_1Params{.source = normal_.data(),
                                .image = quantized_.data() + link * row_blocks_,
                                .columns = columns_,
                                .rows = 1,
                                .planes = 1,
                                .row_stride = columns_},
             dependency, stream.get());
      Launch("reprise_glu_swiglu",
             GluParams{.gate = normal_.data(),
                       .up = state_.data(),
                       .output = state_.data(),
                       .columns = columns_,
                       .rows = 1,
                       .gate_row_stride = columns_,
                       .up_row_stride = columns_},
             dependency, stream.get());
      Launch("reprise_add",
             AddParams{normal_.data(), state_.data(), state_.data(), columns_},
             dependency, stream.get());
    }
  }

  std::vector<BlockQ8_1> emitted() const { return emitted_.Download(); }
  std::vector<BlockQ8_1> quantized() const { return quantized_.Download(); }

 private:
  std::int64_t columns_, row_blocks_, links_;
  DeviceArray<float> start_, weights_, zeros_, state_, normal_;
  DeviceArray<BlockQ8_1> emitted_, quantized_;
};

TEST_F(OnDevice, ProgrammaticEdgesOfACapturedGraphLeaveTheBytesOfFullOnes) {
  for (const std::int64_t columns : {512, 4096, 7168}) {
    SCOPED_TRACE(columns);
    const DeviceStream stream;
    Chain full(columns);
    full.Record(Dependency::kFull, stream);
    stream.Wait();
    EXPECT_TRUE(SameBytes(full.emitted(), full.quantized()));

    Chain programmatic(columns);
    const Graph graph(stream, [&] {
      programmatic.Record(Dependency::kProgrammatic, stream);
    });
    for (int replay = 0; replay < 3; ++replay) {
      graph.Launch(stream);
      stream.Wait();
      EXPECT_TRUE(SameBytes(programmatic.emitted(), full.emitted()));
      EXPECT_TRUE(SameBytes(programmatic.quantized(), full.quantized()));
    }
  }
}

}  // namespace
}  // namespace reprise
