#include "graph/effects.h"

#include <cstddef>

namespace reprise {

absl::string_view NameOf(Role role) {
  constexpr absl::string_view kNames[] = {
      "none", "source", "output", "image", "weights", "ids", "slack"};
  return kNames[static_cast<std::size_t>(role)];
}

}  // namespace reprise
