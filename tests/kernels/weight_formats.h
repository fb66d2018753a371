// The blocks of all weight formats as a list of types, for typed tests.
#ifndef REPRISE_TESTS_KERNELS_WEIGHT_FORMATS_H_
#define REPRISE_TESTS_KERNELS_WEIGHT_FORMATS_H_

#include <gtest/gtest.h>

#include <string>

#include "kernels/weight_blocks.h"

namespace reprise {

template <typename First, typename... Others>
using TypesAfter = testing::Types<Others...>;

#define REPRISE_COMMA_BLOCK(format, Block) , Block
using WeightBlocks =
    TypesAfter<void REPRISE_WEIGHT_BLOCKS(REPRISE_COMMA_BLOCK)>;
#undef REPRISE_COMMA_BLOCK

// As the symbols of kernels spell it: "q4_0".
template <typename Block>
std::string FormatOf();
#define REPRISE_FORMAT_OF(format, Block) \
  template <>                            \
  inline std::string FormatOf<Block>() { \
    return #format;                      \
  }
REPRISE_WEIGHT_BLOCKS(REPRISE_FORMAT_OF)
#undef REPRISE_FORMAT_OF

// TYPED_TEST_SUITE(Suite, WeightBlocks, FormatNames);
struct FormatNames {
  template <typename Block>
  static std::string GetName(int) {
    return FormatOf<Block>();
  }
};

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_WEIGHT_FORMATS_H_
