#include "capture/signature.h"

#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"

namespace reprise {

std::optional<BoundSignature> BoundSignature::Of(const Signature& signature,
                                                 absl::string_view symbol) {
  const auto arguments = signature.symbol.Match(symbol);
  if (!arguments) return std::nullopt;
  BoundSignature bound;
  bound.signature_ = &signature;
  bound.values_ = signature.slots.ForSymbol(*arguments, *signature.tables);
  for (const OpChoice& choice : signature.ops) {
    const auto text = FillIn(choice.text, *arguments, *signature.tables);
    const auto op = text ? OpFromText(*text) : std::nullopt;
    bound.ops_.push_back(op.value_or(OtherOp{}));
  }
  for (const EmittingChoice& choice : signature.emitting) {
    auto& kernel = bound.emitting_.emplace_back();
    auto storing = FillIn(choice.kernel.symbol, *arguments, *signature.tables);
    auto dropping =
        FillIn(choice.kernel.dropping_symbol, *arguments, *signature.tables);
    if (storing && dropping) {
      kernel = choice.kernel;
      kernel->symbol = *std::move(storing);
      kernel->dropping_symbol = *std::move(dropping);
    }
  }
  return bound;
}

std::optional<Op> BoundSignature::ChooseOp(SlotValues values) const {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const auto& when = signature_->ops[i].when;
    const auto holds = when ? when->Evaluate(values) : 1;
    if (!holds) return std::nullopt;
    if (*holds != 0) return ops_[i];
  }
  return OtherOp{};
}

// A condition without a value holds back no more than the emission.
std::vector<EmittingKernel> BoundSignature::ChooseEmitting(
    SlotValues values) const {
  std::vector<EmittingKernel> chosen;
  for (std::size_t i = 0; i < emitting_.size(); ++i) {
    const auto& when = signature_->emitting[i].when;
    if (!emitting_[i] || (when && when->Evaluate(values).value_or(0) == 0)) {
      continue;
    }
    const bool found = absl::c_any_of(chosen, [&](const EmittingKernel& other) {
      return other.layout == emitting_[i]->layout;
    });
    if (!found) chosen.push_back(*emitting_[i]);
  }
  return chosen;
}

std::optional<Meaning> BoundSignature::Interpret(
    const KernelLaunch& launch) const {
  Slots::Values values = values_;
  signature_->slots.Fill(launch, absl::MakeSpan(values));
  const std::optional<Op> op = ChooseOp(values);
  if (!op) return std::nullopt;
  Meaning meaning{*op, {}, {}};
  if (IsProducer(*op)) meaning.emitting = ChooseEmitting(values);
  for (const Effect& effect : signature_->effects) {
    EffectShape shape;
    switch (ShapeOf(effect, values, &shape)) {
      case Evaluation::kNothing:
        break;
      case Evaluation::kUnknown:
        return std::nullopt;
      case Evaluation::kAccess:
        Access& access = shape.access;
        if (!HasRole(*op, access.role, access.mode)) access.role = Role::kNone;
        meaning.effects.push_back(shape);
        break;
    }
  }
  return meaning;
}

bool PlaceEffects(const Meaning& meaning, const KernelLaunch& launch,
                  const AllocationIndex& allocations,
                  std::vector<Access>* accesses) {
  accesses->resize(meaning.effects.size());
  for (std::size_t i = 0; i < meaning.effects.size(); ++i) {
    if (!Place(meaning.effects[i], launch, allocations, &(*accesses)[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace reprise
