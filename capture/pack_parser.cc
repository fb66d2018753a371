#include "capture/pack_parser.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

constexpr std::int64_t kVersion = 1;

PackTables ParseTables(PackReader& reader) {
  PackTables tables;
  if (reader.Has("types")) {
    for (auto& [type, bytes] : reader.Member("types").Members()) {
      tables.type_bytes[type] = bytes.Number();
    }
  }
  if (reader.Has("formats")) {
    for (auto& [argument, name] : reader.Member("formats").Members()) {
      const auto format = FindBlockFormat(name.Text());
      if (!format) name.Fail(absl::StrCat("no format '", name.Text(), "'"));
      tables.formats[argument] = format.value_or(BlockFormat{});
    }
  }
  return tables;
}

// Of two signatures that recognise the same launches one would never be found.
void CheckDistinct(const Signature& added,
                   const std::vector<Signature>& signatures,
                   PackReader& reader) {
  for (const Signature& other : signatures) {
    if (other.symbol.text() == added.symbol.text() &&
        other.layout.parameters == added.layout.parameters) {
      reader.Fail(absl::StrCat("same symbol and parameters as ", other.name));
    }
  }
}

// Pairs of a name and an expression; later ones may use earlier ones.
void ParseDefinitions(PackReader reader, Signature& signature) {
  for (PackReader& item : reader.List()) {
    std::vector<PackReader> pair = item.List();
    if (pair.size() != 2) return item.Fail("not a name and an expression");
    const std::string name = pair[0].Text();
    if (!signature.slots.Define(name, ParseExpression(pair[1], signature),
                                signature.layout, signature.symbol)) {
      item.Fail(absl::StrCat("name '", name, "' is taken"));
    }
  }
}

std::vector<OpChoice> ParseOps(PackReader reader, Signature& signature) {
  std::vector<OpChoice> ops;
  const auto add = [&](PackReader text, std::optional<Expression> when) {
    ops.push_back({std::move(when), text.Text()});
    if (!ExampleOf(ops.back().text)) {
      text.Fail(absl::StrCat("no op '", ops.back().text, "'"));
    }
  };
  if (reader.IsText()) {
    add(reader, std::nullopt);
    return ops;
  }
  for (PackReader& choice : reader.List()) {
    choice.AllowKeys({"when", "op"});
    if (choice.failed()) break;
    std::optional<Expression> when;
    if (choice.Has("when")) {
      when = ParseExpression(choice.Member("when"), signature);
    }
    add(choice.Member("op"), std::move(when));
  }
  return ops;
}

bool AnyOp(const Signature& signature, bool (*holds)(const Op&)) {
  return std::any_of(signature.ops.begin(), signature.ops.end(),
                     [&](const OpChoice& choice) {
                       const auto op = ExampleOf(choice.text);
                       return op && holds(*op);
                     });
}

// Where the image pointer stands in the emitting kernel's parameter buffer.
std::uint32_t ParseImageParameter(PackReader reader, const Layout& layout) {
  const std::string name = reader.Text();
  const Field* field = layout.Find(name);
  if (field != nullptr && field->type == FieldType::kPointer) {
    return field->offset;
  }
  reader.Fail(absl::StrCat("no pointer '", name, "'"));
  return 0;
}

ImageLayout ParseImageLayout(PackReader reader) {
  const std::string name = reader.Text();
  const auto layout = FindImageLayout(name);
  if (!layout) reader.Fail(absl::StrCat("no layout '", name, "'"));
  return layout.value_or(ImageLayout::kQ8_1);
}

