#include "kernels/embedding_row.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/kernels/guarded.h"

namespace reprise {
namespace {

const std::vector<float> kTable = {1, 2, 3, 10, 20, 30, 100, 200, 300};

TEST(EmbeddingRow, CopiesTheRowsOfItsTokens) {
  const std::int32_t tokens[] = {2, 0, 2};
  Guarded<float> out(9);
  EmbeddingRowHost({kTable.data(), tokens, out.data(), 3, 3, 3});
  EXPECT_EQ(std::vector<float>(out.data(), out.data() + 9),
            (std::vector<float>{100, 200, 300, 1, 2, 3, 100, 200, 300}));
  EXPECT_TRUE(out.guards_intact());
}

TEST(EmbeddingRow, LeavesZerosForATokenOutsideTheTable) {
  const std::int32_t tokens[] = {-1, 3, INT32_MIN, INT32_MAX};
  Guarded<float> out(12);
  EmbeddingRowHost({kTable.data(), tokens, out.data(), 3, 3, 4});
  EXPECT_EQ(std::vector<float>(out.data(), out.data() + 12),
            std::vector<float>(12, 0.0f));
}

TEST(EmbeddingRow, DoesNothingWithoutTokens) {
  Guarded<float> out(3);
  EmbeddingRowHost({.table = kTable.data(),
                    .output = out.data(),
                    .columns = 3,
                    .table_rows = 3});
  EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace reprise
