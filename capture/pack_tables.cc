#include "capture/pack_tables.h"

#include "graph/view.h"
#include "graph/weight_format.h"

namespace reprise {

std::optional<BlockFormat> FindBlockFormat(absl::string_view name) {
  if (const auto format = FindWeightFormat(name)) {
    const WeightFormatInfo& info = InfoOf(*format);
    return BlockFormat{std::string(name), info.block_values, info.block_bytes};
  }
  if (const auto type = FindElementType(name)) {
    return BlockFormat{std::string(name), 1, ElementBytes(*type)};
  }
  return std::nullopt;
}

std::optional<BlockFormat> PackTables::FindFormat(
    absl::string_view argument) const {
  const auto found = formats.find(argument);
  return found == formats.end() ? FindBlockFormat(argument) : found->second;
}

}  // namespace reprise
