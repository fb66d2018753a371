#include "benchmarks/step_models.h"

#include <initializer_list>

#include "graph/weight_format.h"
#include "kernels/matvec.h"

namespace reprise {
namespace {

using decoder::Model;
using decoder::Options;

constexpr int kPeerVocabulary = 32000;

// Soon made, and so many that neighbours differ.
constexpr int kDistinctRows = 32;

Options Qwen05b() {
  Options o;
  o.layers = 24;
  o.hidden = 896;
  o.feed_forward = 4864;
  o.heads = 14;
  o.kv_heads = 2;
  o.head_dim = 64;
  o.vocabulary = 151936;
  return o;
}

Options Llama1b() {
  Options o;
  o.layers = 16;
  o.hidden = 2048;
  o.feed_forward = 8192;
  o.heads = 32;
  o.kv_heads = 8;
  o.head_dim = 64;
  o.vocabulary = 128256;
  return o;
}

Options Qwen7b() {
  Options o;
  o.layers = 28;
  o.hidden = 3584;
  o.feed_forward = 18944;
  o.heads = 28;
  o.kv_heads = 4;
  o.head_dim = 128;
  o.vocabulary = 152064;
  return o;
}

Options Moe() {
  Options o;
  o.model = Model::kMoe;
  o.layers = 24;
  o.hidden = 2048;
  o.feed_forward = 768;
  o.heads = 32;
  o.kv_heads = 4;
  o.head_dim = 128;
  o.vocabulary = kPeerVocabulary;
  o.experts = 128;
  o.experts_used = 8;
  return o;
}

class Models {
 public:
  void Add(const std::string& name, WeightFormat format, Options options) {
    options.context = 256;
    for (const int streams : {1, 3}) {
      options.streams = streams;
      AddOne(name, format, options, options.vocabulary == kPeerVocabulary);
    }
  }
  void AddAsPeer(const std::string& name, WeightFormat format, Options options,
                 int tokens = 1) {
    options.vocabulary = kPeerVocabulary;
    options.tokens = tokens;
    Add(name, format, options);
  }
  void AddPrefill(const std::string& name, WeightFormat format, Options options,
                  std::initializer_list<int> all_tokens) {
    options.vocabulary = kPeerVocabulary;
    for (const int tokens : all_tokens) {
      options.tokens = tokens;
      options.context = tokens;
      AddOne(name, format, options, /*as_peer=*/false);
    }
  }

  std::vector<StepModel> Take() { return std::move(models_); }

 private:
  void AddOne(const std::string& name, WeightFormat format, Options options,
              bool as_peer) {
    options.format = format;
    options.distinct_rows = kDistinctRows;
    models_.push_back(
        {name + "_" + std::string(InfoOf(format).name), options, as_peer});
  }

  std::vector<StepModel> models_;
};

}  // namespace

std::string StepModel::RowName() const {
  const bool prefill = options.tokens > kMatVecMaxTokens;
  return (prefill ? "prefill/" : "decode/") + name + "/v" +
         std::to_string(options.vocabulary) + "/t" +
         std::to_string(options.tokens) + "/s" +
         std::to_string(options.streams);
}

std::vector<StepModel> DecodeModels() {
  Models models;
  models.Add("qwen05b", WeightFormat::kQ8_0, Qwen05b());
  models.Add("llama1b", WeightFormat::kQ4_0, Llama1b());
  models.Add("qwen7b", WeightFormat::kQ4_0, Qwen7b());
  models.AddAsPeer("llama1b", WeightFormat::kQ4_0, Llama1b());
  models.AddAsPeer("llama1b", WeightFormat::kQ4_0, Llama1b(), /*tokens=*/8);
  models.AddAsPeer("llama1b", WeightFormat::kQ4K, Llama1b());
  models.AddAsPeer("qwen7b", WeightFormat::kQ4_0, Qwen7b());
  models.AddAsPeer("moe", WeightFormat::kQ4_0, Moe());
  models.AddAsPeer("moe", WeightFormat::kQ4K, Moe());
  return models.Take();
}

std::vector<StepModel> PrefillModels() {
  Models models;
  for (const WeightFormat format : {WeightFormat::kQ4_0, WeightFormat::kQ8_0,
                                    WeightFormat::kQ4K, WeightFormat::kQ6K}) {
    models.AddPrefill("llama1b", format, Llama1b(), {128, 512, 3325});
  }
  for (const WeightFormat format : {WeightFormat::kQ4_0, WeightFormat::kQ4K}) {
    models.AddPrefill("qwen7b", format, Qwen7b(), {128, 512, 3325});
  }
  models.AddPrefill("qwen05b", WeightFormat::kQ8_0, Qwen05b(),
                    {128, 512, 3325});
  models.AddPrefill("moe", WeightFormat::kQ4K, Moe(), {128, 512});
  return models.Take();
}

}  // namespace reprise
