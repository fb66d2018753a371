#include "tools/signature_report.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "capture/pack_skeleton.h"
#include "tools/text_table.h"

namespace reprise {
namespace {

constexpr std::size_t kNamedUses = 2;  // of one pointer

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::string ToText(const Dim3& extents) {
  return absl::StrCat(extents.x, "x", extents.y, "x", extents.z);
}

// "0+8 8+8 16+4": offset and size of each.
std::string LayoutText(absl::Span<const Parameter> parameters) {
  return absl::StrJoin(
      parameters, " ", [](std::string* out, const Parameter& parameter) {
        absl::StrAppend(out, parameter.offset, "+", parameter.size);
      });
}

// What known nodes do with the place that a pointer leads to.
std::string Uses(const Graph& graph, std::uint64_t address) {
  std::vector<std::string> uses;
  std::size_t more = 0;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    for (const Access& access : graph.accesses(NodeId{i})) {
      const View& view = access.view;
      if (address < view.begin() || address >= view.end()) continue;
      if (uses.size() == kNamedUses) {
        ++more;
        continue;
      }
      uses.push_back(absl::StrCat(Named(graph, NodeId{i}),
                                  access.reads() ? " reads " : " writes ",
                                  ToText(view)));
    }
  }
  if (more > 0) uses.push_back(Counted(more, "further use"));
  return uses.empty() ? "nobody known uses it" : absl::StrJoin(uses, "; ");
}

std::string PointerText(const Graph& graph, const KernelLaunch& launch,
                        std::uint32_t offset) {
  const std::uint64_t address = PointerAt(launch, offset);
  return absl::StrCat("pointer 0x", absl::Hex(address), ": ",
                      Uses(graph, address));
}

// The value in memory order, as the capture file has it, and as an integer.
std::string ValueText(const KernelLaunch& launch, const Parameter& parameter) {
  constexpr std::size_t kShownBytes = 16;
  const absl::string_view bytes(
      reinterpret_cast<const char*>(launch.bytes.data()) + parameter.offset,
      parameter.size);
  std::string text = absl::StrCat(
      "bytes ", absl::BytesToHexString(bytes.substr(0, kShownBytes)));
  if (bytes.size() > kShownBytes) text += "...";
  if (bytes.size() > sizeof(std::uint64_t)) return text;
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return absl::StrCat(text, " = ", value);
}

std::string ParameterLines(const Graph& graph, const UnknownKernel& kernel) {
  const KernelLaunch& launch = graph.launch(kernel.nodes.front());
  std::string out;
  for (const Parameter& parameter : launch.parameters) {
    const std::uint32_t end = parameter.offset + parameter.size;
    std::vector<std::string> facts;
    for (const std::uint32_t pointer : kernel.pointers) {
      if (pointer < parameter.offset || pointer >= end) continue;
      const std::uint32_t inside = pointer - parameter.offset;
      facts.push_back(absl::StrCat(inside > 0 || parameter.size > 8
                                       ? absl::StrCat("at ", inside, " ")
                                       : "",
                                   PointerText(graph, launch, pointer)));
    }
    if (facts.empty()) facts.push_back(ValueText(launch, parameter));
    std::string label = absl::StrCat(parameter.offset, "+", parameter.size);
    for (const std::string& fact : facts) {
      out += Labelled(absl::StrCat("  ", label), fact);
      label.clear();
    }
  }
  return out;
}

std::string OtherLayoutLines(const KernelLaunch& launch,
                             absl::Span<const OtherLayout> others) {
  if (others.empty()) return "";
  std::string out;
  for (const OtherLayout& other : others) {
    out += Labelled(
        "  known as",
        absl::StrCat(other.signature, " of pack ", other.pack,
                     " with other parameters: ", LayoutText(other.parameters)));
  }
  return absl::StrCat(out, Labelled("  here", LayoutText(launch.parameters)));
}

std::string KernelLines(const Graph& graph, const UnknownKernel& kernel) {
  const KernelLaunch& launch = graph.launch(kernel.nodes.front());
  return absl::StrCat(
      Demangled(launch.symbol), "\n", Labelled("  symbol", launch.symbol),
      Labelled("  nodes", absl::StrCat(kernel.nodes.size(), ", first node ",
                                       kernel.nodes.front().value)),
      Labelled("  launch", absl::StrCat("grid ", ToText(launch.grid),
                                        ", block ", ToText(launch.block))),
      ParameterLines(graph, kernel),
      OtherLayoutLines(launch, kernel.other_layouts),
      "  signature to fill in:\n", SignatureSkeleton(graph, kernel), "\n");
}

bool IsListed(absl::Span<const UnknownKernel> kernels, NodeId id) {
  return std::any_of(
      kernels.begin(), kernels.end(), [&](const UnknownKernel& kernel) {
        return std::binary_search(kernel.nodes.begin(), kernel.nodes.end(), id);
      });
}

// Recognised, and opaque all the same.
std::string UnboundedLines(const Graph& graph,
                           absl::Span<const UnknownKernel> kernels) {
  std::string out;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    const Node& node = graph.node(NodeId{i});
    if (node.launch == Node::kNoIndex || node.effects_complete ||
        IsListed(kernels, NodeId{i})) {
      continue;
    }
    absl::StrAppend(&out, Named(graph, NodeId{i}),
                    " is known, but its signature cannot bound what this "
                    "launch touches\n");
  }
  return out;
}

}  // namespace

std::string SignatureReport(const Graph& graph,
                            absl::Span<const UnknownKernel> kernels) {
  std::string out;
  for (const UnknownKernel& kernel : kernels) {
    absl::StrAppend(&out, KernelLines(graph, kernel), "\n");
  }
  if (out.empty()) out = "every kernel is known\n";
  return out + UnboundedLines(graph, kernels);
}

std::string Demangled(absl::string_view symbol) {
  const std::string mangled(symbol);
  // A plain name may be a mangled type: "f" is float.
  if (!absl::StartsWith(mangled, "_Z")) return mangled;
  int status = 0;
  const std::unique_ptr<char, Free> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  return name != nullptr ? name.get() : mangled;
}

}  // namespace reprise
