#include "capture/unknown_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/string_view.h"
#include "capture/signature.h"
#include "capture/signature_layout.h"
#include "capture/signature_view.h"

namespace reprise {
namespace {

bool IsKnown(absl::Span<const Pack> packs, const KernelLaunch& launch) {
  return std::any_of(packs.begin(), packs.end(), [&](const Pack& pack) {
    return pack.Find(launch) != nullptr;
  });
}

std::vector<OtherLayout> OtherLayouts(absl::Span<const Pack> packs,
                                      absl::string_view symbol) {
  std::vector<OtherLayout> others;
  for (const Pack& pack : packs) {
    for (const Signature& signature : pack.signatures()) {
      if (!signature.symbol.Match(symbol)) continue;
      others.push_back(
          {pack.name(), signature.name, signature.layout.parameters});
    }
  }
  return others;
}

constexpr std::uint32_t kPointerBytes = 8;

// Every place where a pointer may lie: 8 bytes at a multiple of 8.
void AddPointers(const KernelLaunch& launch, const AllocationIndex& allocations,
                 std::set<std::uint32_t>& pointers) {
  for (const Parameter& parameter : launch.parameters) {
    const std::uint32_t end = parameter.offset + parameter.size;
    for (std::uint32_t at = (parameter.offset + kPointerBytes - 1) /
                            kPointerBytes * kPointerBytes;
         at + kPointerBytes <= end; at += kPointerBytes) {
      if (allocations.Find(PointerAt(launch, at))) pointers.insert(at);
    }
  }
}

// Two launches with equal keys are recognised by the same signatures.
using Key = std::pair<absl::string_view,
                      std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

Key KeyOf(const KernelLaunch& launch) {
  Key key = {launch.symbol, {}};
  for (const Parameter& parameter : launch.parameters) {
    key.second.emplace_back(parameter.offset, parameter.size);
  }
  return key;
}

}  // namespace

std::uint64_t PointerAt(const KernelLaunch& launch, std::uint32_t offset) {
  const Field field = {"", FieldType::kPointer, offset, kPointerBytes};
  if (launch.bytes.size() < std::size_t{offset} + field.size) return 0;
  const auto value = ReadField(field, launch.bytes);
  return static_cast<std::uint64_t>(value.value_or(0));
}

std::vector<UnknownKernel> FindUnknownKernels(absl::Span<const Pack> packs,
                                              const Graph& graph) {
  struct Found {
    bool known = false;
    std::vector<NodeId> nodes;
    std::set<std::uint32_t> pointers;
  };
  const AllocationIndex allocations(graph.allocations());
  std::map<Key, Found> by_key;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    const NodeId id{i};
    if (graph.node(id).launch == Node::kNoIndex) continue;
    const KernelLaunch& launch = graph.launch(id);
    Found& found = by_key[KeyOf(launch)];
    if (found.nodes.empty()) found.known = IsKnown(packs, launch);
    found.nodes.push_back(id);
    if (!found.known) AddPointers(launch, allocations, found.pointers);
  }
  std::vector<UnknownKernel> kernels;
  for (auto& [key, found] : by_key) {
    if (found.known) continue;
    kernels.push_back({std::move(found.nodes),
                       {found.pointers.begin(), found.pointers.end()},
                       OtherLayouts(packs, key.first)});
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const UnknownKernel& a, const UnknownKernel& b) {
              return a.nodes.front() < b.nodes.front();
            });
  return kernels;
}

}  // namespace reprise
