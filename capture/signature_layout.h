// How a kernel's parameter buffer is laid out, and how a field of it is read.
//
// A parameter is what the driver knows: an offset and a size. A field is what
// an expression names: a scalar parameter, one word of a uint3 ("ne2.z") or a
// member of a struct parameter ("fusion.gate").
#ifndef REPRISE_CAPTURE_SIGNATURE_LAYOUT_H_
#define REPRISE_CAPTURE_SIGNATURE_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/node.h"

namespace reprise {

enum class FieldType : std::uint8_t {
  kPointer,
  kI32,
  kU32,
  kI64,
  kU64,
  kBool,
  kF32,
  kF16,
  kUint3,   // three u32
  kStruct,  // fields of its own
  kBytes,   // not looked into
};

std::optional<FieldType> FindFieldType(absl::string_view name);
// 0 for structs and bytes, whose size the pack states.
std::uint32_t FieldBytes(FieldType type);
// Whether expressions may use its value.
bool IsInteger(FieldType type);

struct Field {
  std::string name;
  FieldType type = FieldType::kBytes;
  std::uint32_t offset = 0;  // bytes from the start of the buffer
  std::uint32_t size = 0;
};

struct Layout {
  std::vector<Parameter> parameters;
  std::vector<Field> fields;

  const Field* Find(absl::string_view name) const;
  // Every parameter has the offset and size stated here, and the buffer holds
  // them all.
  bool Fits(const KernelLaunch& launch) const;
};

// Where a pointer goes that follows all parameters.
std::uint32_t AppendedPointer(const Layout& layout);

// Nothing when the value does not fit the 64-bit integers of expressions.
// REQUIRES: the field is an integer and lies inside `bytes`.
std::optional<std::int64_t> ReadField(const Field& field,
                                      absl::Span<const std::uint8_t> bytes);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_SIGNATURE_LAYOUT_H_
