#include "tools/pack_flags.h"

namespace reprise {

void AddPack(CLI::App& app, std::vector<std::string>& files) {
  app.add_option("--pack", files,
                 "Also know the kernels of this pack; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

}  // namespace reprise
