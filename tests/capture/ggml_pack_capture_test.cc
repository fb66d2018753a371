// The ggml-cuda pack on graphs that the engine captured.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <set>
#include <string>

#include "capture/annotate.h"
#include "capture/capture_file.h"
#include "capture/pack.h"
#include "graph/graph.h"
#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

Graph Read(const std::string& name) {
  auto graph = ReadCapture(std::string(REPRISE_TEST_DATA "/captures/") + name);
  EXPECT_OK(graph);
  return graph.ok() ? *std::move(graph) : Graph();
}

std::size_t CountQuantizers(const Graph& graph) {
  std::size_t count = 0;
  for (const Node& node : graph.nodes()) count += IsQuantizer(node.op);
  return count;
}

// The engine's pool grows: it is one range of several allocations.
bool LiesInAllocations(const View& view, const Graph& graph) {
  std::uint64_t reached = view.begin();
  for (bool grows = true; grows && reached < view.end();) {
    grows = false;
    for (const Allocation& a : graph.allocations()) {
      if (reached < a.address || reached >= a.end()) continue;
      reached = a.end();
      grows = true;
    }
  }
  return reached >= view.end();
}

void ExpectAccessesInAllocations(const Graph& graph) {
  std::size_t checked = 0;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    for (const Access& access : graph.accesses(NodeId{i})) {
      EXPECT_TRUE(LiesInAllocations(access.view, graph))
          << "node " << i << " " << NameOf(graph, NodeId{i}) << " "
          << ToText(access.view);
      ++checked;
    }
  }
  EXPECT_GT(checked, graph.num_nodes());
}

std::set<std::string> OpaqueNames(const Graph& graph) {
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    if (!graph.node(NodeId{i}).effects_complete) {
      names.insert(NameOf(graph, NodeId{i}));
    }
  }
  return names;
}

// Every matrix kernel for many tokens reads what the quantizer before it wrote,
// and nothing behind; of rows of 768 values not all of the padding.
void ExpectReadsOfImages(const Graph& graph) {
  const Access* image = nullptr;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    const NodeId id{i};
    if (IsQuantizer(graph.node(id).op)) {
      image = graph.FindAccess(id, Role::kImage, AccessMode::kWrite);
    } else if (NameOf(graph, id) == "mul_mat_q") {
      const Access* read =
          graph.FindAccess(id, Role::kImage, AccessMode::kRead);
      ASSERT_TRUE(image != nullptr && read != nullptr) << "node " << i;
      EXPECT_EQ(read->view.address, image->view.address) << "node " << i;
      EXPECT_LE(read->view.end(), image->view.end()) << "node " << i;
    }
  }
}

struct Capture {
  const char* file;
  std::size_t quantizers;
};

constexpr Capture kDecodeCaptures[] = {
    {"ggml_qwen7b_q4_0_T1.json", 169},       {"ggml_llama1b_q4_k_T1.json", 97},
    {"ggml_llama1b_q4_0_T1_nopdl.json", 97}, {"ggml_llama1b_q4_0_T8.json", 113},
    {"ggml_moe_q4_0_T1.json", 145},          {"ggml_moe_q4_0_T4.json.gz", 169},
    {"ggml25_moe_q4_k_T4.json.gz", 19},
};

void PrintTo(const Capture& capture, std::ostream* out) {
  *out << capture.file;
}

class DecodeCapture : public ::testing::TestWithParam<Capture> {};

TEST_P(DecodeCapture, HasNoOpaqueNode) {
  Graph graph = Read(GetParam().file);
  const Annotation annotation = Annotate(BuiltInPacks(), graph);
  EXPECT_EQ(annotation.opaque, 0u)
      << ::testing::PrintToString(OpaqueNames(graph));
  EXPECT_EQ(CountQuantizers(graph), GetParam().quantizers);
}

TEST_P(DecodeCapture, TouchesNothingOutsideAnAllocation) {
  Graph graph = Read(GetParam().file);
  Annotate(BuiltInPacks(), graph);
  ExpectAccessesInAllocations(graph);
}

