#include "capture/expression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace reprise {
namespace {

using Value = std::optional<std::int64_t>;
using Bindings = std::map<std::string, Value>;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

absl::StatusOr<Value> Evaluate(const std::string& text,
                               const Bindings& bindings) {
  std::vector<Value> values;
  std::map<std::string, std::uint32_t> slots;
  for (const auto& [name, value] : bindings) {
    slots[name] = static_cast<std::uint32_t>(values.size());
    values.push_back(value);
  }
  const auto expression = Expression::Parse(
      text, [&](absl::string_view name) -> std::optional<std::uint32_t> {
        const auto found = slots.find(std::string(name));
        if (found == slots.end()) return std::nullopt;
        return found->second;
      });
  if (!expression.ok()) return expression.status();
  return expression->Evaluate(values);
}

struct ValueRow {
  std::string text;
  Bindings bindings;
  Value value;
};

TEST(Expression, HasTheseValues) {
  const ValueRow rows[] = {
      {"0", {}, 0},
      {"1 + 2*3", {}, 7},
      {"(1 + 2)*3", {}, 9},
      {"10 - 3 - 2", {}, 5},
      {"7/2", {}, 3},
      {"-7/2", {}, -4},
      {"7/(-2)", {}, -4},
      {"7 % 3", {}, 1},
      {"-7 % 3", {}, 2},
      {"7 % (-3)", {}, -2},
      {"- -5", {}, 5},
      {"ceildiv(7, 2)", {}, 4},
      {"ceildiv(-7, 2)", {}, -3},
      {"ceildiv(8, 2)", {}, 4},
      {"roundup(1, 512)", {}, 512},
      {"roundup(512, 512)", {}, 512},
      {"roundup(0, 512)", {}, 0},
      {"min(3, -4)", {}, -4},
      {"max(3, -4)", {}, 3},
      {"select(2, 10, 20)", {}, 10},
      {"select(0, 10, 20)", {}, 20},
      {"1 < 2", {}, 1},
      {"2 <= 1", {}, 0},
      {"2 > 1", {}, 1},
      {"1 >= 2", {}, 0},
      {"1 == 1", {}, 1},
      {"1 != 1", {}, 0},
      {"not 3", {}, 0},
      {"not not 3", {}, 1},
      {"not 1 == 2", {}, 1},
      {"1 and 2", {}, 1},
      {"0 or 5", {}, 1},
      {"1 or 0 and 0", {}, 1},
      {"ne2.z*4", {{"ne2.z", 6}}, 24},
      {"sizeof( t0 )", {{"sizeof(t0)", 2}}, 2},
      {"is(t0, 6__half)", {{"is(t0,6__half)", 1}}, 1},
      {"orange", {{"orange", 9}}, 9},
      {"a", {{"a", std::nullopt}}, std::nullopt},
      {"0*a", {{"a", std::nullopt}}, std::nullopt},
      {"1/0", {}, std::nullopt},
      {"1 % 0", {}, std::nullopt},
      {"ceildiv(1, 0)", {}, std::nullopt},
      {"select(1, 5, 1/0)", {}, std::nullopt},
      {"a + 1", {{"a", kMax}}, std::nullopt},
      {"a - 1", {{"a", kMin}}, std::nullopt},
      {"-a", {{"a", kMin}}, std::nullopt},
      {"a/(-1)", {{"a", kMin}}, std::nullopt},
      {"a % (-1)", {{"a", kMin}}, std::nullopt},
      {"a*2", {{"a", kMax}}, std::nullopt},
      {"roundup(a, 2)", {{"a", kMax}}, std::nullopt},
  };
  for (const ValueRow& row : rows) {
    const auto value = Evaluate(row.text, row.bindings);
    ASSERT_OK(value) << row.text;
    EXPECT_EQ(*value, row.value) << row.text;
  }
}

TEST(Expression, RefusesWhatItCannotRead) {
  struct {
    std::string text, message;
  } const rows[] = {
      {"", "value expected at ''"},
      {"1 +", "value expected at ''"},
      {"1 2", "unexpected '2'"},
      {"(1", "')' expected at ''"},
      {"ncol", "unknown name 'ncol'"},
      {"floor(1)", "unknown function 'floor'"},
      {"min(1)", "',' expected at ')'"},
      {"min(1, 2, 3)", "')' expected at ', 3)'"},
      {"1 < 2 < 3", "unexpected '< 3'"},
      {"a ? 1 : 2", "unknown name 'a'"},
      {"99999999999999999999", "bad number '99999999999999999999'"},
      {"3x", "bad number '3x'"},
      {"is(t0)", "',' expected at ')'"},
      {"qk(t9)", "unknown name 'qk(t9)'"},
  };
  for (const auto& row : rows) {
    const auto value = Evaluate(row.text, {});
    EXPECT_THAT(value, testing::HasCode(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(value.status().message(), row.message) << row.text;
  }
}

TEST(Expression, BoundsItsSizeAndDepth) {
  const std::string long_sum(Expression::kMaxCharacters + 1, '1');
  EXPECT_THAT(Evaluate(long_sum, {}), testing::HasText("longer than"));
  const std::string deep = std::string(40, '(') + "1" + std::string(40, ')');
  EXPECT_THAT(Evaluate(deep, {}), testing::HasText("too deep"));
  const std::string open(1000, '(');
  EXPECT_THAT(Evaluate(open, {}), testing::HasText("too deep"));
  EXPECT_EQ(*Evaluate(std::string(1000, '-') + "1", {}), Value(1));
}

// An obvious evaluator of random trees in 128 bits. Every intermediate result
// that leaves 64 bits makes the whole unknown.
class RandomExpression {
 public:
  RandomExpression(std::mt19937& random, int depth) : random_(random) {
    Build(depth);
  }
  const std::string& text() const { return text_; }
  Value value() const { return value_; }

 private:
  using Wide = __int128;

  static Value Narrow(Wide wide) {
    if (wide > kMax || wide < kMin) return std::nullopt;
    return static_cast<std::int64_t>(wide);
  }
  static Wide Floor(Wide a, Wide b) {
    Wide q = a / b;
    while (q * b > a && b > 0) --q;
    while (q * b < a && b < 0) --q;
    return q;
  }
  static Value Divide(Wide a, Wide b) {
    return b == 0 ? Value() : Narrow(Floor(a, b));
  }
  static Value Ceil(Wide a, Wide b) {
    return b == 0 ? Value() : Narrow(-Floor(-a, b));
  }

  void Leaf() {
    const std::int64_t kLeaves[] = {0, 1, 2, 3, 32, 36, 4096, kMax, kMax / 3};
    const std::int64_t leaf = kLeaves[random_() % 9];
    const bool negative = random_() % 3 == 0;
    value_ = negative ? -leaf : leaf;
    text_ = std::to_string(leaf);
    if (negative) text_ = "(-" + text_ + ")";
  }

  void Build(int depth) {
    if (depth == 0 || random_() % 6 == 0) return Leaf();
    const RandomExpression left(random_, depth - 1);
    const RandomExpression right(random_, depth - 1);
    const Value x = left.value_, y = right.value_;
    const bool known = x && y;
    const Wide a = x.value_or(0), b = y.value_or(0);
    const auto infix = [&](const char* op, Value value) {
      text_ = "(" + left.text_ + op + right.text_ + ")";
      value_ = known ? value : std::nullopt;
    };
    const auto call = [&](const char* name, Value value) {
      text_ = std::string(name) + "(" + left.text_ + "," + right.text_ + ")";
      value_ = known ? value : std::nullopt;
    };
    switch (random_() % 12) {
      case 0:
        return infix("+", Narrow(a + b));
      case 1:
        return infix(" - ", Narrow(a - b));
      case 2:
        return infix("*", Narrow(a * b));
      case 3:
        return infix("/", Divide(a, b));
      case 4: {
        const bool fits = Divide(a, b).has_value();
        return infix("%", fits ? Narrow(a - Floor(a, b) * b) : Value());
      }
      case 5:
        return infix("<", a < b);
      case 6:
        return infix(" == ", a == b);
      case 7:
        return infix(" and ", a != 0 && b != 0);
      case 8:
        return infix(" or ", a != 0 || b != 0);
      case 9:
        return call("min", Narrow(a < b ? a : b));
      case 10:
        return call("ceildiv", Ceil(a, b));
      default: {
        const Value count = Ceil(a, b);
        return call("roundup", count ? Narrow(Wide{*count} * b) : Value());
      }
    }
  }

  std::mt19937& random_;
  std::string text_;
  Value value_;
};

TEST(Expression, AgreesWithAnObviousEvaluator) {
  std::mt19937 random(1);
  int known = 0, unknown = 0;
  for (int i = 0; i < 5000; ++i) {
    const RandomExpression expected(random, 4);
    if (expected.text().size() > Expression::kMaxCharacters) continue;
    const auto value = Evaluate(expected.text(), {});
    ASSERT_OK(value) << expected.text();
    ASSERT_EQ(*value, expected.value()) << expected.text();
    ++(expected.value() ? known : unknown);
  }
  EXPECT_GT(known, 500);
  EXPECT_GT(unknown, 500);
}

// Of p and q alone.
bool OnlyCompares(const std::string& text) {
  const auto expression = Expression::Parse(
      text, [](absl::string_view name) -> std::optional<std::uint32_t> {
        return name == "p" ? 0 : name == "q" ? 1 : 2;
      });
  EXPECT_OK(expression);
  return expression->OnlyCompares([](std::uint32_t slot) { return slot < 2; });
}

TEST(Expression, TellsWhetherItOnlyComparesSomeNames) {
  for (const char* text :
       {"n", "n * 4 + 0", "p == 0", "0 != p", "p == q", "p == p",
        "select(p == 0, n, 2 * n)", "n and not (p != q)", "(p == 0) + n"}) {
    EXPECT_TRUE(OnlyCompares(text)) << text;
  }
  for (const char* text :
       {"p", "p + 0", "p == 1", "p == n", "p < q", "p % 16 == 0", "p - q == 0",
        "select(n, p, q) == 0", "select(p, 1, 2)", "p and n", "not p", "-p",
        "min(p, q) == 0", "p == q + 0"}) {
    EXPECT_FALSE(OnlyCompares(text)) << text;
  }
}

}  // namespace
}  // namespace reprise
