#include "capture/annotate_transfer.h"

#include <cstdint>
#include <limits>

#include "capture/signature_view.h"

namespace reprise {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();

// `height` rows of `width` bytes.
std::optional<View> PitchedView(std::uint64_t address, std::uint64_t width,
                                std::uint64_t height, std::uint64_t pitch) {
  if (width > kMax || height > kMax || pitch > kMax) return std::nullopt;
  if (height > 1 && pitch < width) return std::nullopt;
  const Dimension rows = {static_cast<std::int64_t>(height),
                          static_cast<std::int64_t>(pitch)};
  const auto built = BuildView(address, ElementType::kByte,
                               static_cast<std::int64_t>(width), {rows});
  if (!built || (address == 0 && !built->view.empty())) return std::nullopt;
  return built->view;
}

bool AddView(std::uint64_t address, std::uint64_t width, std::uint64_t height,
             std::uint64_t pitch, AccessMode mode,
             std::vector<Access>& accesses) {
  const auto view = PitchedView(address, width, height, pitch);
  if (!view) return false;
  if (!view->empty()) accesses.push_back({.view = *view, .mode = mode});
  return true;
}

// One side of a copy.
bool AddSide(const Copy& copy, MemoryKind kind, std::uint64_t address,
             std::uint64_t pitch, AccessMode mode,
             std::vector<Access>& accesses) {
  if (kind == MemoryKind::kHost) return true;
  if (kind != MemoryKind::kDevice) return false;
  return AddView(address, copy.width_bytes, copy.height, pitch, mode, accesses);
}

}  // namespace

std::optional<std::vector<Access>> AccessesOf(const Copy& copy) {
  std::vector<Access> accesses;
  if (copy.depth > 1) return std::nullopt;
  if (copy.depth == 0) return accesses;
  if (!AddSide(copy, copy.source_kind, copy.source, copy.source_pitch,
               AccessMode::kRead, accesses) ||
      !AddSide(copy, copy.target_kind, copy.target, copy.target_pitch,
               AccessMode::kWrite, accesses)) {
    return std::nullopt;
  }
  return accesses;
}

std::optional<std::vector<Access>> AccessesOf(const Fill& fill) {
  std::vector<Access> accesses;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(fill.width, std::uint64_t{fill.element_bytes},
                             &bytes) ||
      !AddView(fill.target, bytes, fill.height, fill.pitch, AccessMode::kWrite,
               accesses)) {
    return std::nullopt;
  }
  return accesses;
}

}  // namespace reprise
