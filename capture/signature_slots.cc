#include "capture/signature_slots.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace reprise {
namespace {

constexpr absl::string_view kShapeNames[] = {"grid.x",  "grid.y",  "grid.z",
                                             "block.x", "block.y", "block.z"};

}  // namespace

// "t0", "sizeof(t0)" or "is(t0,word)", as the expression parser writes them.
std::optional<Slots::TemplateSlot> Slots::ParseQuestion(
    absl::string_view name) {
  static constexpr std::pair<absl::string_view, Question> kFunctions[] = {
      {"sizeof(", Question::kSizeof},
      {"qk(", Question::kQk},
      {"qbytes(", Question::kQbytes},
      {"is(", Question::kIs}};
  TemplateSlot slot{Question::kNumber, 0, "", 0};
  for (const auto& [prefix, question] : kFunctions) {
    if (absl::ConsumePrefix(&name, prefix)) {
      slot.question = question;
      absl::ConsumeSuffix(&name, ")");
      break;
    }
  }
  if (slot.question == Question::kIs) {
    const std::size_t comma = name.find(',');
    if (comma == absl::string_view::npos) return std::nullopt;
    slot.word = std::string(name.substr(comma + 1));
    name = name.substr(0, comma);
  }
  if (!absl::ConsumePrefix(&name, "t")) return std::nullopt;
  if (!absl::SimpleAtoi(name, &slot.argument)) return std::nullopt;
  return slot;
}

std::optional<std::uint32_t> Slots::Find(absl::string_view name,
                                         const Layout& layout,
                                         const SymbolPattern& symbol) {
  const auto* shape =
      std::find(std::begin(kShapeNames), std::end(kShapeNames), name);
  if (shape != std::end(kShapeNames)) {
    return static_cast<std::uint32_t>(shape - std::begin(kShapeNames));
  }
  for (const auto& [known, slot] : names_) {
    if (known == name) return slot;
  }
  if (const Field* field = layout.Find(name)) {
    if (!IsInteger(field->type)) return std::nullopt;
    field_slots_.push_back({*field, size_});
  } else if (auto question = ParseQuestion(name);
             question && symbol.HasArgument(question->argument)) {
    question->slot = size_;
    template_slots_.push_back(*question);
  } else {
    return std::nullopt;
  }
  names_.emplace_back(name, size_);
  return size_++;
}

bool Slots::Define(absl::string_view name, Expression value,
                   const Layout& layout, const SymbolPattern& symbol) {
  if (Find(name, layout, symbol)) return false;
  names_.emplace_back(name, size_);
  defined_slots_.push_back({std::move(value), size_++});
  return true;
}

std::optional<std::int64_t> Slots::Answer(const TemplateSlot& slot,
                                          absl::string_view argument,
                                          const PackTables& tables) {
  std::int64_t number = 0;
  switch (slot.question) {
    case Question::kNumber:
      if (absl::SimpleAtoi(argument, &number)) return number;
      return std::nullopt;
    case Question::kSizeof: {
      const auto found = tables.type_bytes.find(argument);
      if (found != tables.type_bytes.end()) return found->second;
      return std::nullopt;
    }
    case Question::kQk:
    case Question::kQbytes: {
      const auto format = tables.FindFormat(argument);
      if (!format) return std::nullopt;
      return slot.question == Question::kQk ? format->values : format->bytes;
    }
    case Question::kIs:
      return argument == slot.word;
  }
  return std::nullopt;
}

Slots::Values Slots::ForSymbol(const TemplateArguments& arguments,
                               const PackTables& tables) const {
  Values values(size_);
  for (const TemplateSlot& slot : template_slots_) {
    values[slot.slot] = Answer(slot, arguments[slot.argument], tables);
  }
  return values;
}

void Slots::Fill(const KernelLaunch& launch,
                 absl::Span<Values::value_type> values) const {
  const std::uint32_t shape[] = {launch.grid.x,  launch.grid.y,
                                 launch.grid.z,  launch.block.x,
                                 launch.block.y, launch.block.z};
  std::copy(std::begin(shape), std::end(shape), values.begin());
  for (const FieldSlot& slot : field_slots_) {
    values[slot.slot] = ReadField(slot.field, launch.bytes);
  }
  for (const DefinedSlot& slot : defined_slots_) {
    values[slot.slot] = slot.value.Evaluate(values);
  }
}

}  // namespace reprise
