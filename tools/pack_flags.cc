#include "tools/pack_flags.h"

#include <utility>

namespace reprise {

void AddPack(CLI::App& app, std::vector<std::string>& files) {
  app.add_option("--pack", files,
                 "Also know the kernels of this pack; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

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
