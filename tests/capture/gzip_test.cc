#include "capture/gzip.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using ::reprise::testing::HasCode;
using ::reprise::testing::HasText;

constexpr std::size_t kLimit = std::size_t{1} << 22;

std::string Noise(std::size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string Pack(const std::string& text) {
  return PackGzip(text).value_or("not packed");
}

TEST(Gzip, GivesBackWhatItPacked) {
  for (const std::string& text :
       {std::string(), std::string("x"), Noise(65535), Noise(65536),
        Noise(65537), Noise(1'000'000), std::string(3'000'000, 'a')}) {
    const std::string packed = Pack(text);
    EXPECT_TRUE(IsGzip(packed));
    const auto unpacked = UnpackGzip(packed, kLimit);
    ASSERT_OK(unpacked);
    EXPECT_TRUE(*unpacked == text) << text.size() << " bytes";
  }
}

TEST(Gzip, PacksTheSameTextToTheSameBytes) {
  EXPECT_EQ(Pack("some text"), Pack("some text"));
}

TEST(Gzip, ReadsSeveralMembersAsOneText) {
  EXPECT_EQ(UnpackGzip(Pack("one ") + Pack("") + Pack("two"), kLimit).value(),
            "one two");
}

TEST(Gzip, RefusesEveryTruncation) {
  const std::string packed = Pack("a text that is packed, then cut");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_THAT(UnpackGzip(packed.substr(0, size), kLimit),
                HasText("gzip: cut short"))
        << size;
  }
}

TEST(Gzip, RefusesADamagedByteOrAForeignTail) {
  std::string packed = Pack(Noise(500));
  EXPECT_THAT(UnpackGzip(packed + "tail", kLimit),
              HasCode(absl::StatusCode::kInvalidArgument));
  packed[packed.size() / 2] ^= 1;
  EXPECT_THAT(UnpackGzip(packed, kLimit),
              HasText("gzip: incorrect data check"));
}

TEST(Gzip, StopsAtTheLimitAndNotOneByteBefore) {
  const std::string packed = Pack(std::string(100'000, 'a'));
  EXPECT_OK(UnpackGzip(packed, 100'000));
  EXPECT_THAT(UnpackGzip(packed, 99'999),
              HasText("gzip: unpacks to more than 99999 bytes"));
  EXPECT_THAT(UnpackGzip(packed, 0),
              HasCode(absl::StatusCode::kResourceExhausted));
}

TEST(Gzip, ABombIsRefusedForTheSizeOfTheLimit) {
  const std::string packed = Pack(std::string(std::size_t{1} << 26, '\0'));
  EXPECT_LT(packed.size(), 100'000u);
  EXPECT_THAT(UnpackGzip(packed, 1000),
              HasCode(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace reprise