TEST_P(DecodeCapture, RecognisesNoKernelWhoseParameterChangedItsSize) {
  Graph graph = Read(GetParam().file);
  std::size_t kernels = 0;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    if (graph.node(NodeId{i}).kind != NodeKind::kKernel) continue;
    KernelLaunch& launch = graph.mutable_launch(NodeId{i});
    launch.parameters[i % launch.parameters.size()].size += 4;
    ++kernels;
  }
  const Annotation annotation = Annotate(BuiltInPacks(), graph);
  EXPECT_EQ(annotation.recognised, 0u);
  EXPECT_EQ(annotation.opaque, kernels);
}

// Every image that a matrix kernel reads was written whole by a quantizer, and
// every quantizer that follows a norm starts from the norm's very output view.
TEST_P(DecodeCapture, ReadsImagesThatAQuantizerWrote) {
  Graph graph = Read(GetParam().file);
  Annotate(BuiltInPacks(), graph);
  const Access* image = nullptr;
  const Access* norm = nullptr;
  std::size_t readers = 0, shared_views = 0;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    const NodeId id{i};
    const Op& op = graph.node(id).op;
    if (IsReader(op)) {
      const Access* read =
          graph.FindAccess(id, Role::kImage, AccessMode::kRead);
      ASSERT_NE(read, nullptr);
      ASSERT_NE(image, nullptr);
      EXPECT_EQ(read->view.type, ElementType::kQ8_1);
      EXPECT_EQ(read->view.address, image->view.address);
      EXPECT_LE(read->view.end(), image->view.end());
      ++readers;
    } else if (IsQuantizer(op)) {
      image = graph.FindAccess(id, Role::kImage, AccessMode::kWrite);
      const Access* source =
          graph.FindAccess(id, Role::kSource, AccessMode::kRead);
      ASSERT_NE(source, nullptr);
      shared_views += norm != nullptr && norm->view == source->view;
    } else if (std::holds_alternative<RmsNorm>(op)) {
      norm = graph.FindAccess(id, Role::kOutput, AccessMode::kWrite);
    }
  }
  EXPECT_GE(readers, GetParam().quantizers);
  EXPECT_GT(shared_views, 0u);
}

INSTANTIATE_TEST_SUITE_P(Ggml, DecodeCapture,
                         ::testing::ValuesIn(kDecodeCaptures),
                         [](const auto& p) {
                           const std::string file = p.param.file;
                           return file.substr(0, file.find('.'));
                         });

TEST(PrefillCapture, HasOnlyLibraryKernelsOpaque) {
  struct {
    const char* file;
    std::set<std::string> opaque;
    // Where no pointer leads into one of its allocations, it is not captured.
    bool whole_pool = true;
  } const rows[] = {
      {"ggml_llama1b_q4_0_T512.json.gz", {"cutlass"}},
      {"ggml_moe_q4_k_T512.json.gz",
       {"cublasLt", "cutlass",
        "sm90_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize128x128x64_"
        "warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
        "sm90_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize256x128x32_"
        "warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"}},
      {"ggml25_llama1b_q4_0_T512.json.gz", {"cutlass"}, false},
      {"ggml25_moe_q4_k_T512.json.gz",
       {"library_gemm_batched", "library_sgemm"}},
      {"ggml25_llama1b_q4_0_T512_fa.json.gz", {}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.file);
    Graph graph = Read(row.file);
    Annotate(BuiltInPacks(), graph);
    EXPECT_EQ(OpaqueNames(graph), row.opaque);
    if (row.whole_pool) ExpectAccessesInAllocations(graph);
    ExpectReadsOfImages(graph);
  }
}

TEST(DecodeCaptures, UseSeventeenKernels) {
  std::set<std::string> names;
  for (const Capture& capture : kDecodeCaptures) {
    Graph graph = Read(capture.file);
    Annotate(BuiltInPacks(), graph);
    for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
      if (graph.node(NodeId{i}).kind != NodeKind::kKernel) continue;
      names.insert(NameOf(graph, NodeId{i}));
    }
  }
  EXPECT_EQ(
      names,
      (std::set<std::string>{
          "cpy_scalar", "k_argsort_f32_i32", "k_bin_bcast", "k_get_rows_float",
          "k_set_rows", "moe_weighted_reduction_f32", "mul_mat_f",
          "mul_mat_vec_f", "mul_mat_vec_q", "mul_mat_vec_q_moe",
          "quantize_q8_1", "rms_norm_f32", "rms_norm_mul_rope_f32", "rope_neox",
          "soft_max_f32", "topk_moe_cuda", "unary_gated_op_kernel"}));
}

}  // namespace
}  // namespace reprise
