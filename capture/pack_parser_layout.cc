// The parameters of a signature: "OFFSET TYPE NAME" for a scalar, an object
// for a struct.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "capture/pack_parser.h"

namespace reprise {
namespace {

// The most that a kernel can take.
constexpr std::uint32_t kMaxBufferBytes = 32764;

// "188 bytes[8] corr_dims".
Field ParseField(PackReader reader) {
  const std::string text = reader.Text();
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  Field field;
  if (words.size() != 3 || !absl::SimpleAtoi(words[0], &field.offset) ||
      words[2].empty()) {
    reader.Fail("not 'OFFSET TYPE NAME'");
    return field;
  }
  field.name = std::string(words[2]);
  absl::string_view type = words[1];
  if (absl::ConsumePrefix(&type, "bytes[") && absl::ConsumeSuffix(&type, "]") &&
      absl::SimpleAtoi(type, &field.size)) {
    return field;
  }
  const auto known = FindFieldType(words[1]);
  if (!known || FieldBytes(*known) == 0) {
    reader.Fail(absl::StrCat("no type '", words[1], "'"));
    return field;
  }
  field.type = *known;
  field.size = FieldBytes(*known);
  return field;
}

// Fields and parameters: in order, inside `end`, no byte twice.
void CheckRange(const Field& field, std::uint32_t begin, std::uint32_t end,
                PackReader& reader) {
  if (field.size == 0) reader.Fail("takes no bytes");
  if (field.offset < begin) reader.Fail("overlaps what stands before it");
  if (field.size > end || field.offset > end - field.size) {
    reader.Fail(absl::StrCat("ends past byte ", end));
  }
}

void AddField(Field field, Layout& layout, PackReader& reader) {
  if (layout.Find(field.name) != nullptr) {
    reader.Fail(absl::StrCat("name '", field.name, "' twice"));
  }
  if (field.type == FieldType::kUint3) {
    for (const char* word : {".x", ".y", ".z"}) {
      layout.fields.push_back(
          {absl::StrCat(field.name, word), FieldType::kU32, field.offset, 4});
      field.offset += 4;
    }
    return;
  }
  layout.fields.push_back(std::move(field));
}

// Members' offsets count from the start of the struct.
Field ParseStruct(PackReader reader, Layout& layout) {
  reader.AllowKeys({"struct", "offset", "bytes", "fields"});
  if (reader.failed()) return {};
  Field whole;
  whole.type = FieldType::kStruct;
  whole.name = reader.Text("struct");
  whole.offset = static_cast<std::uint32_t>(reader.Number("offset"));
  whole.size = static_cast<std::uint32_t>(reader.Number("bytes"));
  if (whole.offset > kMaxBufferBytes) reader.Fail("offset too large");
  std::uint32_t begin = 0;
  for (PackReader& item : reader.Member("fields").List()) {
    Field field = ParseField(item);
    CheckRange(field, begin, whole.size, item);
    if (item.failed()) break;
    begin = field.offset + field.size;
    field.offset += whole.offset;
    field.name = absl::StrCat(whole.name, ".", field.name);
    AddField(std::move(field), layout, item);
  }
  return whole;
}

}  // namespace

Layout ParseLayout(PackReader reader) {
  Layout layout;
  std::uint32_t begin = 0;
  for (PackReader& item : reader.List()) {
    const bool scalar = item.IsText();
    Field field = scalar ? ParseField(item) : ParseStruct(item, layout);
    CheckRange(field, begin, kMaxBufferBytes, item);
    if (item.failed()) break;
    begin = field.offset + field.size;
    layout.parameters.push_back({field.offset, field.size});
    if (scalar) AddField(std::move(field), layout, item);
  }
  return layout;
}

}  // namespace reprise
