// How many tokens the matrix kernels are for, by weight format and device: with
// more, a product is another kernel's to make, where there is one. Experts have
// no other, and theirs takes each token by itself, so it is launched for all.
//
// The limits are data, so that a measurement changes one line and a test needs
// no GPU. A format goes by its name in the symbols ("q4_0"), a device by its
// compute capability (75, 80, 90); before 75 there is no tile of the tensor
// core, so no kernel. Any thread may call these.
#ifndef REPRISE_KERNELS_MATVEC_LIMITS_H_
#define REPRISE_KERNELS_MATVEC_LIMITS_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

#include "kernels/matvec.h"
#include "kernels/weight_blocks.h"

namespace reprise {

inline constexpr std::string_view kEveryFormat = "";
inline constexpr int kEveryLaterDevice = std::numeric_limits<int>::max();

struct TokenLimit {
  std::string_view format;
  int first_device;
  int last_device;  // of the range, which holds it
  std::int32_t tokens;
};

// Of each list the first row that fits counts: the special before the general.
inline constexpr TokenLimit kMatVecLimits[] = {
    {kEveryFormat, 75, kEveryLaterDevice, kMatVecMaxTokens},
};
inline constexpr TokenLimit kRoutedMatVecLimits[] = {
    {kEveryFormat, 75, kEveryLaterDevice, kMatVecMaxTokens},
};

constexpr bool IsWeightFormat(std::string_view name) {
  constexpr std::string_view kFormats[] = {
#define REPRISE_FORMAT_NAME(format, Block) #format,
      REPRISE_WEIGHT_BLOCKS(REPRISE_FORMAT_NAME)
#undef REPRISE_FORMAT_NAME
  };
  return std::ranges::find(kFormats, name) != std::end(kFormats);
}

// 0 where no row fits, and for a format that there is not.
constexpr std::int32_t MaxTokens(std::span<const TokenLimit> limits,
                                 std::string_view format, int device) {
  if (!IsWeightFormat(format)) return 0;
  for (const TokenLimit& limit : limits) {
    if (limit.format != kEveryFormat && limit.format != format) continue;
    if (device < limit.first_device || device > limit.last_device) continue;
    return limit.tokens;
  }
  return 0;
}

constexpr std::int32_t MatVecMaxTokens(std::string_view format, int device) {
  return MaxTokens(kMatVecLimits, format, device);
}
constexpr std::int32_t RoutedMaxTokens(std::string_view format, int device) {
  return MaxTokens(kRoutedMatVecLimits, format, device);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATVEC_LIMITS_H_
