#include "kernels/add.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/guarded.h"

namespace reprise {
namespace {

TEST(Add, AddsValueByValue) {
  const std::vector<float> a = {1, 2, 1e8f}, b = {10, -2, 1};
  Guarded<float> out(3);
  AddHost({a.data(), b.data(), out.data(), 3});
  EXPECT_EQ(std::vector<float>(out.data(), out.data() + 3),
            (std::vector<float>{11, 0, 1e8f}));
  EXPECT_TRUE(out.guards_intact());
}

TEST(Add, WritesOverEitherOperand) {
  std::vector<float> a = {1, 2}, b = {10, 20};
  AddHost({a.data(), b.data(), a.data(), 2});
  EXPECT_EQ(a, (std::vector<float>{11, 22}));
  AddHost({a.data(), b.data(), b.data(), 2});
  EXPECT_EQ(b, (std::vector<float>{21, 42}));
}

TEST(Add, DoesNothingToNoValues) {
  Guarded<float> out(3);
  AddHost({.output = out.data()});
  EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace reprise
