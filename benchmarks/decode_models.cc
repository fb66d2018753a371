#include "benchmarks/decode_models.h"

#include "graph/weight_format.h"

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
    options.format = format;
    options.context = 256;
    options.distinct_rows = kDistinctRows;
    for (const int streams : {1, 3}) {
      options.streams = streams;
      models_.push_back({name + "_" + std::string(InfoOf(format).name), options,
                         options.vocabulary == kPeerVocabulary});
    }
  }
  void AddAsPeer(const std::string& name, WeightFormat format, Options options,
                 int tokens = 1) {
    options.vocabulary = kPeerVocabulary;
    options.tokens = tokens;
    Add(name, format, options);
  }

  std::vector<DecodeModel> Take() { return std::move(models_); }

 private:
  std::vector<DecodeModel> models_;
};

}  // namespace

std::string DecodeModel::RowName() const {
  return "decode/" + name + "/v" + std::to_string(options.vocabulary) + "/t" +
         std::to_string(options.tokens) + "/s" +
         std::to_string(options.streams);
}

std::vector<DecodeModel> DecodeModels() {
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

}  // namespace reprise
