#include "capture/signature_key.h"

#include <cstddef>
#include <cstring>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"

namespace reprise {
namespace {

template <typename Visit>
void ForEachExpression(const Signature& signature, Visit visit) {
  const auto maybe = [&](const std::optional<Expression>& expression) {
    if (expression) visit(*expression);
  };
  for (const Slots::DefinedSlot& defined : signature.slots.defined()) {
    visit(defined.value);
  }
  for (const OpChoice& choice : signature.ops) maybe(choice.when);
  for (const EmittingChoice& choice : signature.emitting) maybe(choice.when);
  for (const Effect& effect : signature.effects) {
    maybe(effect.when);
    visit(effect.offset);
    visit(effect.length);
    for (const Rows& rows : effect.rows) {
      visit(rows.count);
      visit(rows.stride);
    }
    if (!effect.gather) continue;
    maybe(effect.gather->count);
    visit(effect.gather->stride);
  }
}

std::uint64_t Pack(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32 | b;
}

std::uint64_t ReadWord(const Field& field, const KernelLaunch& launch) {
  std::uint64_t word = 0;
  std::memcpy(&word, launch.bytes.data() + field.offset, field.size);
  return word;
}

// Which of the pointers before the i-th is the same, from 1; i + 1 where none
// is, 0 for null.
std::uint64_t RankOf(absl::Span<const std::uint64_t> pointers, std::size_t i) {
  if (pointers[i] == 0) return 0;
  std::size_t first = 0;
  while (pointers[first] != pointers[i]) ++first;
  return first + 1;
}

}  // namespace

bool HasKeys(const Signature& signature) {
  const auto is_pointer = [&](std::uint32_t slot) {
    return absl::c_any_of(
        signature.slots.fields(), [&](const Slots::FieldSlot& field) {
          return field.slot == slot && field.field.type == FieldType::kPointer;
        });
  };
  bool has = true;
  ForEachExpression(signature, [&](const Expression& expression) {
    has = has && expression.OnlyCompares(is_pointer);
  });
  return has;
}

bool KeyOf(const Signature& signature, const KernelLaunch& launch,
           std::vector<std::uint64_t>* key) {
  key->assign({Pack(launch.grid.x, launch.grid.y),
               Pack(launch.grid.z, launch.block.x),
               Pack(launch.block.y, launch.block.z)});
  for (const Slots::FieldSlot& slot : signature.slots.fields()) {
    if (slot.field.type == FieldType::kPointer) continue;
    key->push_back(ReadWord(slot.field, launch));
  }
  const std::size_t numbers = key->size();
  for (const Slots::FieldSlot& slot : signature.slots.fields()) {
    if (slot.field.type != FieldType::kPointer) continue;
    key->push_back(ReadWord(slot.field, launch));
    if (key->back() > kMaxViewEnd) return false;
  }
  const absl::Span<std::uint64_t> pointers =
      absl::MakeSpan(*key).subspan(numbers);
  for (std::size_t i = pointers.size(); i-- > 0;) {
    pointers[i] = RankOf(pointers.first(i + 1), i);
  }
  return true;
}

}  // namespace reprise
