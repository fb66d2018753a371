#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/embedding_row.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"

namespace reprise {
namespace {

TEST_F(OnDevice, EmbeddingRowHasTheHostsBytesAndZerosForUnknownIds) {
  constexpr std::int64_t kTableRows = 11;
  const std::vector<std::int32_t> tokens = {0, 10, 11,        3,
                                            3, -1, INT32_MAX, INT32_MIN};
  for (const std::int64_t columns : {1, 255, 257, 2592}) {
    const auto table =
        RandomFloats(72).Row(static_cast<std::size_t>(kTableRows * columns));
    const auto count = static_cast<std::int32_t>(tokens.size());
    std::vector<float> expected(tokens.size() *
                                static_cast<std::size_t>(columns));
    EmbeddingRowParams params{table.data(), tokens.data(), expected.data(),
                              columns,      kTableRows,    count};
    RunOnHost("reprise_embedding_row", params);
    const DeviceArray<float> device_table(table);
    const DeviceArray<std::int32_t> device_tokens(tokens);
    DeviceArray<float> output(count * columns);
    params.table = device_table.data();
    params.tokens = device_tokens.data();
    params.output = output.data();
    RunOnDevice("reprise_embedding_row", params);
    EXPECT_TRUE(SameBytes(output.Download(), expected));
    EXPECT_TRUE(output.guards_intact());
  }
}

TEST_F(OnDevice, EmbeddingRowDoesNothingWithoutTokens) {
  DeviceArray<float> output(4);
  RunOnDevice("reprise_embedding_row",
              EmbeddingRowParams{.output = output.data(), .columns = 4});
  EXPECT_TRUE(output.untouched());
}

}  // namespace
}  // namespace reprise
