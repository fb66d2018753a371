#include "graph/image_layout.h"

#include <cstddef>
#include <iterator>

namespace reprise {
namespace {

// In the order of the enum.
constexpr ImageLayoutInfo kLayouts[] = {
    {"q8_1", 32, 36, 512, 1},       {"d4", 128, 144, 512, 1},
    {"ds4", 128, 144, 512, 1},      {"d2s6", 128, 144, 512, 1},
    {"q8_0_pad40", 32, 40, 32, 64}, {"q8_0_pad40_t", 32, 36, 32, 64},
};

std::int64_t Multiples(std::int64_t count, std::int64_t of) {
  return (count + of - 1) / of;
}

}  // namespace

const ImageLayoutInfo& InfoOf(ImageLayout layout) {
  return kLayouts[static_cast<std::size_t>(layout)];
}

std::optional<ImageLayout> FindImageLayout(absl::string_view name) {
  for (std::size_t i = 0; i < std::size(kLayouts); ++i) {
    if (kLayouts[i].name == name) return static_cast<ImageLayout>(i);
  }
  return std::nullopt;
}

std::int64_t ImageBytes(ImageLayout layout, std::int64_t rows,
                        std::int64_t columns) {
  const ImageLayoutInfo& info = InfoOf(layout);
  const std::int64_t row_blocks =
      Multiples(columns, info.row_values) * info.row_values / info.block_values;
  return Multiples(rows, info.rows) * info.rows * row_blocks * info.block_bytes;
}

}  // namespace reprise
