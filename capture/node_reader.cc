#include "capture/node_reader.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "capture/hex.h"

namespace reprise {
namespace {

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

std::uint32_t Read32(const JsonPlace& at, std::uint64_t most = kMax32) {
  return static_cast<std::uint32_t>(at.Integer(0, most));
}

std::uint64_t Read64(const JsonPlace& at) { return at.Integer(0, kMax64); }

// Streams and events: the largest value is Id's "none".
template <typename Id>
Id ReadOptionalId(const JsonPlace& at, absl::string_view key) {
  if (!at.Has(key)) return Id{};
  return Id{Read32(at.Member(key), Id::kNoValue - 1)};
}

bool ReadFlag(const JsonPlace& at, absl::string_view key) {
  return at.Has(key) && at.Member(key).Bool();
}

Dim3 ReadDim3(const JsonPlace& at) {
  if (at.ArraySize() != 3) {
    at.Fail("expected three integers");
    return {};
  }
  const auto extent = [&at](std::size_t i) {
    return static_cast<std::uint32_t>(at.Element(i).Integer(1, kMax32));
  };
  return {extent(0), extent(1), extent(2)};
}

void ReadParameter(const JsonPlace& at, KernelLaunch& launch) {
  const JsonPlace offset_at = at.Member("offset");
  const JsonPlace bytes_at = at.Member("bytes");
  const std::uint64_t offset = offset_at.Integer(0, kMaxParameterBytes - 1);
  const absl::string_view hex = bytes_at.Text();
  if (!at.ok()) return;
  const std::size_t size = hex.size() / 2;
  if (hex.empty()) return bytes_at.Fail("no hex digits");
  if (hex.size() % 2 != 0) return bytes_at.Fail("odd number of hex digits");
  if (offset < launch.bytes.size()) {
    return offset_at.Fail(
        absl::StrCat("the parameter before ends at ", launch.bytes.size()));
  }
  if (offset + size > kMaxParameterBytes) {
    return bytes_at.Fail(absl::StrCat("ends beyond ", kMaxParameterBytes,
                                      " bytes of parameters"));
  }
  launch.bytes.resize(offset);
  if (!AppendBytesFromHex(hex, launch.bytes)) {
    return bytes_at.Fail("not a hex digit");
  }
  launch.parameters.push_back(
      {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
}

KernelLaunch ReadKernel(const JsonPlace& at) {
  KernelLaunch launch;
  launch.symbol = std::string(at.Member("symbol").Text());
  launch.grid = ReadDim3(at.Member("grid"));
  launch.block = ReadDim3(at.Member("block"));
  launch.shared_bytes = Read32(at.Member("shared_bytes"));
  const JsonPlace parameters = at.Member("params");
  const std::size_t count = parameters.ArraySize();
  for (std::size_t i = 0; i < count && at.ok(); ++i) {
    ReadParameter(parameters.Element(i), launch);
  }
  launch.programmatic_serialization =
      ReadFlag(at, "programmatic_serialization");
  launch.cooperative = ReadFlag(at, "cooperative");
  if (at.Has("cluster")) launch.cluster = ReadDim3(at.Member("cluster"));
  return launch;
}

MemoryKind ReadMemoryKind(const JsonPlace& at) {
  constexpr auto kLast = static_cast<std::uint64_t>(MemoryKind::kUnified);
  return static_cast<MemoryKind>(at.Integer(0, kLast));
}

Copy ReadCopy(const JsonPlace& at) {
  Copy copy;
  copy.source = ReadAddress(at.Member("src"));
  copy.target = ReadAddress(at.Member("dst"));
  copy.width_bytes = Read64(at.Member("width_bytes"));
  copy.height = Read64(at.Member("height"));
  copy.depth = Read64(at.Member("depth"));
  copy.source_pitch = Read64(at.Member("src_pitch"));
  copy.target_pitch = Read64(at.Member("dst_pitch"));
  copy.source_kind = ReadMemoryKind(at.Member("src_memory"));
  copy.target_kind = ReadMemoryKind(at.Member("dst_memory"));
  return copy;
}

std::uint32_t ReadElementBytes(const JsonPlace& at) {
  const std::uint32_t bytes = Read32(at);
  if (bytes != 1 && bytes != 2 && bytes != 4) at.Fail("expected 1, 2 or 4");
  return bytes;
}

Fill ReadFill(const JsonPlace& at) {
  Fill fill;
  fill.target = ReadAddress(at.Member("dst"));
  fill.width = Read64(at.Member("width"));
  fill.height = Read64(at.Member("height"));
  fill.pitch = Read64(at.Member("pitch"));
  fill.element_bytes = ReadElementBytes(at.Member("element_bytes"));
  fill.value = Read32(at.Member("value"));
  return fill;
}

NodeKind ReadKind(const JsonPlace& at) {
  const absl::string_view name = at.Text();
  const std::optional<NodeKind> kind = FindNodeKind(name);
  if (kind.has_value()) return *kind;
  at.Fail(absl::StrCat("unknown node type '",
                       absl::CHexEscape(name.substr(0, 40)), "'"));
  return NodeKind::kOther;
}

}  // namespace

std::uint64_t ReadAddress(const JsonPlace& at) {
  const std::optional<std::uint64_t> address = AddressFromHex(at.Text());
  if (!address.has_value()) at.Fail("expected a 64-bit address in hex");
  return address.value_or(0);
}

void ReadNode(const JsonPlace& at, Graph& graph) {
  const JsonPlace id = at.Member("id");
  if (Read64(id) != graph.num_nodes()) {
    id.Fail(
        absl::StrCat("expected ", graph.num_nodes(), ": ids count up from 0"));
  }
  const NodeKind kind = ReadKind(at.Member("type"));
  const auto stream = ReadOptionalId<StreamId>(at, "stream");
  switch (kind) {
    case NodeKind::kKernel:
      graph.AddKernel(ReadKernel(at), stream);
      return;
    case NodeKind::kCopy:
      graph.AddCopy(ReadCopy(at), stream);
      return;
    case NodeKind::kFill:
      graph.AddFill(ReadFill(at), stream);
      return;
    default:
      break;
  }
  Node node;
  node.kind = kind;
  node.stream = stream;
  if (kind == NodeKind::kEventWait || kind == NodeKind::kEventRecord) {
    node.event = ReadOptionalId<EventId>(at, "event");
  }
  graph.AddNode(std::move(node));
}

}  // namespace reprise
