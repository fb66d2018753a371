#include "examples/decoder/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace reprise::decoder {
namespace {

using ::testing::ElementsAre;

Options FourWords(int tokens) {
  Options options;
  options.tokens = tokens;
  options.vocabulary = 4;
  options.context = 5;
  return options;
}

TEST(Inputs, OfAReplayFollowThoseOfTheReplayBefore) {
  const Options options = FourWords(2);
  EXPECT_THAT(InputsOf(options, 0).positions, ElementsAre(0, 1));
  EXPECT_THAT(InputsOf(options, 1).positions, ElementsAre(2, 3));
  EXPECT_THAT(InputsOf(options, 2).positions, ElementsAre(0, 1));
  EXPECT_EQ(InputsOf(options, 7), InputsOf(options, 7));
}

TEST(NextInputs, AreTheHighestLogitsAtTheNextPositions) {
  const Options options = FourWords(2);
  const std::vector<float> logits = {-3, -1, -2, -4,  //
                                     0,  5,  1,  5};
  const Inputs next = NextInputs(options, {{3, 3}, {0, 1}}, logits);
  EXPECT_THAT(next.tokens, ElementsAre(1, 1));
  EXPECT_THAT(next.positions, ElementsAre(2, 3));
}

TEST(NextInputs, BeginAnewWhenTheCacheIsFull) {
  const Options options = FourWords(2);
  const std::vector<float> logits(8);
  const Inputs next = NextInputs(options, {{0, 0}, {2, 3}}, logits);
  EXPECT_THAT(next.tokens, ElementsAre(0, 0));
  EXPECT_THAT(next.positions, ElementsAre(0, 1));
}

}  // namespace
}  // namespace reprise::decoder
