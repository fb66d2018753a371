// Small integer arithmetic that packs use for extents and conditions:
// "ceildiv(grid.z, ne2.z)", "select(t1 == 1, block.y, 2)", "ids != 0 and t2".
//
// Values   64-bit signed integers; comparisons and logic give 0 or 1.
// Syntax   or, and, not, == != < <= > >=, + -, * / %, unary minus, (), decimal
//          numbers, names with dots, and the functions min, max, ceildiv,
//          roundup(a, multiple), select(condition, a, b). / and % round down.
//          sizeof(t0), qk(t0), qbytes(t0) and is(t0, word) ask about a
//          template argument; to the expression they are names like others.
// Errors   Every operand is evaluated, also the one that select does not take.
//          Overflow, division by zero or a value that is not known makes the
//          whole result unknown.
// Cost     a few nanoseconds an operator; nothing is allocated.
#ifndef REPRISE_CAPTURE_EXPRESSION_H_
#define REPRISE_CAPTURE_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace reprise {

// What names stand for at one evaluation, by slot; nothing where not known.
using SlotValues = absl::Span<const std::optional<std::int64_t>>;

class Expression {
 public:
  // Limits for texts that nobody vouches for.
  static constexpr std::size_t kMaxCharacters = 1024;
  static constexpr int kMaxNesting = 32;
  static constexpr int kMaxStack = 64;

  // The slot of a name; nothing for a name that does not exist.
  using SlotOf =
      absl::FunctionRef<std::optional<std::uint32_t>(absl::string_view)>;

  // InvalidArgument, one line: "unknown name 'ncol'", "')' expected at 'x'".
  static absl::StatusOr<Expression> Parse(absl::string_view text,
                                          SlotOf slot_of);

  static Expression Constant(std::int64_t value);

  // Nothing when the value cannot be known.
  std::optional<std::int64_t> Evaluate(SlotValues slots) const;

  // Of these slots' values nothing counts but which are 0 and which are equal:
  // each is compared with 0 or with another of them, and used in no other way.
  bool OnlyCompares(absl::FunctionRef<bool(std::uint32_t)> these) const;

 private:
  friend class ExpressionParser;

  enum class Code : std::uint8_t {
    kConstant,
    kSlot,
    kNegate,
    kNot,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kAnd,
    kOr,
    kMin,
    kMax,
    kCeilDiv,
    kRoundUp,
    kSelect,
  };
  // Operands are on a stack; an operator takes its own off and puts one on.
  struct Instruction {
    Code code;
    std::int64_t value = 0;  // kConstant: the number; kSlot: which
  };

  static int Operands(Code code);
  static std::optional<std::int64_t> Apply(Code code, const std::int64_t* in);

  std::vector<Instruction> program_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_EXPRESSION_H_
