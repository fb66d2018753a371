#include "capture/signature_layout.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

namespace reprise {
namespace {

struct FieldTypeInfo {
  FieldType type;
  absl::string_view name;
  std::uint32_t bytes;
};

constexpr FieldTypeInfo kTypes[] = {
    {FieldType::kPointer, "pointer", 8}, {FieldType::kI32, "i32", 4},
    {FieldType::kU32, "u32", 4},         {FieldType::kI64, "i64", 8},
    {FieldType::kU64, "u64", 8},         {FieldType::kBool, "bool", 1},
    {FieldType::kF32, "f32", 4},         {FieldType::kF16, "f16", 2},
    {FieldType::kUint3, "uint3", 12},    {FieldType::kStruct, "struct", 0},
    {FieldType::kBytes, "bytes", 0},
};

// The buffer is little-endian on every machine that has such a device.
std::uint64_t ReadLittleEndian(absl::Span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | bytes[i - 1];
  }
  return value;
}

}  // namespace

std::optional<FieldType> FindFieldType(absl::string_view name) {
  for (const FieldTypeInfo& info : kTypes) {
    if (info.name == name) return info.type;
  }
  return std::nullopt;
}

std::uint32_t FieldBytes(FieldType type) {
  return kTypes[static_cast<std::size_t>(type)].bytes;
}

bool IsInteger(FieldType type) { return type <= FieldType::kBool; }

const Field* Layout::Find(absl::string_view name) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(),
                   [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

bool Layout::Fits(const KernelLaunch& launch) const {
  if (launch.parameters != parameters) return false;
  if (parameters.empty()) return true;
  const Parameter& last = parameters.back();
  return launch.bytes.size() >= std::size_t{last.offset} + last.size;
}

std::uint32_t AppendedPointer(const Layout& layout) {
  constexpr std::uint32_t kPointer = 8;
  if (layout.parameters.empty()) return 0;
  const Parameter& last = layout.parameters.back();
  return (last.offset + last.size + kPointer - 1) / kPointer * kPointer;
}

std::optional<std::int64_t> ReadField(const Field& field,
                                      absl::Span<const std::uint8_t> bytes) {
  const std::uint64_t value =
      ReadLittleEndian(bytes.subspan(field.offset, field.size));
  if (field.type == FieldType::kI32) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  }
  if (field.type == FieldType::kI64) return static_cast<std::int64_t>(value);
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (value > kMax) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace reprise