EmittingChoice ParseEmittingKernel(PackReader reader, Signature& signature) {
  reader.AllowKeys({"when", "symbol", "layout", "image_parameter",
                    "append_image", "waits", "probe", "null_output",
                    "without_output"});
  EmittingChoice choice;
  if (reader.Has("when")) {
    choice.when = ParseExpression(reader.Member("when"), signature);
  }
  EmittingKernel& kernel = choice.kernel;
  kernel.symbol = reader.Text("symbol");
  if (reader.Has("layout")) {
    kernel.layout = ParseImageLayout(reader.Member("layout"));
  }
  kernel.waits = reader.Flag("waits", false);
  kernel.probe = reader.Flag("probe", false);
  kernel.takes_no_floats = reader.Flag("null_output", false);
  if (reader.Has("without_output")) {
    kernel.dropping_symbol = reader.Text("without_output");
    if (kernel.takes_no_floats) {
      reader.Fail("wants one of null_output and without_output");
    }
  }
  kernel.appends_image = reader.Flag("append_image", false);
  if (kernel.appends_image == reader.Has("image_parameter")) {
    reader.Fail("wants one of image_parameter and append_image");
  } else if (kernel.appends_image) {
    kernel.image_parameter = AppendedPointer(signature.layout);
  } else {
    kernel.image_parameter =
        ParseImageParameter(reader.Member("image_parameter"), signature.layout);
  }
  if (!AnyOp(signature, &IsProducer)) reader.Fail("the op is no producer's");
  return choice;
}

std::vector<EmittingChoice> ParseEmitting(PackReader reader,
                                          Signature& signature) {
  std::vector<EmittingChoice> choices;
  if (reader.IsList()) {
    for (PackReader& choice : reader.List()) {
      choices.push_back(ParseEmittingKernel(choice, signature));
    }
  } else {
    choices.push_back(ParseEmittingKernel(reader, signature));
  }
  return choices;
}

}  // namespace

Expression ParseExpression(PackReader reader, Signature& signature) {
  const std::string text = reader.Text();
  if (reader.failed()) return Expression::Constant(0);
  auto expression = Expression::Parse(text, [&](absl::string_view name) {
    return signature.slots.Find(name, signature.layout, signature.symbol);
  });
  if (expression.ok()) return *std::move(expression);
  reader.Fail(expression.status().message());
  return Expression::Constant(0);
}

Signature ParseSignature(PackReader reader,
                         std::shared_ptr<const PackTables> tables) {
  Signature signature;
  signature.tables = std::move(tables);
  signature.name = reader.Text("name");
  reader.NameIt(signature.name);
  reader.AllowKeys({"name", "symbol", "parameters", "define", "op", "effects",
                    "pure", "waits", "emitting"});
  PackReader symbol = reader.Member("symbol");
  auto pattern = SymbolPattern::Compile(symbol.Text());
  if (!pattern.ok()) symbol.Fail(pattern.status().message());
  if (reader.failed()) return signature;
  signature.symbol = *std::move(pattern);
  signature.layout = ParseLayout(reader.Member("parameters"));
  signature.pure = reader.Flag("pure", false);
  signature.waits = reader.Flag("waits", false);
  if (reader.failed()) return signature;
  if (reader.Has("define")) {
    ParseDefinitions(reader.Member("define"), signature);
  }
  if (reader.Has("op")) {
    signature.ops = ParseOps(reader.Member("op"), signature);
  }
  for (PackReader& effect : reader.Member("effects").List()) {
    signature.effects.push_back(ParseEffect(effect, signature));
  }
  if (reader.Has("emitting")) {
    signature.emitting = ParseEmitting(reader.Member("emitting"), signature);
  }
  return signature;
}

std::vector<Signature> ParsePack(const nlohmann::json& json, std::string* name,
                                 absl::Status* error) {
  std::vector<Signature> signatures;
  PackReader unnamed(json, "pack", error);
  *name = unnamed.Text("pack");
  PackReader reader(json, *name, error);
  reader.AllowKeys({"pack", "version", "types", "formats", "signatures"});
  if (reader.Number("version") != kVersion) reader.Fail("version is not 1");
  const auto tables = std::make_shared<const PackTables>(ParseTables(reader));
  if (reader.failed()) return signatures;
  for (PackReader& item : reader.Member("signatures").List()) {
    Signature signature = ParseSignature(item, tables);
    CheckDistinct(signature, signatures, item);
    if (reader.failed()) break;
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

}  // namespace reprise
