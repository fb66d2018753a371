#include "graph/weight_format.h"

#include <cstddef>

namespace reprise {
namespace {

constexpr WeightFormatInfo kFormats[] = {
    {WeightFormat::kQ1_0, "q1_0", 128, 18},
    {WeightFormat::kQ2_0, "q2_0", 64, 18},
    {WeightFormat::kQ4_0, "q4_0", 32, 18},
    {WeightFormat::kQ4_1, "q4_1", 32, 20},
    {WeightFormat::kQ5_0, "q5_0", 32, 22},
    {WeightFormat::kQ5_1, "q5_1", 32, 24},
    {WeightFormat::kQ8_0, "q8_0", 32, 34},
    {WeightFormat::kMxfp4, "mxfp4", 32, 17},
    {WeightFormat::kNvfp4, "nvfp4", 64, 36},
    {WeightFormat::kQ2K, "q2_k", 256, 84},
    {WeightFormat::kQ3K, "q3_k", 256, 110},
    {WeightFormat::kQ4K, "q4_k", 256, 144},
    {WeightFormat::kQ5K, "q5_k", 256, 176},
    {WeightFormat::kQ6K, "q6_k", 256, 210},
    {WeightFormat::kIq2Xxs, "iq2_xxs", 256, 66},
    {WeightFormat::kIq2Xs, "iq2_xs", 256, 74},
    {WeightFormat::kIq2S, "iq2_s", 256, 82},
    {WeightFormat::kIq3Xxs, "iq3_xxs", 256, 98},
    {WeightFormat::kIq3S, "iq3_s", 256, 110},
    {WeightFormat::kIq1S, "iq1_s", 256, 50},
    {WeightFormat::kIq1M, "iq1_m", 256, 56},
    {WeightFormat::kIq4Nl, "iq4_nl", 32, 18},
    {WeightFormat::kIq4Xs, "iq4_xs", 256, 136},
};

constexpr bool InEnumOrder() {
  for (std::size_t i = 0; i < std::size(kFormats); ++i) {
    if (static_cast<std::size_t>(kFormats[i].format) != i) return false;
  }
  return true;
}
static_assert(InEnumOrder());

}  // namespace

absl::Span<const WeightFormatInfo> WeightFormats() { return kFormats; }

const WeightFormatInfo& InfoOf(WeightFormat format) {
  return kFormats[static_cast<std::size_t>(format)];
}

std::optional<WeightFormat> FindWeightFormat(absl::string_view name) {
  for (const WeightFormatInfo& info : kFormats) {
    if (info.name == name) return info.format;
  }
  return std::nullopt;
}

}  // namespace reprise
