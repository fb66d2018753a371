#include "kernels/ggml_rms_norm.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

// The triple as an engine passed it for 3,584 columns, in a captured graph.
static_assert(MagicOf(3584).multiplier == 0x24924925);
static_assert(MagicOf(3584).shift == 12);

TEST(MagicDivisor, DividesAsTheOperatorDoes) {
  RandomFloats random(7);
  for (std::uint32_t divisor = 1; divisor < 3000; ++divisor) {
    const MagicDivisor magic = MagicOf(divisor);
    EXPECT_EQ(magic.divisor, divisor);
    for (const std::uint32_t n :
         {0u, divisor - 1, divisor, divisor + 1, 0x7FFFFFFFu, 0x7FFFFFFEu,
          random.Bits() >> 1, random.Bits() >> 12}) {
      ASSERT_EQ(Modulo(n, magic), n % divisor) << n << " by " << divisor;
    }
  }
}

TEST(MagicDivisor, DividesByLargeNumbers) {
  RandomFloats random(8);
  for (int i = 0; i < 10000; ++i) {
    const std::uint32_t divisor = (random.Bits() >> (1 + i % 31)) | 1;
    const std::uint32_t n = random.Bits() >> 1;
    ASSERT_EQ(Modulo(n, MagicOf(divisor)), n % divisor)
        << n << " by " << divisor;
  }
}

}  // namespace
}  // namespace reprise
