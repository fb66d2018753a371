// The weight formats that this build has device kernels for, each as a value,
// so that a test of them all is compiled once.
#ifndef REPRISE_TESTS_KERNELS_DEVICE_FORMATS_H_
#define REPRISE_TESTS_KERNELS_DEVICE_FORMATS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "examples/decoder/weight_scale.h"
#include "kernels/device_kernels.h"
#include "kernels/weight_blocks.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/slow_dot.h"

namespace reprise {

struct DeviceFormat {
  const char* name;
  std::int64_t block_values;
  std::int64_t block_bytes;
  // That many random blocks, as bytes.
  std::vector<std::uint8_t> (*random)(RandomFloats&, std::int64_t blocks);
  SlowRow (*row)(const std::uint8_t* blocks, std::int64_t columns);
  // Gives a block a scale that is a NaN or an infinity. False where the format
  // has no such scale.
  bool (*spoil)(std::uint8_t* block, float scale);

  std::string symbol() const { return std::string("reprise_matvec_") + name; }
  std::string routed_symbol() const {
    return std::string("reprise_routed_matvec_") + name;
  }
  // What the address of a row must be a multiple of: the kernels load words
  // where blocks are whole words.
  std::int64_t alignment() const {
    return block_bytes % 4 == 0 ? 4 : block_bytes % 2 == 0 ? 2 : 1;
  }

  friend std::ostream& operator<<(std::ostream& out, const DeviceFormat& f) {
    return out << f.name;
  }
};

template <typename Block>
bool Spoil(Block& block, float scale) {
  SetScale(block, scale);
  return true;
}
inline bool Spoil(BlockMxfp4& block, float scale) {
  if (std::isnan(scale)) block.exponent = 255;
  return std::isnan(scale);
}
inline bool Spoil(BlockNvfp4&, float) { return false; }

template <typename Block>
DeviceFormat DeviceFormatOf(const char* name) {
  return {name,
          Block::kValues,
          sizeof(Block),
          [](RandomFloats& random, std::int64_t blocks) {
            const std::vector<Block> weights =
                RandomWeights<Block>(random, blocks);
            std::vector<std::uint8_t> bytes(weights.size() * sizeof(Block));
            std::memcpy(bytes.data(), weights.data(), bytes.size());
            return bytes;
          },
          [](const std::uint8_t* bytes, std::int64_t columns) {
            std::vector<Block> blocks(
                static_cast<std::size_t>(columns / Block::kValues));
            std::memcpy(blocks.data(), bytes, blocks.size() * sizeof(Block));
            return SlowRowOf(blocks.data(), columns);
          },
          [](std::uint8_t* bytes, float scale) {
            Block block;
            std::memcpy(&block, bytes, sizeof block);
            const bool has_one = Spoil(block, scale);
            std::memcpy(bytes, &block, sizeof block);
            return has_one;
          }};
}

inline std::vector<DeviceFormat> DeviceFormats() {
  std::vector<DeviceFormat> formats;
#define REPRISE_ADD_FORMAT(format, Block)                         \
  if (FindDeviceFunction("reprise_matvec_" #format) != nullptr) { \
    formats.push_back(DeviceFormatOf<Block>(#format));            \
  }
  REPRISE_WEIGHT_BLOCKS(REPRISE_ADD_FORMAT)
#undef REPRISE_ADD_FORMAT
  return formats;
}

inline std::string NameOf(const testing::TestParamInfo<DeviceFormat>& test) {
  return test.param.name;
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_DEVICE_FORMATS_H_
