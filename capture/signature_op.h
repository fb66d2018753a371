// Which op a launch is: a list of choices, the first whose condition holds.
//
// A choice's text is an op in the words of graph/op.h. "$t0" in it stands for
// a template argument: for the weight format that the pack's `formats` gives
// it, else for the argument itself.
#ifndef REPRISE_CAPTURE_SIGNATURE_OP_H_
#define REPRISE_CAPTURE_SIGNATURE_OP_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "capture/expression.h"
#include "capture/pack_tables.h"
#include "capture/signature_symbol.h"
#include "graph/effects.h"
#include "graph/op.h"

namespace reprise {

struct OpChoice {
  std::optional<Expression> when;  // nothing: always
  std::string text;
};

// The text with every "$t<number>" replaced; nothing when the symbol has no
// such argument.
std::optional<std::string> FillIn(absl::string_view text,
                                  const TemplateArguments& arguments,
                                  const PackTables& tables);

// Some op that the text may become; nothing when it cannot become one.
std::optional<Op> ExampleOf(absl::string_view text);

// Whether nodes with this op have views in that role, read or written so.
bool HasRole(const Op& op, Role role, AccessMode mode);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_OP_H_
