// Expression::Parse: recursive descent, one function a level of precedence.
#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "capture/expression.h"

namespace reprise {
namespace {

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; }

bool IsTemplateQuery(absl::string_view name) {
  return name == "sizeof" || name == "qk" || name == "qbytes" || name == "is";
}

}  // namespace

class ExpressionParser {
 public:
  using Code = Expression::Code;

  ExpressionParser(absl::string_view text, Expression::SlotOf slot_of)
      : rest_(text), slot_of_(slot_of) {}

  absl::StatusOr<Expression> Parse() {
    if (rest_.size() > Expression::kMaxCharacters) {
      return absl::InvalidArgumentError(absl::StrCat("expression longer than ",
                                                     Expression::kMaxCharacters,
                                                     " characters"));
    }
    Or();
    SkipSpace();
    if (!rest_.empty()) Fail(absl::StrCat("unexpected '", rest_, "'"));
    if (!error_.empty()) return absl::InvalidArgumentError(error_);
    return std::move(out_);
  }

 private:
  struct Operator {
    absl::string_view text;
    Code code;
  };

  // The first error counts; after it nothing is left to read.
  void Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    rest_ = {};
  }

  void Emit(Code code, std::int64_t value = 0) {
    depth_ += 1 - Expression::Operands(code);
    if (depth_ > Expression::kMaxStack) return Fail("expression too deep");
    out_.program_.push_back({code, value});
  }

  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  absl::string_view PeekWord() {
    SkipSpace();
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsWord);
    return rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  }

  absl::string_view TakeWord() {
    const absl::string_view word = PeekWord();
    rest_.remove_prefix(word.size());
    return word;
  }

  bool TakeKeyword(absl::string_view word) {
    if (PeekWord() != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool Take(absl::string_view symbol) {
    SkipSpace();
    return absl::ConsumePrefix(&rest_, symbol);
  }

  void Expect(absl::string_view symbol) {
    if (Take(symbol)) return;
    Fail(absl::StrCat("'", symbol, "' expected at '", rest_, "'"));
  }

  // The operator that comes next, longer ones listed before their prefixes.
  template <std::size_t N>
  const Operator* TakeOneOf(const Operator (&operators)[N]) {
    for (const Operator& op : operators) {
      if (Take(op.text)) return &op;
    }
    return nullptr;
  }

  void Or() {
    And();
    while (TakeKeyword("or")) {
      And();
      Emit(Code::kOr);
    }
  }

  void And() {
    Not();
    while (TakeKeyword("and")) {
      Not();
      Emit(Code::kAnd);
    }
  }

  void Not() {
    int count = 0;
    while (TakeKeyword("not")) ++count;
    Comparison();
    for (; count > 0; --count) Emit(Code::kNot);
  }

  void Comparison() {
    static constexpr Operator kOperators[] = {
        {"==", Code::kEqual},        {"!=", Code::kNotEqual},
        {"<=", Code::kLessEqual},    {"<", Code::kLess},
        {">=", Code::kGreaterEqual}, {">", Code::kGreater}};
    Sum();
    if (const Operator* op = TakeOneOf(kOperators)) {
      Sum();
      Emit(op->code);
    }
  }

  void Sum() {
    static constexpr Operator kOperators[] = {{"+", Code::kAdd},
                                              {"-", Code::kSubtract}};
    Product();
    while (const Operator* op = TakeOneOf(kOperators)) {
      Product();
      Emit(op->code);
    }
  }

  void Product() {
    static constexpr Operator kOperators[] = {
        {"*", Code::kMultiply}, {"/", Code::kDivide}, {"%", Code::kRemainder}};
    Sign();
    while (const Operator* op = TakeOneOf(kOperators)) {
      Sign();
      Emit(op->code);
    }
  }

  void Sign() {
    int count = 0;
    while (Take("-")) ++count;
    Primary();
    for (; count > 0; --count) Emit(Code::kNegate);
  }

  void Primary() {
    if (++nesting_ > Expression::kMaxNesting) Fail("expression too deep");
    if (Take("(")) {
      Or();
      Expect(")");
    } else {
      const absl::string_view word = TakeWord();
      if (word.empty()) {
        Fail(absl::StrCat("value expected at '", rest_, "'"));
      } else if (absl::ascii_isdigit(word[0])) {
        Number(word);
      } else if (!Take("(")) {
        Name(word);
      } else if (IsTemplateQuery(word)) {
        TemplateQuery(word);
      } else {
        Call(word);
      }
    }
    --nesting_;
  }

  void Number(absl::string_view word) {
    std::int64_t value = 0;
    if (!absl::SimpleAtoi(word, &value)) {
      return Fail(absl::StrCat("bad number '", word, "'"));
    }
    Emit(Code::kConstant, value);
  }

  void Name(absl::string_view name) {
    const std::optional<std::uint32_t> slot = slot_of_(name);
    if (!slot) return Fail(absl::StrCat("unknown name '", name, "'"));
    Emit(Code::kSlot, *slot);
  }

  // "is(t0, f)" becomes the name "is(t0,f)".
  void TemplateQuery(absl::string_view function) {
    std::string name = absl::StrCat(function, "(", TakeWord());
    if (function == "is") {
      Expect(",");
      absl::StrAppend(&name, ",", TakeWord());
    }
    Expect(")");
    if (error_.empty()) Name(absl::StrCat(name, ")"));
  }

  void Call(absl::string_view function) {
    static constexpr Operator kFunctions[] = {{"min", Code::kMin},
                                              {"max", Code::kMax},
                                              {"ceildiv", Code::kCeilDiv},
                                              {"roundup", Code::kRoundUp},
                                              {"select", Code::kSelect}};
    const auto* found =
        std::find_if(std::begin(kFunctions), std::end(kFunctions),
                     [&](const Operator& f) { return f.text == function; });
    if (found == std::end(kFunctions)) {
      return Fail(absl::StrCat("unknown function '", function, "'"));
    }
    Or();
    for (int i = 1; i < Expression::Operands(found->code); ++i) {
      Expect(",");
      Or();
    }
    Expect(")");
    Emit(found->code);
  }

  absl::string_view rest_;
  Expression::SlotOf slot_of_;
  Expression out_;
  std::string error_;
  int depth_ = 0;    // of the stack, after what was emitted
  int nesting_ = 0;  // of parentheses and calls
};

absl::StatusOr<Expression> Expression::Parse(absl::string_view text,
                                             SlotOf slot_of) {
  return ExpressionParser(text, slot_of).Parse();
}

}  // namespace reprise
