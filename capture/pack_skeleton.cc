#include "capture/pack_skeleton.h"

#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "capture/json_document.h"
#include "capture/signature_layout.h"

namespace reprise {
namespace {

// Symbols come from a file and need not be UTF-8.
std::string Quoted(absl::string_view text) {
  return Json(std::string(text))
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool Holds(const Parameter& parameter, std::uint32_t offset) {
  return offset >= parameter.offset &&
         offset < parameter.offset + parameter.size;
}

// A parameter as the signature states it, and the names of its pointers. All
// else is a TODO: the capture does not tell an integer from a float, nor a null
// pointer from either.
struct Stated {
  std::string json;
  std::vector<std::string> pointers;
};

Stated State(const Parameter& parameter, const std::string& name,
             absl::Span<const std::uint32_t> pointers) {
  const bool scalar = parameter.size <= FieldBytes(FieldType::kPointer);
  Stated stated;
  std::vector<std::string> fields;
  for (const std::uint32_t offset : pointers) {
    if (!Holds(parameter, offset)) continue;
    const std::uint32_t inside = offset - parameter.offset;
    const std::string field = absl::StrCat("f", inside);
    fields.push_back(Quoted(absl::StrCat(inside, " pointer ", field)));
    stated.pointers.push_back(scalar ? name : absl::StrCat(name, ".", field));
  }
  if (scalar || fields.empty()) {
    stated.json = Quoted(absl::StrCat(
        parameter.offset, fields.empty() ? " TODO " : " pointer ", name));
    return stated;
  }
  stated.json = absl::StrCat("{\"struct\": ", Quoted(name),
                             ", \"offset\": ", parameter.offset,
                             ", \"bytes\": ", parameter.size, ", \"fields\": [",
                             absl::StrJoin(fields, ", "), ", \"TODO\"]}");
  return stated;
}

// The items one a line, as a list inside a signature.
std::string List(const std::vector<std::string>& items) {
  if (items.empty()) return "[]";
  return absl::StrCat("[\n        ", absl::StrJoin(items, ",\n        "),
                      "\n      ]");
}

}  // namespace

std::string SignatureSkeleton(const Graph& graph, const UnknownKernel& kernel) {
  const KernelLaunch& launch = graph.launch(kernel.nodes.front());
  std::vector<std::string> parameters, effects;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const Stated stated =
        State(launch.parameters[i], absl::StrCat("p", i), kernel.pointers);
    parameters.push_back(stated.json);
    for (const std::string& pointer : stated.pointers) {
      effects.push_back(
          absl::StrCat("{\"parameter\": ", Quoted(pointer),
                       ", \"access\": \"TODO\", \"length\": \"TODO\"}"));
    }
  }
  // No effects would say that it touches nothing.
  if (effects.empty()) effects.push_back(Quoted("TODO"));
  return absl::StrCat(
      "    {\n      \"name\": ", Quoted(FunctionName(launch.symbol)),
      ",\n      \"symbol\": ",
      Quoted(absl::StrCat(RE2::QuoteMeta(launch.symbol), "$")),
      ",\n      \"parameters\": ", List(parameters),
      ",\n      \"effects\": ", List(effects), "\n    }");
}

std::string PackSkeleton(const Graph& graph,
                         absl::Span<const UnknownKernel> kernels) {
  std::string signatures;
  for (const UnknownKernel& kernel : kernels) {
    absl::StrAppend(&signatures, signatures.empty() ? "\n" : ",\n",
                    SignatureSkeleton(graph, kernel));
  }
  if (!signatures.empty()) signatures += "\n  ";
  return absl::StrCat(
      "{\n  \"pack\": \"mine\",\n  \"version\": 1,\n  \"signatures\": [",
      signatures, "]\n}\n");
}

}  // namespace reprise
