#include "capture/pack_list.h"

#include <utility>

namespace reprise {

absl::StatusOr<std::vector<Pack>> LoadPacks(
    absl::Span<const std::string> files) {
  std::vector<Pack> packs;
  for (const std::string& file : files) {
    absl::StatusOr<Pack> pack = ReadPack(file);
    if (!pack.ok()) return pack.status();
    packs.push_back(*std::move(pack));
  }
  packs.insert(packs.end(), BuiltInPacks().begin(), BuiltInPacks().end());
  return packs;
}

}  // namespace reprise
