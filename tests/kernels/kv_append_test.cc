#include "kernels/kv_append.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/kernels/guarded.h"

namespace reprise {
namespace {

TEST(KvAppend, StoresEachRowAtItsPositionAndNothingElse) {
  const float source[] = {1, -2, 99, 65520, 0x1p-24f, 99};
  const std::int32_t positions[] = {3, 1};
  Guarded<std::uint16_t> cache(4 * 2);
  KvAppendHost({source, cache.data(), positions, 2, 3, 4, 2});
  EXPECT_EQ(std::vector<std::uint16_t>(cache.data(), cache.data() + 8),
            (std::vector<std::uint16_t>{0xFFFF, 0xFFFF, 0x7C00, 0x0001, 0xFFFF,
                                        0xFFFF, 0x3C00, 0xC000}));
  EXPECT_TRUE(cache.guards_intact());
}

TEST(KvAppend, StoresNothingOutsideTheCache) {
  const float source[] = {1, 2, 3, 4};
  const std::int32_t positions[] = {-1, 4, INT32_MIN, INT32_MAX};
  Guarded<std::uint16_t> cache(4);
  KvAppendHost({source, cache.data(), positions, 1, 1, 4, 4});
  EXPECT_TRUE(cache.untouched());
}

TEST(KvAppend, DoesNothingWithoutTokens) {
  Guarded<std::uint16_t> cache(4);
  KvAppendHost({.cache = cache.data(), .columns = 1, .capacity = 4});
  EXPECT_TRUE(cache.untouched());
}

}  // namespace
}  // namespace reprise
