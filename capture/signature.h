// One kernel of a pack: how it is recognised, what it means and what it
// touches. Built by pack_parser.h; read-only afterwards.
//
// A signature becomes useful in two steps. Bound to a symbol, its template
// arguments are known (once a symbol); interpreted with a launch, its
// parameters are (once a node).
#ifndef REPRISE_CAPTURE_SIGNATURE_H_
#define REPRISE_CAPTURE_SIGNATURE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "capture/pack_tables.h"
#include "capture/signature_effect.h"
#include "capture/signature_layout.h"
#include "capture/signature_op.h"
#include "capture/signature_slots.h"
#include "capture/signature_symbol.h"
#include "capture/signature_view.h"
#include "graph/effects.h"
#include "graph/node.h"
#include "graph/op.h"

namespace reprise {

struct EmittingChoice {
  std::optional<Expression> when;  // nothing: always
  // Its symbols may name template arguments, as an op's text.
  EmittingKernel kernel;
};

struct Signature {
  std::string name;
  SymbolPattern symbol;
  Layout layout;
  Slots slots;
  std::vector<OpChoice> ops;  // none holds: an op that nothing looks for
  std::vector<Effect> effects;
  // Of each layout the first that holds; none: nothing emits.
  std::vector<EmittingChoice> emitting;
  bool pure = false;
  bool waits = false;
  std::shared_ptr<const PackTables> tables;
};

// What a launch does, wherever its pointers lead.
struct Meaning {
  Op op;
  std::vector<EffectShape> effects;
  std::vector<EmittingKernel> emitting;  // of a producer, one a layout
};

// A signature whose symbol is known.
class BoundSignature {
 public:
  // Nothing when the symbol is another kernel's.
  static std::optional<BoundSignature> Of(const Signature& signature,
                                          absl::string_view symbol);

  const Signature& signature() const { return *signature_; }
  // Nothing when some extent cannot be known. Valid as long as the binding.
  // REQUIRES: the layout fits the launch.
  std::optional<Meaning> Interpret(const KernelLaunch& launch) const;

 private:
  std::optional<Op> ChooseOp(SlotValues values) const;
  std::vector<EmittingKernel> ChooseEmitting(SlotValues values) const;

  const Signature* signature_ = nullptr;
  Slots::Values values_;  // those that the launch gives are still missing
  std::vector<Op> ops_;   // by choice
  std::vector<std::optional<EmittingKernel>> emitting_;  // by choice
};

// What the launch touches. False when some extent cannot be bounded.
// REQUIRES: the meaning is the launch's.
bool PlaceEffects(const Meaning& meaning, const KernelLaunch& launch,
                  const AllocationIndex& allocations,
                  std::vector<Access>* accesses);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_H_
