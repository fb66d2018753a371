#include "examples/decoder/decoder.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "capture/annotate.h"
#include "capture/pack.h"
#include "examples/decoder/attention_block.h"
#include "examples/decoder/dense_block.h"
#include "examples/decoder/inputs.h"
#include "examples/decoder/model.h"
#include "examples/decoder/moe_block.h"
#include "examples/decoder/program.h"

namespace reprise::decoder {
namespace {

void RecordStep(const Options& options, const Tensors& tensors,
                Program& program) {
  Rows x = program.Embed(tensors.embedding, tensors.tokens);
  for (const Layer& layer : tensors.layers) {
    x = AttentionBlock(options, layer, tensors.positions, x, program);
    x = options.model == Model::kMoe ? MoeBlock(layer, x, program)
                                     : DenseBlock(layer, x, program);
  }
  const Rows normed = program.Norm(x, tensors.final_norm);
  program.ProjectInto(normed, tensors.head, tensors.logits);
}

absl::Status AnnotateAll(Graph& graph) {
  if (Annotate(BuiltInPacks(), graph).opaque == 0) return absl::OkStatus();
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    if (graph.node(NodeId{n}).effects_complete) continue;
    return absl::InternalError(
        absl::StrCat(Named(graph, NodeId{n}), " is in no built-in pack"));
  }
  return absl::OkStatus();
}

void WriteInts(Address address, const std::vector<std::int32_t>& values,
               HostMemory& memory) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(std::int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  // Cannot fail: the step's own input has this size.
  memory.Write(address, bytes).IgnoreError();
}

}  // namespace

absl::StatusOr<Decoder> Build(const Options& options, Address first_address) {
  if (absl::Status status = Check(options); !status.ok()) return status;
  Decoder decoder;
  decoder.options = options;
  decoder.memory = HostMemory(first_address);
  decoder.tensors = LayOut(options, decoder.memory);

  Program program(options, decoder.memory);
  RecordStep(options, decoder.tensors, program);
  absl::StatusOr<Graph> graph = std::move(program).Finish();
  if (!graph.ok()) return graph.status();
  decoder.graph = *std::move(graph);
  if (absl::Status status = AnnotateAll(decoder.graph); !status.ok()) {
    return status;
  }
  return decoder;
}

std::vector<View> OutputsOf(const Decoder& decoder) {
  std::vector<View> outputs;
  for (const HostMemory::Stretch& stretch : decoder.memory.stretches()) {
    if (stretch.name == kActivations ||
        absl::StartsWith(stretch.name, kScratch)) {
      continue;
    }
    outputs.push_back(
        ByteRange(stretch.allocation.address,
                  static_cast<std::int64_t>(stretch.allocation.bytes)));
  }
  return outputs;
}

void SetInputs(const Decoder& decoder, const Inputs& inputs,
               HostMemory& memory) {
  WriteInts(decoder.tensors.tokens, inputs.tokens, memory);
  WriteInts(decoder.tensors.positions, inputs.positions, memory);
}

void Refresh(const Decoder& decoder, int replay, HostMemory& memory) {
  SetInputs(decoder, InputsOf(decoder.options, replay), memory);
}

}  // namespace reprise::decoder
