// How a kernel is recognised by its symbol, and what the symbol says about the
// template arguments.
//
// The pattern is a regular expression, anchored at the start of the symbol;
// its groups t0, t1, ... are the template arguments. Mangled names repeat a
// class type as "S_" or "S0_": such a group stands for the nearest class type
// before it.
#ifndef REPRISE_CAPTURE_SIGNATURE_SYMBOL_H_
#define REPRISE_CAPTURE_SIGNATURE_SYMBOL_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace re2 {
class RE2;
}

namespace reprise {

// By number; empty where the pattern has no such group.
using TemplateArguments = std::vector<std::string>;

class SymbolPattern {
 public:
  // InvalidArgument when it is no regular expression, or when a group is not
  // named t<number>.
  static absl::StatusOr<SymbolPattern> Compile(const std::string& text);

  SymbolPattern();  // matches nothing
  SymbolPattern(SymbolPattern&&) noexcept;
  SymbolPattern& operator=(SymbolPattern&&) noexcept;
  ~SymbolPattern();

  const std::string& text() const { return text_; }
  bool HasArgument(std::size_t number) const;

  std::optional<TemplateArguments> Match(absl::string_view symbol) const;

 private:
  std::string text_;
  std::string prefix_;  // what every match starts with
  std::unique_ptr<re2::RE2> regex_;
  std::vector<std::size_t> arguments_;  // template argument by group
  std::size_t num_arguments_ = 0;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_SYMBOL_H_
