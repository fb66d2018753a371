#include "examples/decoder/options.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace reprise::decoder {
namespace {

struct Rule {
  absl::string_view name;
  int value;
  int least;
  int most;
  int multiple_of;
};

}  // namespace

absl::Status Check(const Options& o) {
  if (o.streams != 1 && o.streams != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("streams: ", o.streams, " is neither 1 nor 3"));
  }
  constexpr int kMost = 1 << 20;
  // Most kernels have a thread block for each row in one of the two directions
  // of a grid that take no more (kernels/launch_shape.h). Behind the router
  // there is a row for each expert of a token.
  constexpr int kMostRows = 65535;
  const int slots = o.model == Model::kMoe ? std::max(o.experts_used, 1) : 1;
  const int block = InfoOf(o.format).block_values;
  const Rule rules[] = {
      {"layers", o.layers, 1, kMost, 1},
      {"tokens", o.tokens, 1, kMostRows / slots, 1},
      {"hidden", o.hidden, 1, kMost, block},
      {"feed_forward", o.feed_forward, 1, kMost, block},
      {"kv_heads", o.kv_heads, 1, kMost, 1},
      {"heads", o.heads, 1, kMost, o.kv_heads},
      {"head_dim", o.head_dim, 2, kMost, 2},
      {"heads x head_dim", o.heads * o.head_dim, 1, kMost, block},
      {"vocabulary", o.vocabulary, 1, kMost, 1},
      {"context", o.context, o.tokens, kMost, 1},
      {"experts", o.experts, 1, kMost, 1},
      {"experts_used", o.experts_used, 1, o.experts, 1},
      {"distinct_rows", o.distinct_rows, 0, kMost, 1},
  };
  for (const Rule& rule : rules) {
    if (rule.value < rule.least || rule.value > rule.most) {
      return absl::InvalidArgumentError(
          absl::StrCat(rule.name, ": ", rule.value, " is not in ", rule.least,
                       "..", rule.most));
    }
    if (rule.value % rule.multiple_of != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(rule.name, ": ", rule.value, " is no multiple of ",
                       rule.multiple_of));
    }
  }
  return absl::OkStatus();
}

}  // namespace reprise::decoder
