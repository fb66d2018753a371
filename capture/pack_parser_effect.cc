// One effect of a signature.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "capture/pack_parser.h"

namespace reprise {
namespace {

constexpr Role kRoles[] = {Role::kSource,  Role::kOutput, Role::kImage,
                           Role::kWeights, Role::kIds,    Role::kSlack};

const Field* ParsePointer(PackReader reader, const Signature& signature) {
  const std::string name = reader.Text();
  const Field* field = signature.layout.Find(name);
  if (field != nullptr && field->type == FieldType::kPointer) return field;
  reader.Fail(absl::StrCat("no pointer '", name, "'"));
  return nullptr;
}

AccessMode ParseMode(PackReader reader) {
  const std::string text = reader.Text();
  if (text != "read" && text != "write") reader.Fail("neither read nor write");
  return text == "write" ? AccessMode::kWrite : AccessMode::kRead;
}

Role ParseRole(PackReader reader, AccessMode mode, const Signature& signature) {
  const std::string text = reader.Text();
  const Role* role = std::find_if(std::begin(kRoles), std::end(kRoles),
                                  [&](Role r) { return NameOf(r) == text; });
  if (role == std::end(kRoles)) {
    reader.Fail(absl::StrCat("no role '", text, "'"));
    return Role::kNone;
  }
  const bool fits = std::any_of(signature.ops.begin(), signature.ops.end(),
                                [&](const OpChoice& choice) {
                                  const auto op = ExampleOf(choice.text);
                                  return op && HasRole(*op, *role, mode);
                                });
  if (!fits) {
    reader.Fail(absl::StrCat("the op ",
                             mode == AccessMode::kRead ? "reads" : "writes",
                             " no ", text));
  }
  return *role;
}

ElementType ParseElement(PackReader reader) {
  const std::string text = reader.Text();
  const auto type = FindElementType(text);
  if (!type) reader.Fail(absl::StrCat("no element type '", text, "'"));
  return type.value_or(ElementType::kByte);
}

Rows ParseRows(PackReader reader, Signature& signature) {
  std::vector<PackReader> pair = reader.List();
  if (pair.size() != 2) {
    reader.Fail("not a count and a stride");
    return {Expression::Constant(0), Expression::Constant(0)};
  }
  return {ParseExpression(pair[0], signature),
          ParseExpression(pair[1], signature)};
}

Gather ParseGather(PackReader reader, Signature& signature) {
  reader.AllowKeys({"by", "count", "stride"});
  ParsePointer(reader.Member("by"), signature);
  Gather gather;
  gather.stride = ParseExpression(reader.Member("stride"), signature);
  if (reader.Has("count")) {
    gather.count = ParseExpression(reader.Member("count"), signature);
  }
  return gather;
}

}  // namespace

Effect ParseEffect(PackReader reader, Signature& signature) {
  reader.AllowKeys({"parameter", "access", "role", "element", "when", "offset",
                    "rows", "length", "exact", "gather"});
  Effect effect;
  if (const Field* pointer =
          ParsePointer(reader.Member("parameter"), signature)) {
    effect.pointer = pointer->offset;
  }
  effect.mode = ParseMode(reader.Member("access"));
  effect.exact = reader.Flag("exact", true);
  effect.length = ParseExpression(reader.Member("length"), signature);
  if (reader.Has("role")) {
    effect.role = ParseRole(reader.Member("role"), effect.mode, signature);
  }
  if (reader.Has("element")) {
    effect.element = ParseElement(reader.Member("element"));
  }
  if (reader.Has("when")) {
    effect.when = ParseExpression(reader.Member("when"), signature);
  }
  if (reader.Has("offset")) {
    effect.offset = ParseExpression(reader.Member("offset"), signature);
  }
  for (PackReader& rows : reader.List("rows")) {
    effect.rows.push_back(ParseRows(rows, signature));
  }
  if (reader.Has("gather")) {
    effect.gather = ParseGather(reader.Member("gather"), signature);
  }
  return effect;
}

}  // namespace reprise
