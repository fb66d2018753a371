#include "capture/expression.h"

#include <algorithm>
#include <limits>

namespace reprise {
namespace {

using Value = std::optional<std::int64_t>;

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

Value Add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

Value Subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return difference;
}

Value Multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

bool CanDivide(std::int64_t a, std::int64_t b) {
  return b != 0 && !(a == kLowest && b == -1);
}

Value FloorDivide(std::int64_t a, std::int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Value CeilDivide(std::int64_t a, std::int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

Value Remainder(std::int64_t a, std::int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Value RoundUp(std::int64_t a, std::int64_t multiple) {
  const Value count = CeilDivide(a, multiple);
  return count ? Multiply(*count, multiple) : std::nullopt;
}

}  // namespace

Expression Expression::Constant(std::int64_t value) {
  Expression expression;
  expression.program_.push_back({Code::kConstant, value});
  return expression;
}

int Expression::Operands(Code code) {
  switch (code) {
    case Code::kConstant:
    case Code::kSlot:
      return 0;
    case Code::kNegate:
    case Code::kNot:
      return 1;
    case Code::kSelect:
      return 3;
    default:
      return 2;
  }
}

std::optional<std::int64_t> Expression::Apply(Code code,
                                              const std::int64_t* in) {
  switch (code) {
    case Code::kConstant:
    case Code::kSlot:
      return std::nullopt;
    case Code::kNegate:
      return Subtract(0, in[0]);
    case Code::kNot:
      return in[0] == 0;
    case Code::kAdd:
      return Add(in[0], in[1]);
    case Code::kSubtract:
      return Subtract(in[0], in[1]);
    case Code::kMultiply:
      return Multiply(in[0], in[1]);
    case Code::kDivide:
      return FloorDivide(in[0], in[1]);
    case Code::kRemainder:
      return Remainder(in[0], in[1]);
    case Code::kEqual:
      return in[0] == in[1];
    case Code::kNotEqual:
      return in[0] != in[1];
    case Code::kLess:
      return in[0] < in[1];
    case Code::kLessEqual:
      return in[0] <= in[1];
    case Code::kGreater:
      return in[0] > in[1];
    case Code::kGreaterEqual:
      return in[0] >= in[1];
    case Code::kAnd:
      return in[0] != 0 && in[1] != 0;
    case Code::kOr:
      return in[0] != 0 || in[1] != 0;
    case Code::kMin:
      return std::min(in[0], in[1]);
    case Code::kMax:
      return std::max(in[0], in[1]);
    case Code::kCeilDiv:
      return CeilDivide(in[0], in[1]);
    case Code::kRoundUp:
      return RoundUp(in[0], in[1]);
    case Code::kSelect:
      return in[0] != 0 ? in[1] : in[2];
  }
  return std::nullopt;
}

bool Expression::OnlyCompares(
    absl::FunctionRef<bool(std::uint32_t)> these) const {
  enum class Operand { kOther, kZero, kOneOfThese };
  Operand stack[kMaxStack];
  int size = 0;
  for (const Instruction& instruction : program_) {
    Operand result = Operand::kOther;
    if (instruction.code == Code::kConstant) {
      if (instruction.value == 0) result = Operand::kZero;
    } else if (instruction.code == Code::kSlot) {
      if (these(static_cast<std::uint32_t>(instruction.value))) {
        result = Operand::kOneOfThese;
      }
    } else {
      const int last = size;
      size -= Operands(instruction.code);
      const auto any = [&](Operand kind) {
        return std::find(stack + size, stack + last, kind) != stack + last;
      };
      const bool compares = instruction.code == Code::kEqual ||
                            instruction.code == Code::kNotEqual;
      if (any(Operand::kOneOfThese) && (!compares || any(Operand::kOther))) {
        return false;
      }
    }
    stack[size++] = result;
  }
  return size == 1 && stack[0] != Operand::kOneOfThese;
}

std::optional<std::int64_t> Expression::Evaluate(SlotValues slots) const {
  std::int64_t stack[kMaxStack];
  int size = 0;
  for (const Instruction& instruction : program_) {
    Value value = instruction.value;
    if (instruction.code == Code::kSlot) {
      value = slots[static_cast<std::size_t>(instruction.value)];
    } else if (instruction.code != Code::kConstant) {
      size -= Operands(instruction.code);
      value = Apply(instruction.code, stack + size);
    }
    if (!value) return std::nullopt;
    stack[size++] = *value;
  }
  return size == 1 ? Value(stack[0]) : std::nullopt;
}

}  // namespace reprise
