#include "graph/op.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace reprise {
namespace {

constexpr absl::string_view kRmsForms[] = {"plain", "mul", "mul_add", "scale"};

constexpr absl::string_view kGluForms[] = {
    "reglu",       "geglu",      "swiglu",      "geglu_erf",
    "geglu_quick", "swiglu_oai", "swiglu_clamp"};

// Behind the rest of an op's words; q8_1 goes without saying.
std::string LayoutText(ImageLayout layout) {
  if (layout == ImageLayout::kQ8_1) return "";
  return absl::StrCat(" ", InfoOf(layout).name);
}

struct OpText {
  std::string operator()(const OtherOp&) const { return "other"; }
  std::string operator()(const Quantize& q) const {
    return absl::StrCat("quantize", LayoutText(q.layout),
                        q.scratch ? " scratch" : "");
  }
  std::string operator()(const MatVec& m) const {
    return absl::StrCat("matvec ", InfoOf(m.format).name, LayoutText(m.layout));
  }
  std::string operator()(const RoutedMatVec& m) const {
    return absl::StrCat("routed_matvec ", InfoOf(m.format).name,
                        LayoutText(m.layout));
  }
  std::string operator()(const RmsNorm& r) const {
    return absl::StrCat("rms_norm ", NameOf(r.form));
  }
  std::string operator()(const Glu& g) const {
    return absl::StrCat("glu ", NameOf(g.form));
  }
};

// The layout that `text` ends in, which it then ends without; q8_1 where it
// names none.
ImageLayout TakeLayout(absl::string_view& text) {
  const std::size_t space = text.rfind(' ');
  if (space == text.npos) return ImageLayout::kQ8_1;
  const auto layout = FindImageLayout(text.substr(space + 1));
  if (!layout || *layout == ImageLayout::kQ8_1) return ImageLayout::kQ8_1;
  text = text.substr(0, space);
  return *layout;
}

template <typename Form, std::size_t N>
std::optional<Form> FindForm(const absl::string_view (&names)[N],
                             absl::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Form>(i);
  }
  return std::nullopt;
}

}  // namespace

absl::string_view NameOf(RmsForm form) {
  return kRmsForms[static_cast<std::size_t>(form)];
}

absl::string_view NameOf(GluForm form) {
  return kGluForms[static_cast<std::size_t>(form)];
}

std::optional<ImageLayout> LayoutOf(const Op& op) {
  if (const auto* q = std::get_if<Quantize>(&op)) return q->layout;
  if (const auto* m = std::get_if<MatVec>(&op)) return m->layout;
  if (const auto* m = std::get_if<RoutedMatVec>(&op)) return m->layout;
  return std::nullopt;
}

std::string ToText(const Op& op) { return std::visit(OpText{}, op); }

std::optional<Op> OpFromText(absl::string_view text) {
  if (text == "other") return OtherOp{};
  const bool scratch = absl::ConsumeSuffix(&text, " scratch");
  const ImageLayout layout = TakeLayout(text);
  if (text == "quantize") return Quantize{layout, scratch};
  if (scratch) return std::nullopt;
  if (absl::ConsumePrefix(&text, "matvec ")) {
    const auto format = FindWeightFormat(text);
    if (format) return MatVec{*format, layout};
  } else if (absl::ConsumePrefix(&text, "routed_matvec ")) {
    const auto format = FindWeightFormat(text);
    if (format) return RoutedMatVec{*format, layout};
  }
  if (layout != ImageLayout::kQ8_1) return std::nullopt;
  if (absl::ConsumePrefix(&text, "rms_norm ")) {
    const auto form = FindForm<RmsForm>(kRmsForms, text);
    if (form) return RmsNorm{*form};
  } else if (absl::ConsumePrefix(&text, "glu ")) {
    const auto form = FindForm<GluForm>(kGluForms, text);
    if (form) return Glu{*form};
  }
  return std::nullopt;
}

}  // namespace reprise
