// What a kernel node means, where a pack knows it. An op carries only what the
// planner decides by; the views it works on are the node's accesses, found by
// their role.
#ifndef REPRISE_GRAPH_OP_H_
#define REPRISE_GRAPH_OP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "graph/image_layout.h"
#include "graph/weight_format.h"

namespace reprise {

enum class RmsForm : std::uint8_t { kPlain, kMul, kMulAdd, kScale };

enum class GluForm : std::uint8_t {
  kReglu,
  kGeglu,
  kSwiglu,
  kGegluErf,
  kGegluQuick,
  kSwigluOai,
  kSwigluClamp,
};

// Nothing that a pass looks for; its effects still count.
struct OtherOp {
  friend bool operator==(const OtherOp&, const OtherOp&) = default;
};

// kSource (f32) -> kImage. Where it reads kIds too, they pick the rows.
struct Quantize {
  ImageLayout layout = ImageLayout::kQ8_1;
  // Nobody outside the graph reads the image, so it may live elsewhere.
  bool scratch = false;
  friend bool operator==(const Quantize&, const Quantize&) = default;
};

// kWeights x kImage -> kOutput. Two readers share only in the same layout.
struct MatVec {
  WeightFormat format = WeightFormat::kQ4_0;
  ImageLayout layout = ImageLayout::kQ8_1;
  friend bool operator==(const MatVec&, const MatVec&) = default;
};

// As MatVec, the weight matrix of each row picked by kIds.
struct RoutedMatVec {
  WeightFormat format = WeightFormat::kQ4_0;
  ImageLayout layout = ImageLayout::kQ8_1;
  friend bool operator==(const RoutedMatVec&, const RoutedMatVec&) = default;
};

// kSource -> kOutput, both f32.
struct RmsNorm {
  RmsForm form = RmsForm::kPlain;
  friend bool operator==(const RmsNorm&, const RmsNorm&) = default;
};

// Two kSource views (gate, up) -> kOutput, all f32.
struct Glu {
  GluForm form = GluForm::kSwiglu;
  friend bool operator==(const Glu&, const Glu&) = default;
};

using Op = std::variant<OtherOp, Quantize, MatVec, RoutedMatVec, RmsNorm, Glu>;

inline bool IsQuantizer(const Op& op) {
  return std::holds_alternative<Quantize>(op);
}

// A node whose op consumes an image.
inline bool IsReader(const Op& op) {
  return std::holds_alternative<MatVec>(op) ||
         std::holds_alternative<RoutedMatVec>(op);
}

// Of the image that the op makes or consumes; nothing where it has none.
std::optional<ImageLayout> LayoutOf(const Op& op);

// A node whose op may have an emitting variant.
inline bool IsProducer(const Op& op) {
  return std::holds_alternative<RmsNorm>(op) || std::holds_alternative<Glu>(op);
}

// The op in the words that packs, text graphs and reports use: "other",
// "quantize", "matvec q4_0", "routed_matvec q4_k", "rms_norm mul",
// "glu swiglu". An image that is not in q8_1 adds its layout, one that is
// scratch says so: "quantize ds4 scratch", "matvec q4_0 ds4".
std::string ToText(const Op& op);

// The reverse; nothing for unknown words.
std::optional<Op> OpFromText(absl::string_view text);

absl::string_view NameOf(RmsForm form);
absl::string_view NameOf(GluForm form);

}  // namespace reprise

#endif  // REPRISE_GRAPH_OP_H_
