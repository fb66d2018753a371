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

struct OpText {
  std::string operator()(const OtherOp&) const { return "other"; }
  std::string operator()(const Quantize& q) const {
    return q.scratch ? "quantize scratch" : "quantize";
  }
  std::string operator()(const MatVec& m) const {
    return absl::StrCat("matvec ", InfoOf(m.format).name);
  }
  std::string operator()(const RoutedMatVec& m) const {
    return absl::StrCat("routed_matvec ", InfoOf(m.format).name);
  }
  std::string operator()(const RmsNorm& r) const {
    return absl::StrCat("rms_norm ", NameOf(r.form));
  }
  std::string operator()(const Glu& g) const {
    return absl::StrCat("glu ", NameOf(g.form));
  }
};

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

std::string ToText(const Op& op) { return std::visit(OpText{}, op); }

std::optional<Op> OpFromText(absl::string_view text) {
  if (text == "other") return OtherOp{};
  if (text == "quantize") return Quantize{};
  if (text == "quantize scratch") return Quantize{.scratch = true};
  if (absl::ConsumePrefix(&text, "rms_norm ")) {
    const auto form = FindForm<RmsForm>(kRmsForms, text);
    if (form) return RmsNorm{*form};
  } else if (absl::ConsumePrefix(&text, "glu ")) {
    const auto form = FindForm<GluForm>(kGluForms, text);
    if (form) return Glu{*form};
  } else if (absl::ConsumePrefix(&text, "matvec ")) {
    const auto format = FindWeightFormat(text);
    if (format) return MatVec{.format = *format};
  } else if (absl::ConsumePrefix(&text, "routed_matvec ")) {
    const auto format = FindWeightFormat(text);
    if (format) return RoutedMatVec{.format = *format};
  }
  return std::nullopt;
}

}  // namespace reprise
