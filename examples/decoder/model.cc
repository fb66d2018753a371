#include "examples/decoder/model.h"

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "examples/decoder/random_weights.h"

namespace reprise::decoder {
namespace {

class Builder {
 public:
  Builder(const Options& options, HostMemory& memory)
      : options_(options), memory_(memory), random_(options.seed) {}

  Tensors Build() {
    const Options& o = options_;
    Tensors& t = tensors_;
    t.embedding = AddRows("embedding", o.vocabulary, o.hidden, -1, 1);
    for (int i = 0; i < o.layers; ++i) {
      t.layers.push_back(AddLayer(absl::StrCat("layer ", i, " ")));
    }
    t.final_norm = AddNorm("final norm");
    t.head = AddMatrix("head", o.format, o.vocabulary, o.hidden);
    const std::uint64_t ids_bytes = sizeof(std::int32_t) * o.tokens;
    t.tokens = memory_.Add("tokens", ids_bytes).address;
    t.positions = memory_.Add("positions", ids_bytes).address;
    t.logits = {
        memory_.Add("logits", sizeof(float) * o.tokens * o.vocabulary).address,
        o.tokens, o.vocabulary};
    return std::move(tensors_);
  }

 private:
  Layer AddLayer(const std::string& name) {
    const Options& o = options_;
    const int q_columns = o.heads * o.head_dim;
    const int kv_columns = o.kv_heads * o.head_dim;
    const bool moe = o.model == Model::kMoe;
    const int experts = moe ? o.experts : 1;
    Layer l;
    l.attention_norm = AddNorm(name + "attention norm");
    l.q = AddMatrix(name + "q", o.format, q_columns, o.hidden);
    l.k = AddMatrix(name + "k", o.format, kv_columns, o.hidden);
    l.v = AddMatrix(name + "v", o.format, kv_columns, o.hidden);
    l.o = AddMatrix(name + "o", o.format, o.hidden, q_columns);
    l.keys = AddCache(name + "keys", kv_columns);
    l.values = AddCache(name + "values", kv_columns);
    l.feed_forward_norm = AddNorm(name + "feed forward norm");
    if (moe) {
      l.router = AddMatrix(name + "router", kRouterFormat, o.experts, o.hidden);
    }
    l.gate =
        AddMatrix(name + "gate", o.format, o.feed_forward, o.hidden, experts);
    l.up = AddMatrix(name + "up", o.format, o.feed_forward, o.hidden, experts);
    l.down =
        AddMatrix(name + "down", o.format, o.hidden, o.feed_forward, experts);
    return l;
  }

  Rows AddNorm(std::string name) {
    return AddRows(std::move(name), 1, options_.hidden, 0.9f, 1.1f);
  }

  Rows AddRows(std::string name, std::int64_t rows, std::int64_t columns,
               float low, float high) {
    const std::int64_t made = MadeRows(rows);
    return {AddWeights(std::move(name), rows / made,
                       RandomFloats(random_, made * columns, low, high)),
            rows, columns};
  }

  Matrix AddMatrix(std::string name, WeightFormat format, std::int64_t rows,
                   std::int64_t columns, std::int64_t experts = 1) {
    const std::int64_t made = MadeRows(experts * rows);
    const Matrix tile{0, format, made, columns};
    return {AddWeights(std::move(name), experts * rows / made,
                       RandomBlocks(random_, tile)),
            format, rows, columns, experts};
  }

  Cache AddCache(std::string name, std::int64_t columns) {
    const std::uint64_t bytes = sizeof(std::uint16_t) *
                                static_cast<std::uint64_t>(columns) *
                                static_cast<std::uint64_t>(options_.context);
    return {memory_.Add(std::move(name), bytes).address, options_.context};
  }

  // The most rows that may differ and fit a whole number of times.
  std::int64_t MadeRows(std::int64_t rows) const {
    const std::int64_t most = options_.distinct_rows;
    return most == 0 ? rows : std::gcd(rows, most);
  }

  Address AddWeights(std::string name, std::int64_t times,
                     std::vector<std::uint8_t> bytes) {
    if (times > 1) {
      const std::uint64_t size =
          static_cast<std::uint64_t>(times) * bytes.size();
      const Allocation reserved = memory_.Reserve(std::move(name), size);
      tensors_.tiles.push_back({reserved, std::move(bytes)});
      return reserved.address;
    }
    const Allocation added = memory_.Add(std::move(name), bytes.size());
    // Cannot fail: the stretch was made for these bytes.
    memory_.Write(added.address, bytes).IgnoreError();
    return added.address;
  }

  const Options& options_;
  HostMemory& memory_;
  std::mt19937 random_;
  Tensors tensors_;
};

}  // namespace

Tensors LayOut(const Options& options, HostMemory& memory) {
  return Builder(options, memory).Build();
}

}  // namespace reprise::decoder
