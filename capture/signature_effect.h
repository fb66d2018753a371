// One row of a signature's effects: the view that a launch reads or writes
// through one of its pointers, as expressions.
#ifndef REPRISE_CAPTURE_SIGNATURE_EFFECT_H_
#define REPRISE_CAPTURE_SIGNATURE_EFFECT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "capture/expression.h"
#include "capture/signature_view.h"
#include "graph/effects.h"
#include "graph/node.h"
#include "graph/view.h"

namespace reprise {

struct Rows {
  Expression count;
  Expression stride;  // bytes
};

// Rows picked by numbers that lie in memory: 0 <= number < count. Without a
// count any byte of the allocation may be meant.
struct Gather {
  std::optional<Expression> count;
  Expression stride;  // bytes
};

struct Effect {
  std::uint32_t pointer = 0;  // byte offset in the parameter buffer
  AccessMode mode = AccessMode::kRead;
  Role role = Role::kNone;
  ElementType element = ElementType::kByte;
  bool exact = true;
  std::optional<Expression> when;               // nothing: always
  Expression offset = Expression::Constant(0);  // bytes added to the pointer
  std::vector<Rows> rows;                       // outermost first
  Expression length;                            // elements a row
  std::optional<Gather> gather;
};

enum class Evaluation {
  kNothing,  // the launch touches nothing here
  kAccess,
  kUnknown,  // the extent cannot be known or bounded
};

// What an effect comes to, wherever its pointer leads.
struct EffectShape {
  Access access;  // its view starts that many bytes from the pointer
  const Gather* gather = nullptr;  // of the effect
};

Evaluation ShapeOf(const Effect& effect, SlotValues values, EffectShape* shape);

// That shape behind the pointer that the launch has. False where it cannot be
// known or bounded there.
bool Place(const EffectShape& shape, const KernelLaunch& launch,
           const AllocationIndex& allocations, Access* access);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_EFFECT_H_
