#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/quantize_q8_0.h"
#include "tests/kernels/on_device.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/wild_lanes.h"

namespace reprise {
namespace {

struct Layout {
  std::string symbol;
  std::int64_t (*bytes)(std::int64_t columns, std::int64_t tokens);
};

const Layout kLayouts[] = {
    {"reprise_quantize_q8_0_pad40",
     [](std::int64_t columns, std::int64_t tokens) {
       return Pad40Blocks(columns, tokens) *
              static_cast<std::int64_t>(sizeof(BlockQ8_0Pad40));
     }},
    {"reprise_quantize_q8_0_pad40_t",
     [](std::int64_t columns, std::int64_t tokens) {
       return TransposedImage(columns, tokens).bytes();
     }}};

class QuantizeQ8_0OnDevice : public OnDevice {
 protected:
  static void ExpectTheHostsBytes(const std::vector<float>& source,
                                  QuantizeQ8_0Params params) {
    for (const Layout& layout : kLayouts) {
      SCOPED_TRACE(layout.symbol);
      const std::int64_t bytes = layout.bytes(params.columns, params.tokens);
      std::vector<std::uint8_t> expected(static_cast<std::size_t>(bytes));
      params.source = source.data();
      params.image = expected.data();
      RunOnHost(layout.symbol, params);
      const DeviceArray<float> from(source);
      DeviceArray<std::uint8_t> image(bytes);
      params.source = from.data();
      params.image = image.data();
      RunOnDevice(layout.symbol, params);
      EXPECT_TRUE(SameBytes(image.Download(), expected));
      EXPECT_TRUE(image.guards_intact());
    }
  }
};

TEST_F(QuantizeQ8_0OnDevice, GivesTheHostsBytesOfWildBlocks) {
  constexpr std::int64_t kColumns = 1024;
  RandomFloats random(61);
  std::vector<float> values;
  const std::int64_t tokens = Thinned(6400);
  for (std::int64_t i = 0; i < tokens * kColumns / kImageBlockValues; ++i) {
    const Lanes lanes = WildLanes(i, random);
    values.insert(values.end(), lanes.begin(), lanes.end());
  }
  ExpectTheHostsBytes(
      values, {.columns = kColumns, .tokens = tokens, .row_stride = kColumns});
}

TEST_F(QuantizeQ8_0OnDevice, WritesTheWholeImageAndNothingElse) {
  for (const std::int64_t tokens : {1, 9, 63, 64, 65, 129, 512}) {
    for (const std::int64_t columns : {1, 30, 32, 33, 100, 256, 300, 2048}) {
      // An odd stride puts rows at every alignment.
      for (const std::int64_t gap : {0, 1, 4}) {
        SCOPED_TRACE(testing::Message() << tokens << " tokens, " << columns
                                        << " columns, gap " << gap);
        const std::int64_t stride = columns + gap;
        ExpectTheHostsBytes(
            RandomFloats(62).Row(
                static_cast<std::size_t>(tokens * stride - gap), 10),
            {.columns = columns, .tokens = tokens, .row_stride = stride});
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace reprise
