// Where the values come from that a signature's expressions use.
//
// A name gets its slot on first use, so a launch pays only for what is used.
//   grid.x .y .z, block.x .y .z     the launch shape
//   a field of the layout           the parameter buffer
//   t0, sizeof(t0), qk(t0), qbytes(t0), is(t0,word)     the symbol
//   a defined name                  an expression, in the order of definition
#ifndef REPRISE_CAPTURE_SIGNATURE_SLOTS_H_
#define REPRISE_CAPTURE_SIGNATURE_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "capture/expression.h"
#include "capture/pack_tables.h"
#include "capture/signature_layout.h"
#include "capture/signature_symbol.h"
#include "graph/node.h"

namespace reprise {

class Slots {
 public:
  using Values = std::vector<std::optional<std::int64_t>>;

  struct DefinedSlot {
    Expression value;
    std::uint32_t slot;
  };
  struct FieldSlot {
    Field field;
    std::uint32_t slot;
  };

  // Nothing for an unknown name, and for a field that is no integer.
  std::optional<std::uint32_t> Find(absl::string_view name,
                                    const Layout& layout,
                                    const SymbolPattern& symbol);

  // Gives the value of an expression a name. False when the name is taken.
  bool Define(absl::string_view name, Expression value, const Layout& layout,
              const SymbolPattern& symbol);

  // All slots, those of template arguments filled.
  Values ForSymbol(const TemplateArguments& arguments,
                   const PackTables& tables) const;

  // Fills the rest. REQUIRES: the launch fits the layout.
  void Fill(const KernelLaunch& launch,
            absl::Span<Values::value_type> values) const;

  // What Fill reads of the parameter buffer, and what it makes of that.
  absl::Span<const FieldSlot> fields() const { return field_slots_; }
  absl::Span<const DefinedSlot> defined() const { return defined_slots_; }

 private:
  enum class Question : std::uint8_t { kNumber, kSizeof, kQk, kQbytes, kIs };

  struct TemplateSlot {
    Question question;
    std::size_t argument;
    std::string word;  // kIs
    std::uint32_t slot;
  };

  static std::optional<TemplateSlot> ParseQuestion(absl::string_view name);
  static std::optional<std::int64_t> Answer(const TemplateSlot& slot,
                                            absl::string_view argument,
                                            const PackTables& tables);

  std::vector<std::pair<std::string, std::uint32_t>> names_;
  std::vector<TemplateSlot> template_slots_;
  std::vector<FieldSlot> field_slots_;
  std::vector<DefinedSlot> defined_slots_;
  std::uint32_t size_ = 6;  // the launch shape has the first ones
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_SLOTS_H_
