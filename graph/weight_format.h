// The 23 weight formats that read a q8_1 image, as a table.
//
// A weight row of K values is K / block_values blocks of block_bytes bytes;
// blocks of a row are contiguous.
#ifndef REPRISE_GRAPH_WEIGHT_FORMAT_H_
#define REPRISE_GRAPH_WEIGHT_FORMAT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace reprise {

enum class WeightFormat : std::uint8_t {
  kQ1_0,
  kQ2_0,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kMxfp4,
  kNvfp4,
  kQ2K,
  kQ3K,
  kQ4K,
  kQ5K,
  kQ6K,
  kIq2Xxs,
  kIq2Xs,
  kIq2S,
  kIq3Xxs,
  kIq3S,
  kIq1S,
  kIq1M,
  kIq4Nl,
  kIq4Xs,
};

struct WeightFormatInfo {
  WeightFormat format;
  absl::string_view name;  // as users and files spell it: "q4_k"
  int block_values;        // weights in one block
  int block_bytes;
};

// Every format, in the order of the enum.
absl::Span<const WeightFormatInfo> WeightFormats();

const WeightFormatInfo& InfoOf(WeightFormat format);

// Nothing when no format has that name. Names are lower case.
std::optional<WeightFormat> FindWeightFormat(absl::string_view name);

}  // namespace reprise

#endif  // REPRISE_GRAPH_WEIGHT_FORMAT_H_
